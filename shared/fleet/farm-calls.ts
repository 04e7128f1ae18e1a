import { AppError } from '../kernel/errors.ts';
import type { Call, Node } from '../remotes/dispatcher/port.ts';
import { callWithKey, type Speaker } from './dispatcher-keys.ts';
import { orderNodes } from './node-order.ts';
import { asNode, type UserCtx, type UserFarm, type UserSite } from './user-site.ts';

/** At most one further node is tried, so that a request never waits for a whole farm of dead ones. */
const tries = 2;

/** Moves `round_robin` on; a plain count per process is fair enough, and costs no round trip. */
let turn = 0;

/**
 * Calls one node of the farm for the speaker: the healthiest first, another one when it could not answer.
 * @throws AppError of the last node tried, with `site` and `farm`; `upstream_unavailable` for a farm without nodes
 */
export async function callFarm<T>(
  ctx: UserCtx,
  site: UserSite,
  farm: UserFarm,
  speaker: Speaker,
  call: (call: Call) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let last: AppError = new AppError('upstream_unavailable', 'The farm has no enabled dispatcher node');
  for (const stored of orderNodes(farm.nodes, farm.balancing, turn++).slice(0, tries)) {
    if (signal?.aborted) break;
    const node: Node = asNode(stored, ctx.actor.parameters['aggregator.call_timeout_ms']);
    try {
      return await callWithKey(ctx, node, speaker, stored.keys, (key) =>
        call({ node, key, trace: ctx.trace, signal }),
      );
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
