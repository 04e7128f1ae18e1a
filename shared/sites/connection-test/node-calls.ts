import { AppError } from '../../kernel/errors.ts';
import { message, type Text } from '../../messages/message.ts';
import { isCapable } from '../../remotes/dispatcher/capabilities.ts';
import { isUnauthorized } from '../../remotes/dispatcher/failures.ts';
import {
  type AccountRight,
  accountRights,
  type DispatcherRemote,
  type IssuedKey,
  type Node,
  type Trace,
} from '../../remotes/dispatcher/port.ts';
import { listKinds } from '../../remotes/dispatcher/rows.ts';
import { aggregator } from '../calls/dispatcher-keys.ts';
import type { Protocol, StepName } from './steps.ts';

export type TestedNode = {
  node: Node;
  protocol: Protocol;
  dispatchers: DispatcherRemote;
  now: Date;
  trace: Trace;
  background: (work: Promise<unknown>) => void;
  signal?: AbortSignal | undefined;
};

/** Milliseconds for each of the steps after the handshake. */
const longestMs = 10_000;
/** Seconds for which the token of a test is valid. */
const lifeS = 60;
const mostPools = 100;

const callOf = ({ node, trace, signal }: TestedNode) => ({ node, trace, signal, deadlineMs: longestMs });

/** Obtains a session key. The first answer shows whether the server is a dispatcher, and whether it accepts the portal. */
export async function askForKey(tested: TestedNode): Promise<IssuedKey | undefined> {
  const { dispatchers, protocol, now, node } = tested;
  if (isCapable(node.kind, 'service_account') && !node.account) {
    protocol.skip('authorization', 'no_account', 'No account of the portal is set');
    return undefined;
  }
  try {
    const key = await dispatchers.authorize({
      ...{ ...callOf(tested), principal: aggregator, now, lifeS, isTest: true },
    });
    protocol.pass('answer', 'The node responds as a dispatcher');
    protocol.pass('authorization', 'The node accepts the portal', 0);
    return key;
  } catch (error) {
    const { code, text } = faultOf(error);
    const refusal = refusals[code];
    if (refusal) {
      protocol.pass('answer', 'The node responds as a dispatcher');
      protocol.fail('authorization', code, refusal, 0);
    } else protocol.fail('answer', code, text);
    return undefined;
  }
}

const rightTexts: Readonly<Record<AccountRight['right'], readonly [granted: Text, missing: Text]>> = {
  trusted_address: [
    'The node accepts administrators from the address of the portal',
    'The node does not accept administrators from the address of the portal',
  ],
  administrator: [
    'The account is an administrator of the node',
    'The account is not an administrator of the node',
  ],
  tickets: ['The account can sign users in', 'The account cannot sign users in'],
};

/** What the account of the portal may do. @returns false if a right is missing */
export async function readRights(tested: TestedNode, { token: key }: IssuedKey): Promise<boolean> {
  const { dispatchers, protocol, node } = tested;
  if (!isCapable(node.kind, 'service_account') || !dispatchers.accountRights) {
    for (const right of accountRights)
      protocol.skip(right, 'no_account', 'Nodes of this kind have no accounts of the portal');
    return true;
  }
  try {
    const rights = await dispatchers.accountRights({ ...callOf(tested), key });
    for (const { right, isGranted } of rights) {
      const [granted, missing] = rightTexts[right];
      if (isGranted) protocol.pass(right, granted);
      else if (isGranted === false) protocol.fail(right, 'missing_right', missing);
    }
    return rights.every(({ isGranted }) => isGranted === true);
  } catch (error) {
    const { code, text } = faultOf(error);
    protocol.fail('trusted_address', code, text);
    return false;
  }
}

/** @returns the version that the node reports */
export async function readHealth(
  tested: TestedNode,
  healthKey: string | undefined,
): Promise<string | undefined> {
  const { dispatchers, protocol } = tested;
  if (healthKey === undefined && isCapable(tested.node.kind, 'health_key')) {
    protocol.skip('health', 'no_health_key', 'No key of the health check is set');
    return undefined;
  }
  const start = performance.now();
  try {
    const { status, version } = await dispatchers.health({
      ...{ ...callOf(tested), healthKey: healthKey ?? '' },
    });
    const took = performance.now() - start;
    if (status === 'fail')
      protocol.fail('health', 'reported_fail', 'The node reports that it does not work', took);
    else protocol.pass('health', healthText(version), took);
    return version;
  } catch (error) {
    const { code, text } = faultOf(error);
    const detail = isUnauthorized(error) ? 'The node rejects the key of the health check' : text;
    protocol.fail('health', code, detail, performance.now() - start);
    return undefined;
  }
}

const healthText = (version: string | undefined): Text =>
  version === undefined ? 'The node works' : message('The node works, version {version}', { version });

type Lists = { domains: string[]; pools: number };

/** Reads the beginning of each list that the portal synchronizes. */
export async function readLists(tested: TestedNode, { token }: IssuedKey): Promise<Lists | undefined> {
  const { dispatchers, protocol } = tested;
  const call = { ...callOf(tested), key: token };
  const start = performance.now();
  const step: StepName = 'lists';
  try {
    const [domains, ...pages] = await Promise.all([
      dispatchers.domains(call),
      ...listKinds.map((kind) => dispatchers.list(call, kind, { limit: mostPools })),
    ]);
    const pools = pages[listKinds.indexOf('servicespools')]?.rows.length ?? 0;
    protocol.pass(step, 'Pools, workplaces and sessions can be read', performance.now() - start);
    return { domains: domains.map(({ authSmallName }) => authSmallName), pools };
  } catch (error) {
    const { code, text } = faultOf(error);
    const detail = refusals[code] ? 'The node does not allow the portal to read its lists' : text;
    protocol.fail(step, code, detail, performance.now() - start);
    return undefined;
  }
}

const refusals: Readonly<Record<string, Text>> = {
  unauthorized: 'The node rejects the token of the portal',
  forbidden: 'The node rejects the token of the portal',
  account_refused: 'The node rejects the account of the portal',
  ambiguous_domain: 'Several domains of the node have the label of the account',
  account_held:
    'The node rejected this account a short time ago. It is not tried again for 15 minutes, because the node may block the address of the portal',
  account_paused:
    'The node rejected several accounts a short time ago. No login is tried for 10 minutes, because the node may block the address of the portal',
};

const texts: Readonly<Record<string, Text>> = {
  upstream_timeout: 'The node does not respond in time',
  server_error:
    'The node reports an internal error. It may not be able to read the public keys of the portal',
  unreachable: 'The server closes the connection without an answer',
  redirect: 'The server refers to another address',
};

/** Code and sentence of a failed call. Other errors are those of the portal. */
function faultOf(error: unknown): { code: string; text: Text } {
  if (!(error instanceof AppError) || !error.code.startsWith('upstream_')) throw error;
  const { reason } = error.members;
  const code = typeof reason === 'string' ? reason : error.code;
  const isTls = error.code === 'upstream_tls';
  const other = isTls ? error.detail : 'The server responds, but not as a dispatcher of this kind';
  return { code, text: texts[code] ?? other ?? 'The dispatcher did not return a valid response' };
}
