import { and, eq, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../../client.ts';
import { prebuilt } from '../../../prebuilt.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import { roles, userRoles } from '../../../schema/identity/roles.ts';
import { users } from '../../../schema/identity/users.ts';
import { systemParameters } from '../../../schema/settings/system-parameters.ts';
import { must } from '../../records/statements.ts';

export type Role = { id: string; name: string; permissions: string[]; scope: { sites: '*' | string[] } };

/** The roles and permissions of a user as one JSON array. */
export const rolesOf = (user: typeof users.id): SQL<Role[]> =>
  roleList(
    sql`${userRoles} join ${roles} on ${roles.id} = ${userRoles.role_id} where ${userRoles.user_id} = ${user}`,
  );

/** Roles and permissions as one JSON array; `from` is the text of the FROM clause. */
export const roleList = (from: SQL): SQL<Role[]> =>
  sql<Role[]>`${sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', ${roles.id}, 'name', ${roles.name},
           'permissions', to_jsonb(${roles.permissions}), 'scope', ${roles.scope}) order by ${roles.name_key}), '[]')
  from ${from})`}`;

/** System parameters that differ from their defaults, by name; null if there are none. */
export const parameterOverrides: SQL<Record<string, unknown> | null> = sql`${sql`(
  select jsonb_object_agg(${systemParameters.name}, ${systemParameters.value}) from ${systemParameters})`}`;

/** Columns of the user that a token authenticates, shared by all token lookups. */
export const principalColumns = {
  user: {
    id: users.id,
    name: users.name,
    realName: users.real_name,
    language: users.language,
    mustChangePassword: users.must_change_password,
  },
  domain: {
    id: authenticators.id,
    name: authenticators.name,
    label: authenticators.small_name,
    twoFactor: authenticators.two_factor,
  },
  roles: rolesOf(users.id),
  parameters: parameterOverrides,
};

/** The condition that the user and the domain are enabled. */
export const mayAct = and(eq(users.state, 'active'), ne(authenticators.state, 'disabled'));

/**
 * Returns session, user, domain, roles and parameters by the hash of a token, in one statement without a cache, so
 * that changes take effect with the next request. Disabled users and domains give no row.
 */
export async function findSession(db: Db, tokenHash: string) {
  const [row] = await sessionByHash(db, { tokenHash });
  return row;
}

const sessionByHash = prebuilt((db, { tokenHash }: { tokenHash: string }) =>
  db
    .select({ session: loginSessions, ...principalColumns })
    .from(loginSessions)
    .innerJoin(users, eq(users.id, loginSessions.user_id))
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(and(eq(loginSessions.token_hash, tokenHash), mayAct)),
);

type AccessEnd = { access_ended_at: Date | null };

/**
 * Starts a session. Fails the batch with `invalid_credentials` unless user and domain are enabled and their access
 * has not ended since they were read. Both rows are locked against concurrent disabling.
 */
export const startSession = (
  h: Db,
  session: typeof loginSessions.$inferInsert,
  read: { user: AccessEnd; domain: AccessEnd },
): Statement[] => [
  must(
    h,
    sql`(select ${users.id} from ${users} join ${authenticators} on ${authenticators.id} = ${users.authenticator_id}
      where ${and(
        eq(users.id, session.user_id),
        mayAct,
        isSame(users.access_ended_at, read.user),
        isSame(authenticators.access_ended_at, read.domain),
      )} for share) is not null`,
    'invalid_credentials',
  ),
  h.insert(loginSessions).values(session),
];

const isSame = (column: PgColumn, { access_ended_at: endedAt }: AccessEnd): SQL =>
  sql`${column} is not distinct from ${endedAt?.toISOString() ?? null}::timestamptz`;

/** Session lifetimes in seconds. */
export type SessionLimits = { idleS: number; adminAbsoluteS: number; userAbsoluteS: number };

/** Deletes the sessions that have ended by these limits. A later increase of a limit must not revive them. */
export const removeEnded = (
  h: Db,
  { idleS, adminAbsoluteS, userAbsoluteS }: SessionLimits,
  now: Date,
): Statement =>
  h
    .delete(loginSessions)
    .where(
      or(
        isOver(loginSessions.last_seen_at, idleS, now),
        and(eq(loginSessions.portal, 'admin'), isOver(loginSessions.created_at, adminAbsoluteS, now)),
        and(eq(loginSessions.portal, 'user'), isOver(loginSessions.created_at, userAbsoluteS, now)),
      ),
    );

/** The condition that `seconds` have passed since the timestamp. */
export const isOver = (since: PgColumn, seconds: number, now: Date): SQL =>
  sql`${since} + make_interval(secs => ${seconds}) <= ${now.toISOString()}::timestamptz`;

/** Texts are then in the language of the user. */
export const forgetLocale = (h: Db, id: string): Statement =>
  h.update(loginSessions).set({ locale: null }).where(eq(loginSessions.id, id));

/** Ends all sessions of a user except the newest `keep`. */
export const endOldest = (h: Db, userId: string, keep: number): Statement =>
  h.delete(loginSessions).where(
    sql`${loginSessions.id} in (select id from ${loginSessions} where ${loginSessions.user_id} = ${userId}
        order by created_at desc, id desc offset ${keep})`,
  );

export const endSession = (h: Db, id: string): Statement =>
  h.delete(loginSessions).where(eq(loginSessions.id, id));

/** Ends all sessions of a user, optionally except one. */
/** Ends the session of a token, by the hash of it. */
export const endSessionOfToken = (h: Db, tokenHash: string): Statement =>
  h.delete(loginSessions).where(eq(loginSessions.token_hash, tokenHash));

export const endSessionsOf = (h: Db, userId: string, except?: string): Statement =>
  h
    .delete(loginSessions)
    .where(and(eq(loginSessions.user_id, userId), except ? ne(loginSessions.id, except) : undefined));

/** Stores the last use of the session and its idle end, at most once a minute. */
export async function touchSession(db: Db, id: string, now: Date, idleUntil: Date): Promise<void> {
  const before = new Date(now.getTime() - 60_000);
  await db
    .update(loginSessions)
    .set({ last_seen_at: now, idle_until: idleUntil })
    .where(and(eq(loginSessions.id, id), lt(loginSessions.last_seen_at, before)));
}
