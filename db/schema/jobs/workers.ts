import { pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Live sidecars. Each updates its row every few seconds. */
export const jobWorkers = pgTable('job_workers', {
  name: text().primaryKey(),
  host: text().notNull(),
  started_at: moment().notNull(),
  last_seen_at: moment().notNull(),
});
