import { index, integer, jsonb, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';

/**
 * Refusals counted per minute. The first one of a subject (a session and a permission, or a locked account) has its
 * own audit event; the others become one event after the minute has ended. `event` is the content of that event.
 */
export const auditRefusals = pgTable(
  'audit_refusals',
  {
    subject: byteText().notNull(),
    minute: moment().notNull(),
    count: integer().notNull().default(1),
    event: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.subject, t.minute] }), index('audit_refusals_minute').on(t.minute)],
);
