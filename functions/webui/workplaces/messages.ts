import { act, findTarget, kinds } from '../../../shared/fleet/actions.ts';
import type { Delivery, MessageOrder } from '../../../shared/remotes/dispatcher/action-shapes.ts';
import type { WebuiCtx } from '../deps.ts';

/** Shows a message to whoever works at these workplaces of the pool, or at any of them. */
export async function sendMessage(
  ctx: WebuiCtx,
  farmId: string,
  uuid: string,
  order: MessageOrder,
): Promise<Delivery> {
  const target = await findTarget(ctx, kinds.pool, { farmId, uuid });
  return act<Delivery>(ctx, target, {
    happening: {
      event: 'portal.WorkplaceAction',
      category: 'workplace',
      action: 'message',
      object_name: String(target.object.name),
      details: { message: order.message },
    },
    call: (call) => ctx.deps.dispatchers.sendMessage(call, uuid, order),
    written: () => [],
    told: ({ delivered, failed }) => ({ delivered: delivered.length, failed: failed.length }),
  });
}
