import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { transactionId } from '../changes/changes.ts';
import { moment } from '../columns.ts';
import { webhooks } from './webhooks.ts';

/**
 * Events for webhooks. `kind`, `list`, `object_id` and `sites` are those of the change (see `changes`). A waiting delivery
 * is due at `due_at`; one that is being sent is claimed until `claimed_until`. `status` is that of the last response, and
 * `error` the reason of a failure without one. Contents of responses are not stored.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: uuid().primaryKey(),
    webhook_id: uuid()
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    event: text().notNull(),
    kind: text().notNull(),
    object_id: text().notNull().default(''),
    list: text().notNull().default(''),
    sites: uuid().array(),
    occurred_at: moment().notNull(),
    created_at: moment().notNull().default(sql`now()`),
    state: text().$type<'waiting' | 'delivered' | 'dead' | 'skipped'>().notNull().default('waiting'),
    attempts: integer().notNull().default(0),
    due_at: moment().notNull().default(sql`now()`),
    claimed_until: moment(),
    last_attempt_at: moment(),
    status: integer(),
    error: text(),
    duration_ms: integer(),
  },
  (t) => [
    index('webhook_deliveries_list').on(t.webhook_id, t.created_at, t.id),
    index('webhook_deliveries_due').on(t.webhook_id, t.due_at).where(sql`${t.state} = 'waiting'`),
    index('webhook_deliveries_object')
      .on(t.webhook_id, t.object_id, t.event)
      .where(sql`${t.state} = 'waiting'`),
    index('webhook_deliveries_dead').on(t.webhook_id).where(sql`${t.state} = 'dead'`),
    index('webhook_deliveries_age').on(t.created_at).where(sql`${t.state} <> 'waiting'`),
  ],
);

/**
 * One row: the place in the order of changes up to which events were queued, and the state of the mails about critical
 * monitoring records. `mail_error` is the result of the last attempt, null for success.
 */
export const eventMarks = pgTable('event_marks', {
  only: boolean().primaryKey().default(true),
  xid: transactionId().notNull().default(sql`'0'::xid8`),
  seq: bigint({ mode: 'number' }).notNull().default(0),
  mail_due_at: moment(),
  mail_failures: integer().notNull().default(0),
  mail_error: text(),
});
