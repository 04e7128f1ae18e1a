import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Not used since there are `leases`; migrations that a running version survives may only add, so the table is still there. */
export const jobRounds = pgTable('job_rounds', {
  job: text().primaryKey(),
  run_id: uuid().notNull(),
  started_at: moment().notNull(),
  ended_at: moment(),
});
