import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Only what differs from its default; `name` is `<section>.<key>`. */
export const systemParameters = pgTable('system_parameters', {
  name: text().primaryKey(),
  value: jsonb().notNull(),
  updated_at: moment().notNull(),
});
