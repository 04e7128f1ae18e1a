import { and, eq, type SQL, sql } from 'drizzle-orm';
import { type Db, readTogether } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { groupMembers, groups } from '../../../schema/identity/groups.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import { roles, userRoles } from '../../../schema/identity/roles.ts';
import { secondFactors } from '../../../schema/identity/second-factors.ts';
import { serviceTokens } from '../../../schema/identity/service-tokens.ts';
import { users } from '../../../schema/identity/users.ts';
import { sites } from '../../../schema/sites/sites.ts';
import { type Scope, within } from '../../records/scope.ts';
import { type AliveSince, isAlive } from '../login/user-sessions.ts';
import { passkeysOfUser } from '../passkeys/passkeys.ts';
import { locksOfAccount } from './lock-outs.ts';

/** Sessions and tokens that are returned with the access of a user. */
const firstRows = 20;
/** Groups and roles that are returned with the access of a user. */
const mostRows = 500;

export type UserAccessQuery = {
  since: AliveSince;
  /** Sites whose names the caller may read. */
  sites: Scope | undefined;
};

/** Everything that determines what a user may do, in one round trip. @returns undefined without such a user */
export async function readUserAccess(db: Db, id: string, { since, sites: readable }: UserAccessQuery) {
  const found = await readTogether(db, (h) => [
    accountOf(h, id),
    rolesOfUser(h, id),
    groupsOfUser(h, id),
    locksOfAccount(h, lockKeyOf(id), since.now),
    sessionsOfUser(h, id, since),
    tokensOfUser(h, id),
    passkeysOfUser(h, id),
    siteNames(h, id, readable),
  ]);
  const [accounts, held, joined, locks, sessions, tokens, passkeys, named] = found as [
    Awaited<ReturnType<typeof accountOf>>,
    Awaited<ReturnType<typeof rolesOfUser>>,
    Awaited<ReturnType<typeof groupsOfUser>>,
    Awaited<ReturnType<typeof locksOfAccount>>,
    Awaited<ReturnType<typeof sessionsOfUser>>,
    Awaited<ReturnType<typeof tokensOfUser>>,
    Awaited<ReturnType<typeof passkeysOfUser>>,
    Awaited<ReturnType<typeof siteNames>>,
  ];
  const [account] = accounts;
  return (
    account && {
      ...account,
      ...{ roles: held, groups: joined, locks, sessions, tokens, passkeys },
      siteNames: named,
    }
  );
}

const lockKeyOf = (id: string): SQL =>
  sql`(select ${users.authenticator_id} || '/' || ${users.name_key} from ${users} where ${users.id} = ${id})`;

const accountOf = (h: Db, id: string) =>
  h
    .select({
      id: users.id,
      name: users.name,
      kind: users.kind,
      state: users.state,
      must_change_password: users.must_change_password,
      directory_id: users.directory_id,
      last_login_at: users.last_login_at,
      domain: {
        id: authenticators.id,
        type: authenticators.type,
        state: authenticators.state,
        subjects: authenticators.subjects,
        two_factor: authenticators.two_factor,
        params: authenticators.params,
      },
      enrolled_at: secondFactors.enrolled_at,
    })
    .from(users)
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .leftJoin(secondFactors, eq(secondFactors.user_id, users.id))
    .where(eq(users.id, id));

const rolesOfUser = (h: Db, id: string) =>
  h
    .select({
      id: roles.id,
      name: roles.name,
      builtin: roles.builtin,
      permissions: roles.permissions,
      scope: roles.scope,
    })
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.role_id))
    .where(eq(userRoles.user_id, id))
    .orderBy(roles.name_key)
    .limit(mostRows);

/** Groups of the account, and meta groups whose condition it meets. An inactive group has no effect. */
const groupsOfUser = (h: Db, id: string) =>
  h
    .select({
      id: groups.id,
      name: groups.name,
      type: groups.type,
      state: groups.state,
      skip_two_factor: groups.skip_two_factor,
    })
    .from(groups)
    .where(
      sql`${groups.id} in (
        select ${groupMembers.group_id} from ${groupMembers} where ${groupMembers.user_id} = ${id}
        union select group_id from effective_groups(${id}::uuid))`,
    )
    .orderBy(groups.name_key)
    .limit(mostRows);

const sessionsOfUser = (h: Db, id: string, since: AliveSince) =>
  h
    .select({
      id: loginSessions.id,
      portal: loginSessions.portal,
      source_ip: loginSessions.source_ip,
      user_agent: loginSessions.user_agent,
      platform: loginSessions.platform,
      created_at: loginSessions.created_at,
      last_seen_at: loginSessions.last_seen_at,
      total: sql<number>`(count(*) over ())::int`,
    })
    .from(loginSessions)
    .where(and(eq(loginSessions.user_id, id), isAlive(since)))
    .orderBy(sql`${loginSessions.created_at} desc`)
    .limit(firstRows);

const tokensOfUser = (h: Db, id: string) =>
  h
    .select({
      id: serviceTokens.id,
      name: serviceTokens.name,
      permissions: serviceTokens.permissions,
      created_at: serviceTokens.created_at,
      expires_at: serviceTokens.expires_at,
      last_seen_at: serviceTokens.last_seen_at,
      own: serviceTokens.own,
      total: sql<number>`(count(*) over ())::int`,
    })
    .from(serviceTokens)
    .where(eq(serviceTokens.user_id, id))
    .orderBy(serviceTokens.expires_at)
    .limit(firstRows);

/** The names of the sites of the roles, as far as the caller may read them. */
const siteNames = (h: Db, id: string, readable: Scope | undefined) =>
  h
    .select({ id: sites.id, name: sites.name })
    .from(sites)
    .where(
      and(
        readable === undefined ? sql`false` : within(sites.id, readable),
        sql`exists(select 1 from ${userRoles} join ${roles} on ${roles.id} = ${userRoles.role_id}
          where ${userRoles.user_id} = ${id} and ${roles.scope} -> 'sites' @> to_jsonb(${sites.id}::text))`,
      ),
    )
    .limit(mostRows);
