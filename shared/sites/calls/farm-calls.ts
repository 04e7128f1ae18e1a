import type { StoredNode } from '../../../db/repositories/sites/stored-nodes.ts';
import { AppError } from '../../kernel/errors.ts';
import { isUnsent } from '../../remotes/dispatcher/failures.ts';
import type { Call, Node } from '../../remotes/dispatcher/port.ts';
import { asNode, type UserFarm, type UserSite } from '../user-site.ts';
import { circuitOpen, noteOutcome, probeCircuit } from './circuit.ts';
import { type CallCtx, callWithKey, type Speaker } from './dispatcher-keys.ts';
import { orderNodes } from './node-order.ts';
import { nextTurn } from './rotation.ts';

/** What calls of a farm need of a request; a job has it as well. */
export type FarmCtx = CallCtx & { requestId: string };

/** At most one further node is tried, so that a request never waits for a whole farm of dead ones. */
const tries = 2;

/** After what another node is tried: for a call with an effect, only when the first cannot have had it. */
export type Retry = 'failed' | 'unsent';

/**
 * Calls one node of the farm for the speaker: the healthiest first, another one when it could not answer.
 * @throws AppError of the last node tried, with `site` and `farm`; `upstream_unavailable` for a farm without nodes
 */
export async function callFarm<T>(
  ctx: FarmCtx,
  site: Pick<UserSite, 'uri'>,
  farm: UserFarm,
  speaker: Speaker,
  call: (call: Call) => Promise<T>,
  signal?: AbortSignal,
  retry: Retry = 'failed',
): Promise<T> {
  let last = farm.nodes.length > 0 ? circuitOpen() : withoutNodes();
  const closed = farm.nodes.filter(({ circuit }) => circuit === 'closed');
  tryAgain(ctx, farm);
  const ordered = orderNodes(closed, farm.balancing, nextTurn(ctx.deps, farm)).slice(0, tries);
  for (const [n, stored] of ordered.entries()) {
    if (n > 0) await jitter();
    if (signal?.aborted) break;
    let isTried = false;
    const attempt = (one: Call) => {
      isTried = true;
      return call(one);
    };
    try {
      return await callNode(ctx, stored, speaker, attempt, signal);
    } catch (error) {
      if (!isNodeFailure(error)) throw error;
      last = error;
      // A node that gave no key was not even asked.
      if (retry === 'unsent' && isTried && !isUnsent(error)) break;
    }
  }
  throw new AppError(
    last.code,
    last.detail,
    { ...last.members, site: site.uri, farm: farm.name },
    { cause: last },
  );
}

/** What failed for many at once does not come to the next node all at once. */
const jitter = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * longestJitterMs));

const longestJitterMs = 50;

const withoutNodes = (): AppError =>
  new AppError('upstream_unavailable', 'The farm has no enabled dispatcher node');

/** One call of one node; what it shows of the node is noted after the answer. */
async function callNode<T>(
  ctx: FarmCtx,
  stored: StoredNode,
  speaker: Speaker,
  call: (call: Call) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { parameters } = ctx;
  const node: Node = asNode(stored, parameters['aggregator.call_timeout_ms']);
  return ctx.upstream(async () => {
    // Its turn may come when nobody waits for it any more; that says nothing of the node.
    if (signal?.aborted) throw new AppError('upstream_timeout');
    const note = (error?: unknown) => noteOutcome(ctx, node, stored, parameters, error);
    // A key is waited for longer than that; the node has not answered in time all the same.
    const noteLate = () => note(new AppError('upstream_timeout'));
    signal?.addEventListener('abort', noteLate, { once: true });
    try {
      const ask = (key: string) => call({ node, key, trace: ctx.trace, signal });
      const answer = await callWithKey(ctx, node, speaker, stored.keys, ask);
      note();
      return answer;
    } catch (error) {
      if (!signal?.aborted) note(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', noteLate);
    }
  });
}

/**
 * Nodes whose circuit is open and may be tried again are, after the answer: nobody waits for them. A farm that is
 * called has that done for it; one that is passed over, because all its nodes are open, needs it all the more.
 */
export function tryAgain(ctx: FarmCtx, { nodes }: UserFarm): void {
  const { parameters } = ctx;
  for (const stored of nodes.filter(({ circuit, circuit_due }) => circuit !== 'closed' && circuit_due)) {
    const node = asNode(stored, parameters['aggregator.call_timeout_ms']);
    ctx.later(() => probeCircuit({ ...ctx.deps, now: ctx.now }, node, parameters, ctx.requestId));
  }
}

/** Failures that another node of the farm need not have. */
const isNodeFailure = (error: unknown): error is AppError =>
  error instanceof AppError && error.code.startsWith('upstream_');
