import { pgTable, text } from 'drizzle-orm/pg-core';

/** Database roles that got the privileges of a process at the last migration; readable by the owner alone. */
export const databaseRoles = pgTable('database_roles', {
  process: text().$type<'portal' | 'sidecar'>().primaryKey(),
  role: text().notNull(),
});
