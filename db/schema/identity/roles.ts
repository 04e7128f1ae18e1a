import { boolean, index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, recordColumns } from '../columns.ts';
import { users } from './users.ts';

/** Roles: permissions, with a scope of sites (`"*"` or ids). */
export const roles = pgTable(
  'roles',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    comments: text().notNull().default(''),
    permissions: text().array().notNull().default([]),
    scope: jsonb().$type<{ sites: '*' | string[] }>().notNull().default({ sites: '*' }),
    builtin: boolean().notNull().default(false),
  },
  (t) => [uniqueIndex('roles_name_key').on(t.name_key)],
);

export const userRoles = pgTable(
  'user_roles',
  {
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role_id: uuid()
      .notNull()
      .references(() => roles.id, { onDelete: 'restrict' }),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.role_id] }), index('user_roles_role').on(t.role_id)],
);
