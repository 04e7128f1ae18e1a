import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/**
 * The job outbox: jobs are inserted in the batch of the change that requires them, and a sidecar moves them into the
 * queue.
 */
export const jobOutbox = pgTable(
  'job_outbox',
  {
    id: uuid().primaryKey(),
    kind: text().notNull(),
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    start_after: moment(),
    created_at: moment().notNull().default(sql`now()`),
  },
  (t) => [index('job_outbox_created_at').on(t.created_at)],
);
