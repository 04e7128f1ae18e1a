import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/** Which sidecar runs, or last ran, each round that one of them runs for all. */
export const jobRounds = pgTable('job_rounds', {
  job: text().primaryKey(),
  run_id: uuid().notNull(),
  started_at: moment().notNull(),
  ended_at: moment(),
});
