import { showMessage } from '../../../shared/agents/messages.ts';
import type { Delivery, MessageOrder } from '../../../shared/remotes/dispatcher/orders.ts';
import { findTarget, kinds, nameOf } from '../../../shared/sites/calls/actions.ts';
import type { WebuiCtx } from '../deps.ts';

/** Sends a message to the users of the given workplaces or of all workplaces of the pool. */
export async function sendMessage(
  ctx: WebuiCtx,
  farmId: string,
  uuid: string,
  order: MessageOrder,
): Promise<Delivery> {
  const target = await findTarget(ctx, kinds.pool, { farmId, uuid });
  return showMessage(ctx, target, order, {
    event: 'portal.WorkplaceAction',
    category: 'workplace',
    action: 'message',
    object_name: nameOf(target),
    details: { message: order.message },
  });
}
