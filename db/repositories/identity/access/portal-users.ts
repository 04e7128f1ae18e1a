import { and, eq, gt, type SQL, sql } from 'drizzle-orm';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginLocks } from '../../../schema/identity/login-locks.ts';
import { userRoles } from '../../../schema/identity/roles.ts';
import { users as table } from '../../../schema/identity/users.ts';
import { derived, memberIds, nameOf } from '../../records/statements.ts';
import { everyone } from '../login/limits.ts';
import { isEnrolled } from '../second-factors.ts';
import { users } from '../users.ts';

const roleLink = { table: userRoles, owner: userRoles.user_id, member: userRoles.role_id };

const locksOfUser = sql`from ${loginLocks} where ${and(
  eq(loginLocks.account, sql`(${table.authenticator_id} || '/' || ${table.name_key})`),
  gt(loginLocks.locked_until, sql`now()`),
)}`;

/** Few accounts are locked, so the users are found by the locks. An account is the id of the domain and the name. */
const lockedUsers = sql`select locked.id from ${loginLocks} join ${table} as locked
  on locked.authenticator_id = case when ${loginLocks.account} <> ${everyone} then left(${loginLocks.account}, 36)::uuid end
    and locked.name_key = substr(${loginLocks.account}, 38)
  where ${gt(loginLocks.locked_until, sql`now()`)}`;

const isOrNot = (value: boolean, condition: SQL): SQL => (value ? condition : sql`not ${condition}`);

/** The list of the users of all domains. */
export const portalUsers = {
  spec: {
    table,
    select: {
      id: table.id,
      name: table.name,
      real_name: table.real_name,
      email: table.email,
      authenticator_id: table.authenticator_id,
      authenticator_name: nameOf(authenticators, table.authenticator_id),
      state: table.state,
      kind: table.kind,
      roles: memberIds(roleLink, table.id),
      two_factor_enrolled: derived<boolean>(isEnrolled(table.id)),
      locked_until: derived<Date | null>(sql`select max(${loginLocks.locked_until}) ${locksOfUser}`).mapWith(
        loginLocks.locked_until,
      ),
      last_login_at: table.last_login_at,
      created_at: table.created_at,
    },
    search: users.spec.search,
    filters: {
      authenticator: (value: string) => eq(table.authenticator_id, value),
      state: (value: string) => sql`${table.state} = ${value}`,
      kind: (value: string) => sql`${table.kind} = ${value}`,
      role: (value: string) =>
        sql`exists(select 1 from ${userRoles} where ${userRoles.user_id} = ${table.id} and ${userRoles.role_id} = ${value}::uuid)`,
      has_role: (value: boolean) =>
        isOrNot(value, sql`exists(select 1 from ${userRoles} where ${userRoles.user_id} = ${table.id})`),
      two_factor: (value: boolean) => isOrNot(value, sql`(${isEnrolled(table.id)})`),
      locked: (value: boolean) => isOrNot(value, sql`${table.id} in (${lockedUsers})`),
    },
    sorts: { name: table.name_key, created_at: table.created_at },
  },
};
