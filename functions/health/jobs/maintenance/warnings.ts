import { addMessages } from '../../../../db/repositories/agents/session-messages.ts';
import {
  type Addressees,
  addresseesOf,
  chunksForNode,
  hasSession,
  messageNeeds,
} from '../../../../shared/agents/messages.ts';
import { isUnauthorized, isUnsent } from '../../../../shared/remotes/dispatcher/failures.ts';
import type { Delivery, MessageOrder } from '../../../../shared/remotes/dispatcher/orders.ts';
import type { Call } from '../../../../shared/remotes/dispatcher/port.ts';
import {
  type Action,
  actAs,
  actLaterAs,
  findTarget,
  kinds,
  type Target,
} from '../../../../shared/sites/calls/actions.ts';
import { type ClaimedStep, messageOf } from './claimed-step.ts';

/**
 * Sends the warning to the registered session agents directly, regardless of the node, and to other workplaces through
 * the node. The step counts as done from the time it is claimed. It is retried only if no node can have received the
 * warning.
 */
export async function warn(work: ClaimedStep): Promise<void> {
  const { ctx, createEntry, window, step } = work;
  const target = await findTarget(ctx, kinds.pool, { farmId: step.farm_id, uuid: step.target });
  const only = window.workplace_uuid === null ? undefined : [window.workplace_uuid];
  const at = { farmId: step.farm_id, pool: step.target, only };
  const to = await addresseesOf(ctx.deps.db, at, ctx.now);
  const content = { title: window.plan.title || null, message: messageOf(window) };
  const action = actionOf(work, target, to, content);
  if (to.others?.length === 0) return void (await actLaterAs(ctx, createEntry, target, action, noRecipients));
  let isSent = false;
  const call = (node: Call): Promise<Delivery> =>
    sendAll(work, node, to.others, { ...content, level: 'warning' }).catch((error: unknown) => {
      isSent ||= !(isUnsent(error) || isUnauthorized(error));
      throw error;
    });
  const sent = { ...action, call, needs: messageNeeds };
  await actAs(ctx, createEntry, target, sent).catch((error: unknown) => {
    if (!isSent) throw error;
    ctx.deps.log.warn('a maintenance warning may not have been delivered', { ...step, error });
  });
}

type Content = Pick<MessageOrder, 'title' | 'message'>;

const actionOf = (
  { ctx, step }: ClaimedStep,
  { object }: Target,
  { byAgent }: Addressees,
  content: Content,
): Omit<Action<Delivery>, 'call'> => ({
  audit: {
    event: 'portal.WorkplaceAction',
    category: 'workplace',
    action: 'message',
    object_name: String(object.name),
    details: { message: content.message },
  },
  written: () => [],
  // On a retry, the session agents have already received the message.
  released: (h) =>
    step.failures > 0 || byAgent.length === 0
      ? []
      : [addMessages(h, step.farm_id, byAgent, { kind: 'message', ...content, at: ctx.now })],
  details: ({ delivered, failed }) => ({
    delivered: delivered.length + byAgent.length,
    failed: failed.length,
  }),
});

const noRecipients: Delivery = { delivered: [], failed: [] };

async function sendAll(
  { ctx, step }: ClaimedStep,
  call: Call,
  to: string[] | undefined,
  content: Content & Pick<MessageOrder, 'level'>,
): Promise<Delivery> {
  const { dispatchers } = ctx.deps;
  if (!to) return dispatchers.sendMessage(call, step.target, { ...content, all: true });
  const all: Delivery = { delivered: [], failed: [] };
  for (const workplaces of chunksForNode(to)) {
    const part = await dispatchers.sendMessage(call, step.target, { ...content, workplaces });
    all.delivered.push(...part.delivered);
    all.failed.push(...part.failed.filter(hasSession));
  }
  return all;
}
