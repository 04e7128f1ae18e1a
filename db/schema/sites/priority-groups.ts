import { index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, recordColumns } from '../columns.ts';
import { groups } from '../identity/groups.ts';
import { users } from '../identity/users.ts';
import { farms } from './farms.ts';

/** Preferred farms of users and groups; without users and groups, of all users. */
export const priorityGroups = pgTable(
  'priority_groups',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    comments: text().notNull().default(''),
    priority: integer().notNull().default(1),
  },
  (t) => [uniqueIndex('priority_groups_name_key').on(t.name_key)],
);

const groupId = () =>
  uuid()
    .notNull()
    .references(() => priorityGroups.id, { onDelete: 'cascade' });

export const priorityGroupUsers = pgTable(
  'priority_group_users',
  {
    priority_group_id: groupId(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
  },
  (t) => [
    primaryKey({ columns: [t.priority_group_id, t.user_id] }),
    index('priority_group_users_user').on(t.user_id),
  ],
);

export const priorityGroupGroups = pgTable(
  'priority_group_groups',
  {
    priority_group_id: groupId(),
    group_id: uuid()
      .notNull()
      .references(() => groups.id, { onDelete: 'restrict' }),
  },
  (t) => [
    primaryKey({ columns: [t.priority_group_id, t.group_id] }),
    index('priority_group_groups_group').on(t.group_id),
  ],
);

export const priorityGroupFarms = pgTable(
  'priority_group_farms',
  {
    priority_group_id: groupId(),
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'restrict' }),
    priority: integer().notNull().default(1),
  },
  (t) => [
    primaryKey({ columns: [t.priority_group_id, t.farm_id] }),
    index('priority_group_farms_farm').on(t.farm_id),
  ],
);
