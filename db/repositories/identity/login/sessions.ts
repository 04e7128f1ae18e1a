import { and, eq, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import { roles, userRoles } from '../../../schema/identity/roles.ts';
import { users } from '../../../schema/identity/users.ts';
import { systemParameters } from '../../../schema/settings/system-parameters.ts';
import { must } from '../../records/statements.ts';

export type Role = { id: string; name: string; permissions: string[]; scope: { sites: '*' | string[] } };

/** The roles of a user with their rights, as one JSON array. */
export const rolesOf = (user: typeof users.id): SQL<Role[]> =>
  roleList(
    sql`${userRoles} join ${roles} on ${roles.id} = ${userRoles.role_id} where ${userRoles.user_id} = ${user}`,
  );

/** Roles with their rights as one JSON array; `from` is what stands behind that word. */
export const roleList = (from: SQL): SQL<Role[]> =>
  sql<Role[]>`${sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', ${roles.id}, 'name', ${roles.name},
           'permissions', to_jsonb(${roles.permissions}), 'scope', ${roles.scope}) order by ${roles.name_key}), '[]')
  from ${from})`}`;

/** The system parameters that differ from their defaults, by name; null when none does. */
export const parameterOverrides: SQL<Record<string, unknown> | null> = sql`${sql`(
  select jsonb_object_agg(${systemParameters.name}, ${systemParameters.value}) from ${systemParameters})`}`;

/** Whom a token speaks for, as every look-up of a token selects him. */
export const speaker = {
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

/** The condition that a user may be let in at all. */
export const mayAct = and(eq(users.state, 'active'), ne(authenticators.state, 'disabled'));

/**
 * Session, user, domain, rights and parameters by the hash of a token, in one statement that nothing caches:
 * whatever changes counts at the next request. Users and domains that may not log in give no row.
 */
export async function findSession(db: Db, tokenHash: string) {
  const lookUp = lookUps.get(db) ?? sessionLookUp(db);
  lookUps.set(db, lookUp);
  const [row] = await lookUp.execute({ tokenHash });
  return row;
}

/** Every request asks this; its text is put together once a handle. */
const lookUps = new WeakMap<Db, ReturnType<typeof sessionLookUp>>();

// Without a name it is no prepared statement of the server, which a connection pooler in front of it may not keep.
const sessionLookUp = (db: Db) =>
  db
    .select({ session: loginSessions, ...speaker })
    .from(loginSessions)
    .innerJoin(users, eq(users.id, loginSessions.user_id))
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(and(eq(loginSessions.token_hash, sql.placeholder('tokenHash')), mayAct))
    .prepare('');

type Ended = { access_ended_at: Date | null };

/**
 * Starts the session, and ends its batch with `invalid_credentials` unless user and domain may act and were not disabled since
 * they were read. Both are locked, so that disabling comes before or after.
 */
export const startSession = (
  h: Db,
  session: typeof loginSessions.$inferInsert,
  read: { user: Ended; domain: Ended },
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

const isSame = (column: PgColumn, { access_ended_at: endedAt }: Ended): SQL =>
  sql`${column} is not distinct from ${endedAt?.toISOString() ?? null}::timestamptz`;

/** Seconds after which sessions end. */
export type SessionLimits = { idleS: number; adminAbsoluteS: number; userAbsoluteS: number };

/** Removes the sessions that have ended by these limits: raising a limit must not bring one back. */
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

/** True when so many seconds have passed since the moment. */
export const isOver = (since: PgColumn, seconds: number, now: Date): SQL =>
  sql`${since} + make_interval(secs => ${seconds}) <= ${now.toISOString()}::timestamptz`;

/** Ends all but the newest `keep` sessions of a user. */
export const endOldest = (h: Db, userId: string, keep: number): Statement =>
  h.delete(loginSessions).where(
    sql`${loginSessions.id} in (select id from ${loginSessions} where ${loginSessions.user_id} = ${userId}
        order by created_at desc, id desc offset ${keep})`,
  );

export const endSession = (h: Db, id: string): Statement =>
  h.delete(loginSessions).where(eq(loginSessions.id, id));

/** Ends the sessions of a user, all or all but one. */
export const endSessionsOf = (h: Db, userId: string, except?: string): Statement =>
  h
    .delete(loginSessions)
    .where(and(eq(loginSessions.user_id, userId), except ? ne(loginSessions.id, except) : undefined));

/** Writes that the session was used, and when it ends if it is not used again; at most once a minute. */
export async function touchSession(db: Db, id: string, now: Date, idleUntil: Date): Promise<void> {
  const before = new Date(now.getTime() - 60_000);
  await db
    .update(loginSessions)
    .set({ last_seen_at: now, idle_until: idleUntil })
    .where(and(eq(loginSessions.id, id), lt(loginSessions.last_seen_at, before)));
}
