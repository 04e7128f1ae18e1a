import { sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { peerRoles, peers } from '../../schema/identity/peers.ts';
import { roles as table, userRoles } from '../../schema/identity/roles.ts';
import { users } from '../../schema/identity/users.ts';
import { sites } from '../../schema/sites/sites.ts';
import { records } from '../records/records.ts';
import { countOf, must, nameOf, oneOf } from '../records/statements.ts';

/** Fails the batch if the scope of a role contains a site that does not exist. */
export const mustHaveSites = (h: Db, scope: { sites: '*' | readonly string[] }): Statement[] =>
  scope.sites === '*'
    ? []
    : [
        must(
          h,
          sql`(select count(*) from ${sites} where ${oneOf(sites.id, scope.sites)}) = ${scope.sites.length}`,
          'dangling:/scope/sites',
        ),
      ];

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
  narrowed: ({ scope }: { scope: { sites: '*' | string[] } }, within) => ({
    scope: scope.sites === '*' ? scope : { sites: scope.sites.filter((id) => within.includes(id)) },
  }),
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
    {
      type: 'peer',
      table: peerRoles,
      by: peerRoles.role_id,
      id: peerRoles.peer_id,
      name: nameOf(peers, peerRoles.peer_id),
    },
  ],
  unique: { '/name': ['name_key'] },
});
