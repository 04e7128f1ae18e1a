import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Jobs that functions want done: written in the batch of the change that they follow from, moved into the queue by a sidecar. */
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
