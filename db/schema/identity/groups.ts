import { boolean, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, recordColumns } from '../columns.ts';
import { authenticators } from './authenticators.ts';
import { users } from './users.ts';

/**
 * Groups of a domain. `external_id` is the distinguished name of a directory group, `directory_id` its immutable
 * identifier (in Active Directory the SID).
 */
export const groups = pgTable(
  'groups',
  {
    ...recordColumns,
    authenticator_id: uuid()
      .notNull()
      .references(() => authenticators.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    name_key: byteText().notNull(),
    external_id: text(),
    directory_id: text(),
    comments: text().notNull().default(''),
    state: text().$type<'active' | 'inactive'>().notNull().default('active'),
    type: text().$type<'group' | 'meta'>().notNull().default('group'),
    meta_if_any: boolean().notNull().default(false),
    skip_two_factor: boolean().notNull().default(false),
  },
  (t) => [
    uniqueIndex('groups_name_key').on(t.authenticator_id, t.name_key),
    index('groups_directory_id').on(t.authenticator_id, t.directory_id),
  ],
);

export const groupMembers = pgTable(
  'group_members',
  {
    group_id: uuid()
      .notNull()
      .references(() => groups.id, { onDelete: 'cascade' }),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.group_id] }), index('group_members_group').on(t.group_id)],
);
