import { and, eq, gt, inArray, lte, type SQL, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import {
  providerLogins,
  providerSessions,
  usedProviderValues as used,
} from '../../../schema/identity/providers/sessions.ts';
import { users } from '../../../schema/identity/users.ts';
import { must } from '../../records/statements.ts';

/** Returns a domain that allows logins. */
export async function findProviderDomain(db: Db, id: string) {
  const [row] = await db
    .select()
    .from(authenticators)
    .where(and(eq(authenticators.id, id), sql`${authenticators.state} <> 'disabled'`));
  return row;
}

/** Number of expired rows removed per insert: enough to keep a table small, without a noticeable delay. */
const sweptAtOnce = 100;

/** A value that counts once, and until when it is refused again. */
export type SingleUse = { digest: string; keptUntil: Date };

/** Uses a value. @returns false if it was used before */
export async function useOnce(db: Db, value: SingleUse, now: Date): Promise<boolean> {
  const [, inserted] = (await atomically(db, (h) => [
    sweepUsed(h, now),
    insertUsed(h, value).onConflictDoNothing().returning({ digest: used.digest }),
  ])) as [unknown, object[]];
  return inserted.length > 0;
}

const insertUsed = (h: Db, { digest, keptUntil }: SingleUse) =>
  h.insert(used).values({ digest, kept_until: keptUntil });

const sweepUsed = (h: Db, now: Date): Statement => {
  const expired = h
    .select({ digest: used.digest })
    .from(used)
    .where(lte(used.kept_until, now))
    .limit(sweptAtOnce)
    .for('update', { skipLocked: true });
  return h.delete(used).where(inArray(used.digest, expired));
};

type PendingLogin = typeof providerLogins.$inferSelect;

/** Stores a login that waits for a second factor, and removes some expired ones. `begun_at` is now. */
export function addPendingLogin(h: Db, login: typeof providerLogins.$inferInsert, now: Date): Statement[] {
  const expired = h
    .select({ token_hash: providerLogins.token_hash })
    .from(providerLogins)
    .where(lte(providerLogins.expires_at, now))
    .limit(sweptAtOnce)
    .for('update', { skipLocked: true });
  return [
    h.delete(providerLogins).where(inArray(providerLogins.token_hash, expired)),
    h.insert(providerLogins).values(login),
  ];
}

const isPending = (tokenHash: string, now: Date): SQL | undefined =>
  and(eq(providerLogins.token_hash, tokenHash), gt(providerLogins.expires_at, now));

/** Returns a login that waits for a second factor. Expired ones are not returned. */
export async function findPendingLogin(
  db: Db,
  tokenHash: string,
  now: Date,
): Promise<PendingLogin | undefined> {
  const [row] = await db.select().from(providerLogins).where(isPending(tokenHash, now));
  return row;
}

/** Deletes a pending login. Fails the batch with `login_expired` if another request has finished it. */
export const spendPendingLogin = (h: Db, tokenHash: string, now: Date): Statement[] => [
  must(
    h,
    sql`(select ${providerLogins.token_hash} from ${providerLogins} where ${isPending(tokenHash, now)} for update) is not null`,
    'login_expired',
  ),
  h.delete(providerLogins).where(eq(providerLogins.token_hash, tokenHash)),
];

export const addProviderSession = (h: Db, row: typeof providerSessions.$inferInsert): Statement =>
  h.insert(providerSessions).values(row);

/** Returns the facts of a session that began at a provider, with its domain. */
export async function findProviderSession(db: Db, sessionId: string) {
  const [row] = await db
    .select({ session: providerSessions, domain: authenticators })
    .from(providerSessions)
    .innerJoin(authenticators, eq(authenticators.id, providerSessions.authenticator_id))
    .where(eq(providerSessions.session_id, sessionId));
  return row;
}

/** When the person of a session has authenticated at the provider. */
export async function findAuthentication(db: Db, sessionId: string): Promise<Date | undefined> {
  const [row] = await db
    .select({ at: providerSessions.authenticated_at })
    .from(providerSessions)
    .where(eq(providerSessions.session_id, sessionId));
  return row?.at ?? undefined;
}

/** A sign-in proves the presence once. */
export const spendAuthentication = (h: Db, sessionId: string): Statement =>
  h
    .update(providerSessions)
    .set({ authenticated_at: null })
    .where(eq(providerSessions.session_id, sessionId));

/** The sessions that a logout token names: all of a person, or those of one session at the provider. */
export type NamedSessions = {
  domainId: string;
  issuer: string;
  sub: string | undefined;
  sid: string | undefined;
};

const areNamed = ({ domainId, issuer, sub, sid }: NamedSessions): SQL | undefined => {
  if (sub === undefined && sid === undefined) return sql`false`;
  return and(
    eq(providerSessions.authenticator_id, domainId),
    eq(providerSessions.issuer, issuer),
    sub === undefined ? undefined : eq(providerSessions.sub, sub),
    sid === undefined ? undefined : eq(providerSessions.sid, sid),
  );
};

/** Returns the users of the sessions, with the number of their sessions. */
export const findNamedUsers = (db: Db, named: NamedSessions) =>
  db
    .select({
      id: users.id,
      name: users.name,
      sessions: sql<number>`count(*)::int`,
    })
    .from(providerSessions)
    .innerJoin(loginSessions, eq(loginSessions.id, providerSessions.session_id))
    .innerJoin(users, eq(users.id, loginSessions.user_id))
    .where(areNamed(named))
    .groupBy(users.id, users.name);

/** Ends the sessions. Fails with a unique violation if the logout token was used before. */
export const endNamedSessions = (h: Db, named: NamedSessions, token: SingleUse, now: Date): Statement[] => [
  sweepUsed(h, now),
  insertUsed(h, token),
  h
    .delete(loginSessions)
    .where(
      inArray(
        loginSessions.id,
        h.select({ id: providerSessions.session_id }).from(providerSessions).where(areNamed(named)),
      ),
    ),
];
