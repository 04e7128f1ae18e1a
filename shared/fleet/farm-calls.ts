import { AppError } from '../kernel/errors.ts';
import type { Call, Node } from '../remotes/dispatcher/port.ts';
import { callWithKey, type Speaker } from './dispatcher-keys.ts';
import { orderNodes } from './node-order.ts';
import { nextTurn } from './turns.ts';
import { asNode, type UserCtx, type UserFarm, type UserSite } from './user-site.ts';

/** At most one further node is tried, so that a request never waits for a whole farm of dead ones. */
const tries = 2;

/**
 * Calls one node of the farm for the speaker: the healthiest first, another one when it could not answer.
 * @param nodes how many may be tried: one for a call with an effect, which an unanswered node may have had already
 * @throws AppError of the last node tried, with `site` and `farm`; `upstream_unavailable` for a farm without nodes
 */
export async function callFarm<T>(
  ctx: UserCtx,
  site: UserSite,
  farm: UserFarm,
  speaker: Speaker,
  call: (call: Call) => Promise<T>,
  signal?: AbortSignal,
  nodes = tries,
): Promise<T> {
  let last: AppError = new AppError('upstream_unavailable', 'The farm has no enabled dispatcher node');
  for (const stored of orderNodes(farm.nodes, farm.balancing, nextTurn(ctx.deps, farm)).slice(0, nodes)) {
    if (signal?.aborted) break;
    const node: Node = asNode(stored, ctx.actor.parameters['aggregator.call_timeout_ms']);
    try {
      return await ctx.upstream(() => {
        // Its turn may come when nobody waits for it any more.
        if (signal?.aborted) throw new AppError('upstream_timeout');
        return callWithKey(ctx, node, speaker, stored.keys, (key) =>
          call({ node, key, trace: ctx.trace, signal }),
        );
      });
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

/** Failures that another node of the farm need not have. */
const isNodeFailure = (error: unknown): error is AppError =>
  error instanceof AppError && error.code.startsWith('upstream_');
