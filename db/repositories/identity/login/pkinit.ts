import { and, eq, gt, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { pkinitChallenges } from '../../../schema/identity/pkinit-challenges.ts';
import { users } from '../../../schema/identity/users.ts';
import { must } from '../../records/statements.ts';

export type Challenge = typeof pkinitChallenges.$inferSelect;
/** `begun_at` is omitted for a login that begins now. */
type NewChallenge = typeof pkinitChallenges.$inferInsert;

/** Number of expired challenges removed per insert: enough to keep the table small, without a noticeable delay. */
const sweptAtOnce = 100;

/** Stores a challenge, and removes some expired ones. */
export const addChallenge = (h: Db, challenge: NewChallenge, now: Date): Statement[] => [
  h
    .delete(pkinitChallenges)
    .where(
      inArray(
        pkinitChallenges.token_hash,
        h
          .select({ token_hash: pkinitChallenges.token_hash })
          .from(pkinitChallenges)
          .where(lte(pkinitChallenges.expires_at, now))
          .limit(sweptAtOnce)
          .for('update', { skipLocked: true }),
      ),
    ),
  h.insert(pkinitChallenges).values(challenge),
];

/** Deletes and returns a challenge, so that only one request can use it. Expired challenges are not returned. */
export async function takeChallenge(
  db: Db,
  { token_hash, authenticator_id }: Pick<Challenge, 'token_hash' | 'authenticator_id'>,
  now: Date,
): Promise<Challenge | undefined> {
  const [taken] = await db
    .delete(pkinitChallenges)
    .where(
      and(
        eq(pkinitChallenges.token_hash, token_hash),
        eq(pkinitChallenges.authenticator_id, authenticator_id),
        gt(pkinitChallenges.expires_at, now),
      ),
    )
    .returning();
  return taken;
}

/** Returns the parameters of a domain that allows logins. */
export async function findLiveDomain(db: Db, id: string) {
  const [row] = await db
    .select({ id: authenticators.id, type: authenticators.type, params: authenticators.params })
    .from(authenticators)
    .where(and(eq(authenticators.id, id), sql`${authenticators.state} <> 'disabled'`));
  return row;
}

/** A login with the card that was used at the last login confirmed by the directory. */
type UncheckedLogin = { userId: string; fingerprint: string; since: Date };

/**
 * Records a login without the directory, which is unavailable. Fails the batch unless the user may log in with that
 * card. The row stays locked until the session is stored.
 */
export function noteUncheckedLogin(
  h: Db,
  { userId, fingerprint, since }: UncheckedLogin,
  now: Date,
): Statement[] {
  const mayLogIn: SQL | undefined = and(
    eq(users.id, userId),
    eq(users.state, 'active'),
    eq(users.kind, 'person'),
    eq(users.card_fingerprint, fingerprint),
    gt(users.directory_checked_at, since),
  );
  return [
    h.update(users).set({ last_login_at: now }).where(mayLogIn),
    must(h, sql`exists(select 1 from ${users} where ${mayLogIn})`, 'invalid_credentials'),
  ];
}
