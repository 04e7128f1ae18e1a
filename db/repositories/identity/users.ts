import { sql } from 'drizzle-orm';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { groupMembers, groups } from '../../schema/identity/groups.ts';
import { loginLocks } from '../../schema/identity/login-locks.ts';
import { userRoles } from '../../schema/identity/roles.ts';
import { users as table } from '../../schema/identity/users.ts';
import { rules, ruleUsers } from '../../schema/routing/rules.ts';
import { priorityGroups, priorityGroupUsers } from '../../schema/sites/priority-groups.ts';
import { sites, siteUsers } from '../../schema/sites/sites.ts';
import { membersOf } from '../records/membership.ts';
import { records } from '../records/records.ts';
import { derived, memberIds, nameOf } from '../records/statements.ts';
import { isEnrolled } from './second-factors.ts';

const links = {
  groups: {
    table: groupMembers,
    owner: groupMembers.user_id,
    member: groupMembers.group_id,
    // Members belong to the groups of their domain; membership in a meta group follows from its parts.
    unfit: (user: string) => sql`exists(
      select 1 from ${groupMembers} join ${groups} on ${groups.id} = ${groupMembers.group_id}
        join ${table} on ${table.id} = ${groupMembers.user_id}
      where ${groupMembers.user_id} = ${user} and (${groups.authenticator_id} <> ${table.authenticator_id} or ${groups.type} = 'meta'))`,
  },
  roles: { table: userRoles, owner: userRoles.user_id, member: userRoles.role_id },
};

/** Key of an account in the lock table: the id of the domain and the folded name. */
export const accountKey = (authenticatorId: string, nameKey: string): string =>
  `${authenticatorId}/${nameKey}`;

export const users = records({
  table,
  select: {
    id: table.id,
    uuid: table.id,
    revision: table.revision,
    authenticator_id: table.authenticator_id,
    name: table.name,
    real_name: table.real_name,
    email: table.email,
    comments: table.comments,
    state: table.state,
    kind: table.kind,
    must_change_password: table.must_change_password,
    // The hash. Views show `null`, and the boolean `password_set`.
    password: table.password_hash,
    two_factor_enrolled: derived<boolean>(isEnrolled(table.id)),
    domain_two_factor: derived<boolean>(
      sql`select ${authenticators.two_factor} from ${authenticators} where ${authenticators.id} = ${table.authenticator_id}`,
    ),
    domain_type: derived<string>(
      sql`select ${authenticators.type} from ${authenticators} where ${authenticators.id} = ${table.authenticator_id}`,
    ),
    groups: memberIds(links.groups, table.id),
    roles: memberIds(links.roles, table.id),
    attributes: table.attributes,
    /** Identifier of the directory entry. Not included in views. */
    directory_id: table.directory_id,
    locked_until: derived<Date | null>(
      sql`select max(${loginLocks.locked_until}) from ${loginLocks}
          where ${loginLocks.account} = (${table.authenticator_id} || '/' || ${table.name_key}) and ${loginLocks.locked_until} > now()`,
    ).mapWith(loginLocks.locked_until),
    last_login_at: table.last_login_at,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  parent: { column: table.authenticator_id, table: authenticators },
  // The texts by which every list of people is searched. Each has an index of its parts.
  search: [table.name_key, sql`lower(${table.real_name})`, sql`lower(${table.email})`],
  filters: {
    state: (value: string) => sql`${table.state} = ${value}`,
    kind: (value: string) => sql`${table.kind} = ${value}`,
    group: (value: string) => sql`${table.id} in (${membersOf(sql`${value}::uuid`)})`,
    role: (value: string) =>
      sql`exists(select 1 from ${userRoles} where ${userRoles.user_id} = ${table.id} and ${userRoles.role_id} = ${value}::uuid)`,
  },
  sorts: { name: table.name_key, created_at: table.created_at, updated_at: table.updated_at },
  links,
  references: [
    {
      type: 'site',
      table: siteUsers,
      by: siteUsers.user_id,
      id: siteUsers.site_id,
      name: nameOf(sites, siteUsers.site_id),
    },
    {
      type: 'priority_group',
      table: priorityGroupUsers,
      by: priorityGroupUsers.user_id,
      id: priorityGroupUsers.priority_group_id,
      name: nameOf(priorityGroups, priorityGroupUsers.priority_group_id),
    },
    {
      type: 'rule',
      table: ruleUsers,
      by: ruleUsers.user_id,
      id: ruleUsers.rule_id,
      name: nameOf(rules, ruleUsers.rule_id),
    },
  ],
  unique: { '/name': ['authenticator_id', 'name_key'] },
});
