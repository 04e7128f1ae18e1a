import type { StoredNode } from '../../db/repositories/stored-nodes.ts';
import { AppError } from '../kernel/errors.ts';
import type { Parameters } from '../kernel/system-parameters.ts';
import type { Call, Node } from '../remotes/dispatcher/port.ts';
import { circuitOpen, noteOutcome, probeCircuit } from './circuit.ts';
import { type CallCtx, callWithKey, type Speaker } from './dispatcher-keys.ts';
import { orderNodes } from './node-order.ts';
import { nextTurn } from './turns.ts';
import { asNode, type UserFarm, type UserSite } from './user-site.ts';

/** What calls of a farm need of a request; a job has it as well. */
export type FarmCtx = CallCtx & { actor: { parameters: Parameters }; requestId: string };

/** At most one further node is tried, so that a request never waits for a whole farm of dead ones. */
const tries = 2;

/**
 * Calls one node of the farm for the speaker: the healthiest first, another one when it could not answer.
 * @param nodes how many may be tried: one for a call with an effect, which an unanswered node may have had already
 * @throws AppError of the last node tried, with `site` and `farm`; `upstream_unavailable` for a farm without nodes
 */
export async function callFarm<T>(
  ctx: FarmCtx,
  site: Pick<UserSite, 'uri'>,
  farm: UserFarm,
  speaker: Speaker,
  call: (call: Call) => Promise<T>,
  signal?: AbortSignal,
  nodes = tries,
): Promise<T> {
  let last = farm.nodes.length > 0 ? circuitOpen() : withoutNodes();
  const closed = farm.nodes.filter(({ circuit }) => circuit === 'closed');
  tryAgain(ctx, farm);
  for (const stored of orderNodes(closed, farm.balancing, nextTurn(ctx.deps, farm)).slice(0, nodes)) {
    if (signal?.aborted) break;
    try {
      return await callNode(ctx, stored, speaker, call, signal);
    } catch (error) {
      if (!isNodeFailure(error)) throw error;
      last = error;
    }
  }
  throw new AppError(
    last.code,
    last.message,
    { ...last.members, site: site.uri, farm: farm.name },
    { cause: last },
  );
}

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
  const { parameters } = ctx.actor;
  const node: Node = asNode(stored, parameters['aggregator.call_timeout_ms']);
  return ctx.upstream(async () => {
    // Its turn may come when nobody waits for it any more; that says nothing of the node.
    if (signal?.aborted) throw new AppError('upstream_timeout');
    try {
      const ask = (key: string) => call({ node, key, trace: ctx.trace, signal });
      const answer = await callWithKey(ctx, node, speaker, stored.keys, ask);
      noteOutcome(ctx, node, stored, parameters);
      return answer;
    } catch (error) {
      noteOutcome(ctx, node, stored, parameters, error);
      throw error;
    }
  });
}

/** Nodes whose circuit is open and may be tried again are, after the answer: nobody waits for them. */
function tryAgain(ctx: FarmCtx, { nodes }: UserFarm): void {
  const { parameters } = ctx.actor;
  for (const stored of nodes.filter(({ circuit, circuit_due }) => circuit !== 'closed' && circuit_due)) {
    const node = asNode(stored, parameters['aggregator.call_timeout_ms']);
    ctx.later(() => probeCircuit({ ...ctx.deps, now: ctx.now }, node, parameters, ctx.requestId));
  }
}

/** Failures that another node of the farm need not have. */
const isNodeFailure = (error: unknown): error is AppError =>
  error instanceof AppError && error.code.startsWith('upstream_');
