import { and, eq, gt, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { pkinitChallenges } from '../../../schema/identity/pkinit-challenges.ts';
import { users } from '../../../schema/identity/users.ts';
import { must } from '../../records/statements.ts';

export type Challenge = typeof pkinitChallenges.$inferSelect;
/** `begun_at` is absent for a login that begins now. */
type NewChallenge = typeof pkinitChallenges.$inferInsert;

/** More than come to be in the meantime, few enough for nobody to wait. */
const sweptAtOnce = 100;

/** Keeps a challenge, and removes some that nobody finished in time. */
export const keepChallenge = (h: Db, challenge: NewChallenge, now: Date): Statement[] => [
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

/** Takes a challenge away, so that of all who name it one gets it; one that has expired nobody gets. */
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

/** A domain that lets people log in, with its parameters. */
export async function findLiveDomain(db: Db, id: string) {
  const [row] = await db
    .select({ id: authenticators.id, type: authenticators.type, params: authenticators.params })
    .from(authenticators)
    .where(and(eq(authenticators.id, id), sql`${authenticators.state} <> 'disabled'`));
  return row;
}

/** A login by the card that was used at the last login for which the directory answered. */
type UncheckedLogin = { userId: string; fingerprint: string; since: Date };

/**
 * Notes a login for which the directory could not be asked, and ends its batch unless the user may log in with that card; the
 * row is locked until the session stands.
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
