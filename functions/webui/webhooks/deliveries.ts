import { atomically } from '../../../db/client.ts';
import { raisedByMust } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import {
  findDelivery,
  mustHaveRoom,
  queueDelivery,
  replayDead,
  replayDelivery,
} from '../../../db/repositories/webhooks/deliveries.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { findRecord } from '../../../shared/http/records/writes.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { conflict, notFound } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { testEvent } from '../../../shared/webhooks/event-types.ts';
import type { WebuiCtx } from '../deps.ts';
import { webhookCrud } from './record.ts';
import { Delivery } from './schema.ts';

const view = viewOf(Delivery);
const { kind } = webhookCrud;

/** @throws AppError `invalid_state` for a disabled webhook, and if too many deliveries wait */
export async function sendTest(ctx: WebuiCtx, id: string): Promise<Answer> {
  const webhook = await findRecord(ctx, kind, id);
  if (!webhook.enabled) throw conflict('disabled', 'The webhook is disabled');
  const delivery = newId();
  await atomically(ctx.deps.db, (h) => [
    mustHaveRoom(h, id),
    queueDelivery(h, {
      ...{ id: delivery, webhook_id: id, event: testEvent },
      ...{ kind: 'webhook', object_id: id, occurred_at: ctx.now },
    }),
    appendAudit(h, actionOn(ctx, webhook, 'test')),
  ]).catch((error: unknown) => {
    if (raisedByMust(error)?.reason !== 'too_many_deliveries') throw error;
    throw conflict('too_many_deliveries', 'Too many events of the webhook are waiting');
  });
  return accepted(ctx, id, delivery);
}

/** @throws AppError `not_found`, `invalid_state` while the delivery waits for an attempt */
export async function replayOne(ctx: WebuiCtx, id: string, delivery: string): Promise<Answer> {
  const webhook = await findRecord(ctx, kind, id);
  if (!(await findDelivery(ctx.deps.db, id, delivery))) throw notFound();
  await atomically(ctx.deps.db, (h) => [
    ...replayDelivery(h, id, delivery),
    appendAudit(h, actionOn(ctx, webhook, 'replay', { delivery })),
  ]).catch((error: unknown) => {
    if (raisedByMust(error)?.reason !== 'waiting') throw error;
    throw conflict('waiting', 'The delivery waits for its next attempt');
  });
  return accepted(ctx, id, delivery);
}

export async function replayAll(ctx: WebuiCtx, id: string): Promise<{ count: number }> {
  const webhook = await findRecord(ctx, kind, id);
  const [replayed] = await atomically(ctx.deps.db, (h) => [
    replayDead(h, id),
    appendAudit(h, actionOn(ctx, webhook, 'replay')),
  ]);
  return { count: (replayed as unknown[]).length };
}

async function accepted(ctx: WebuiCtx, id: string, delivery: string): Promise<Answer> {
  const row = await findDelivery(ctx.deps.db, id, delivery);
  if (!row) throw notFound();
  return new Answer(view(row));
}

const actionOn = (
  ctx: WebuiCtx,
  { id, name }: { id: string; name: string },
  action: string,
  details: Record<string, unknown> = {},
) =>
  auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'config',
    action,
    object_type: 'webhook',
    object_id: id,
    object_name: name,
    details,
  });
