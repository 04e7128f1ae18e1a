import { roles as table, userRoles } from '../schema/roles.ts';
import { users } from '../schema/users.ts';
import { records } from './records.ts';
import { countOf, nameOf } from './statements.ts';

export const roles = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    comments: table.comments,
    permissions: table.permissions,
    scope: table.scope,
    builtin: table.builtin,
    users_count: countOf(userRoles, userRoles.role_id, table.id),
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  search: [table.name_key],
  filters: {},
  sorts: { name: table.name_key, created_at: table.created_at, updated_at: table.updated_at },
  references: [
    {
      type: 'user',
      table: userRoles,
      by: userRoles.role_id,
      id: userRoles.user_id,
      name: nameOf(users, userRoles.user_id),
    },
  ],
  unique: { '/name': ['name_key'] },
});
