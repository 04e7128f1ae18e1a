import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/**
 * How far the audit has been forwarded to each log collector: events up to `seq` are with it for sure. `error` is what
 * the last attempt ended with, null when it went well.
 */
export const auditForwards = pgTable('audit_forwards', {
  target: text().$type<'fluentd' | 'syslog'>().primaryKey(),
  seq: bigint({ mode: 'number' }).notNull().default(0),
  checked_at: moment(),
  error: text(),
});
