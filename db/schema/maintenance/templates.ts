import { boolean, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { byteText, moment, recordColumns } from '../columns.ts';

/** Times and effects of a maintenance. Sites, farms and pools in maintenance refer to a template. */
export const maintenanceTemplates = pgTable(
  'maintenance_templates',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    title: text().notNull().default(''),
    message: text().notNull(),
    start_at: moment(),
    end_at: moment(),
    warn_minutes: integer().notNull().default(10),
    block_new_sessions: boolean().notNull().default(true),
    disconnect_sessions: boolean().notNull().default(false),
    logoff_sessions: boolean().notNull().default(false),
  },
  (t) => [uniqueIndex('maintenance_templates_name_key').on(t.name_key)],
);
