import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { webhooks as table } from '../../schema/webhooks/webhooks.ts';
import { changeWithRecord } from '../monitoring/records.ts';
import { derived } from '../records/statements.ts';

type Webhook = { id: string; name: string };

/** The result of an attempt. */
export type Outcome = {
  state: 'delivered' | 'dead' | 'skipped' | 'waiting';
  /** HTTP status of the response. */
  status: number | null;
  /** Reason why there is no response. */
  error: string | null;
  duration_ms: number;
  /** Milliseconds until the next attempt. */
  delay_ms?: number | undefined;
  /** Milliseconds that the receiver asks for, which all deliveries of the webhook wait. */
  pause_ms?: number | undefined;
};

/**
 * Notes whether the deliveries of a webhook succeed. The first failure since the last success, and the first success after it,
 * write to the monitoring journal. An event that is not sent, because the owner may not read its object, is neither.
 */
export const noteHealth = (
  h: Db,
  webhook: Webhook,
  outcome: Pick<Outcome, 'state' | 'status' | 'error'>,
  at: Date,
): Statement[] => {
  if (outcome.state === 'skipped') return [];
  return outcome.state === 'delivered'
    ? [noteRecovery(h, webhook, at), noteSuccess(h, webhook)]
    : [noteFailure(h, webhook, outcome, at)];
};

const noteFailure = (
  h: Db,
  webhook: Webhook,
  { status, error }: Pick<Outcome, 'status' | 'error'>,
  at: Date,
): Statement =>
  changeWithRecord(
    h,
    sql`update ${table} set failing_since = now() where ${and(eq(table.id, webhook.id), isNull(table.failing_since))}`,
    {
      ...about(webhook, at),
      level: 'warning',
      code: 'webhook_failing',
      message: `Deliveries of the webhook ${webhook.name} fail (${error ?? `status ${status}`}); they are repeated`,
      details: { status, error },
    },
  );

const noteRecovery = (h: Db, webhook: Webhook, at: Date): Statement =>
  changeWithRecord(
    h,
    sql`update ${table} set failing_since = null where ${and(eq(table.id, webhook.id), isNotNull(table.failing_since))}`,
    {
      ...about(webhook, at),
      level: 'info',
      code: 'webhook_delivers',
      message: `Deliveries of the webhook ${webhook.name} succeed again`,
    },
  );

/** Writes at most every ten seconds. */
const noteSuccess = (h: Db, { id }: Webhook): Statement =>
  h
    .update(table)
    .set({ last_success_at: sql`now()` })
    .where(
      and(eq(table.id, id), sql`coalesce(${table.last_success_at} < now() - interval '10 seconds', true)`),
    );

const about = ({ id, name }: Webhook, at: Date) => ({
  at,
  source: 'portal' as const,
  object_type: 'webhook' as const,
  object_id: id,
  object_name: name,
});

/** Enabled webhooks, and whether their deliveries fail. */
export type WebhookGauges = { webhook: string; is_failing: boolean }[];

export const webhookGauges = derived<WebhookGauges>(sql`
  select coalesce(jsonb_agg(jsonb_build_object('webhook', ${table.name}, 'is_failing', ${table.failing_since} is not null)
    order by ${table.name_key}), '[]')
  from ${table} where ${table.enabled}`);
