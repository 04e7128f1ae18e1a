import { pgTable, text } from 'drizzle-orm/pg-core';

/** Database roles that received the privileges of a process in the last migration. Readable by the owner only. */
export const databaseRoles = pgTable('database_roles', {
  process: text().$type<'portal' | 'sidecar'>().primaryKey(),
  role: text().notNull(),
});
