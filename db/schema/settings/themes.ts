import { integer, jsonb, pgTable } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Branding: one row with `id` 1. */
export const themes = pgTable('themes', {
  id: integer().primaryKey(),
  revision: integer().notNull().default(1),
  updated_at: moment().notNull(),
  branding: jsonb().$type<Record<string, unknown>>().notNull().default({}),
});
