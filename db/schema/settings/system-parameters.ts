import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Values that differ from their default; `name` is `<section>.<key>`. */
export const systemParameters = pgTable('system_parameters', {
  name: text().primaryKey(),
  value: jsonb().notNull(),
  updated_at: moment().notNull(),
});
