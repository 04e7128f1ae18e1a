import { and, eq, gt, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { loginSessions } from '../../schema/identity/login-sessions.ts';
import { serviceTokens as table } from '../../schema/identity/service-tokens.ts';
import { users } from '../../schema/identity/users.ts';
import { must } from '../records/statements.ts';
import { mayAct, principalColumns } from './login/sessions.ts';

/** A user within a domain, as in the path of the user's resources. */
export type OwnerPath = { domainId: string; userId: string };

export type NewToken = typeof table.$inferInsert;

/**
 * Returns token, user, domain, roles and parameters by the hash of a service token, in one statement without a cache.
 * Expired tokens and disabled users and domains give no row, nor do tokens of services for a person.
 */
export async function findServiceToken(db: Db, tokenHash: string, now: Date) {
  const [row] = await db
    .select({ token: table, subjects: authenticators.subjects, ...principalColumns })
    .from(table)
    .innerJoin(users, eq(users.id, table.user_id))
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(and(eq(table.token_hash, tokenHash), isUsableToken(now)));
  return row;
}

/** The condition that a token, joined with its user and domain, has not expired and is that of an enabled account. */
export const isUsableToken = (now: Date): SQL | undefined =>
  and(gt(table.expires_at, now), sql`${table.own} = (${users.kind} = 'person')`, mayAct);

/** Stores the last use of the token, at most once a minute. */
export async function touchServiceToken(db: Db, id: string, now: Date): Promise<void> {
  const before = new Date(now.getTime() - 60_000);
  await db
    .update(table)
    .set({ last_seen_at: now })
    .where(and(eq(table.id, id), or(isNull(table.last_seen_at), lt(table.last_seen_at, before))));
}

const shown = {
  id: table.id,
  name: table.name,
  permissions: table.permissions,
  created_at: table.created_at,
  expires_at: table.expires_at,
  last_seen_at: table.last_seen_at,
  own: table.own,
};

/** The list of tokens of a user of this domain, including expired tokens that were not revoked. */
export const tokensIn = (domainId: string) => ({
  spec: {
    table,
    select: shown,
    parent: { column: table.user_id, table: users, where: eq(users.authenticator_id, domainId) },
    search: [table.name_key],
    filters: {},
    sorts: { name: table.name_key, created_at: table.created_at, expires_at: table.expires_at },
  },
});

/** Returns one token of the user, with the user's name. */
export async function findToken(db: Db, { domainId, userId }: OwnerPath, id: string) {
  const [row] = await db
    .select({ ...shown, user: users.name })
    .from(table)
    .innerJoin(users, eq(users.id, table.user_id))
    .where(and(eq(table.id, id), eq(users.id, userId), eq(users.authenticator_id, domainId)));
  return row;
}

/** @returns the id of the user's token with that name */
export async function findTokenId(db: Db, userId: string, nameKey: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.user_id, userId), eq(table.name_key, nameKey)));
  return row?.id;
}

/** Fails the batch unless the user is a service, and locks the row until the batch ends. */
export const mustBeService = (h: Db, userId: string): Statement =>
  must(
    h,
    sql`(select ${users.kind} from ${users} where ${users.id} = ${userId} for update) = 'service'`,
    'invalid_state:no_service',
  );

/** Number of tokens that a user can create for the own account. */
const mostOwn = 50;

/**
 * Fails the batch with `invalid_token` if the session has ended, and with `invalid_state` if the user has too many own
 * tokens. The lock of the session orders the batch before a revocation of access, which deletes sessions first and then
 * tokens.
 */
export const mustMayOwnToken = (h: Db, userId: string, sessionId: string): Statement[] => [
  must(
    h,
    sql`(select ${loginSessions.id} from ${loginSessions}
      where ${loginSessions.id} = ${sessionId} and ${loginSessions.user_id} = ${userId} for share) is not null`,
    'invalid_token',
  ),
  h.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update'),
  must(
    h,
    sql`(select count(*) from ${table} where ${table.user_id} = ${userId} and ${table.own}) < ${mostOwn}`,
    'invalid_state:too_many_tokens',
  ),
];

export const addToken = (h: Db, token: NewToken): Statement => h.insert(table).values(token);

/** Fails the batch with `not_found` if the token was revoked already, or belongs to another user. */
export const revokeToken = (h: Db, userId: string, id: string): Statement[] => [
  must(
    h,
    sql`(select ${table.id} from ${table}
      where ${table.id} = ${id} and ${table.user_id} = ${userId} for update) is not null`,
    'not_found',
  ),
  h.delete(table).where(eq(table.id, id)),
];

export const revokeTokensOf = (h: Db, userId: string): Statement =>
  h.delete(table).where(eq(table.user_id, userId));
