import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/**
 * Progress of forwarding the audit to each log collector: events up to `seq` are confirmed. `error` is the result of
 * the last attempt, null for success.
 */
export const auditForwards = pgTable('audit_forwards', {
  target: text().$type<'fluentd' | 'syslog'>().primaryKey(),
  seq: bigint({ mode: 'number' }).notNull().default(0),
  checked_at: moment(),
  error: text(),
});
