import { createDispatchers } from '../../../shared/remotes/dispatcher/kinds.ts';
import type {
  Call,
  DispatcherRemote,
  LoginGuard,
  Node,
  OwnKey,
} from '../../../shared/remotes/dispatcher/port.ts';
import { refusalReasonOf } from '../../../shared/remotes/dispatcher/refusals.ts';
import { createNodeTransport } from '../../../shared/remotes/http/node.ts';
import { portalAccount } from '../../simulator/openuds/seed.ts';
import type { Broker } from '../../simulator/openuds/start.ts';

/** Passes each login on, and counts them. */
function openGuard(password: () => string): LoginGuard & { logins: number } {
  const guard = {
    logins: 0,
    attempt: async <T>(_node: Node, login: (password: string) => Promise<T | undefined>): Promise<T> => {
      guard.logins += 1;
      const key = await login(password());
      if (key === undefined) throw new Error('the account is refused');
      return key;
    },
  };
  return guard;
}

export type BrokerStand = {
  remote: DispatcherRemote;
  node: Node;
  guard: ReturnType<typeof openGuard>;
  /** A call with the key of the portal. */
  own: () => Promise<Call>;
  /** A call with the key of a user; `domain` is the label in the portal. */
  as: (name: string, options?: { domain?: string; groups?: string[] }) => Promise<Call>;
  ownKey: OwnKey;
  close: () => Promise<void>;
};

type Given = Pick<Broker, 'url' | 'caPem'> & { node?: Partial<Node>; password?: () => string };

/** Of every request that a stand sends. */
export const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The adapter over the transport of Node, without a portal. */
export function brokerStand({ url, caPem, node: more, password }: Given): BrokerStand {
  const transport = createNodeTransport({ allowedNetworks: ['127.0.0.0/8'], allowInsecure: false });
  const guard = openGuard(password ?? (() => portalAccount.password));
  const signer = { signFor: () => Promise.reject(new Error('no token is signed for this kind')) };
  const remote = createDispatchers({ transport, signer, logins: guard });
  const node: Node = {
    ...{ id: 'broker', kind: 'openuds', name: 'broker', url, caCertificate: caPem, verifyTls: true },
    ...{ timeoutMs: 5_000, publicUrl: 'https://vdi.example.com' },
    account: { domain: 'corp', name: portalAccount.name, password: 'sealed' },
    ...more,
  };
  const to = { node, trace: { requestId: 'request', traceparent } };
  const times = { now: new Date(), lifeS: 60 };
  let current: string | undefined;
  const ownKey: OwnKey = async (refused) => {
    if (current === undefined || current === refused)
      current = (await remote.authorize({ ...to, ...times, principal: { user: null } })).token;
    return current;
  };
  return {
    ...{ remote, node, guard, ownKey, close: () => transport.close() },
    own: async () => ({ ...to, key: await ownKey() }),
    as: async (name, { domain = 'corp', groups = [] } = {}) => {
      const user = { id: name, name, domain, groups, clientIp: '192.0.2.1' };
      const { token: key } = await remote.authorize({ ...to, ...times, principal: { user }, ownKey });
      return { ...to, key, ownKey };
    },
  };
}

/** The code of a refusal, with its reason. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'no refusal';
  } catch (error) {
    const { code, members } = error as { code?: string; members?: Record<string, unknown> };
    if (code === undefined) throw error;
    const reason = refusalReasonOf(error) ?? members?.reason ?? members?.reason_code;
    return reason === undefined ? code : `${code}:${reason}`;
  }
}
