import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import type { Db } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginChallenges } from '../../../schema/identity/login-challenges.ts';
import { spentPasskeyChallenges } from '../../../schema/identity/passkeys/challenges.ts';
import { users } from '../../../schema/identity/users.ts';
import { themes } from '../../../schema/settings/themes.ts';
import { maxWrongCodes } from '../second-factors.ts';

/** Records that a challenge was presented. @returns false if it was presented before */
export async function spendPasskeyChallenge(db: Db, hash: string, expiresAt: Date): Promise<boolean> {
  const rows = await db
    .insert(spentPasskeyChallenges)
    .values({ challenge_hash: hash, expires_at: expiresAt })
    .onConflictDoNothing()
    .returning({ hash: spentPasskeyChallenges.challenge_hash });
  return rows.length > 0;
}

/** The name of the installation; null without branding. */
const siteName = sql<string | null>`${sql`(select ${themes.branding} ->> 'site_name' from ${themes})`}`;

export async function findSiteName(db: Db): Promise<string | null> {
  const [row] = await db.select({ siteName }).from(sql`(values (1)) as once`);
  return row?.siteName ?? null;
}

/** Returns the user of a login that waits for a second factor, by the challenge of `login/2fa` and the network. */
export async function findPendingLogin(db: Db, id: string, network: string, now: Date) {
  const [row] = await db
    .select({
      user: { id: users.id, name: users.name, real_name: users.real_name },
      domain: { type: authenticators.type, small_name: authenticators.small_name },
      isEnrolment: sql<boolean>`${sql`(${loginChallenges.sealed_secret} is not null)`}`,
      siteName,
    })
    .from(loginChallenges)
    .innerJoin(users, eq(users.id, loginChallenges.user_id))
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(
      and(
        eq(loginChallenges.id, id),
        eq(loginChallenges.network, network),
        isNull(loginChallenges.session_id),
        lt(loginChallenges.wrong_codes, maxWrongCodes),
        gt(loginChallenges.expires_at, now),
      ),
    );
  return row;
}
