import { and, desc, eq, gt, inArray, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../client.ts';
import { groups } from '../../schema/identity/groups.ts';
import { loginChallenges } from '../../schema/identity/login-challenges.ts';
import { recoveryCodes, secondFactors } from '../../schema/identity/second-factors.ts';
import { users } from '../../schema/identity/users.ts';
import { themes } from '../../schema/settings/themes.ts';
import { must } from '../records/statements.ts';

/** Where a challenge was given, and so the only place where it can be met. */
export type ChallengeKey = {
  id: string;
  userId: string;
  network: string;
  /** The session that began an enrolment; null at a login. */
  sessionId: string | null;
};

export type NewFactor = typeof secondFactors.$inferInsert;
export type FoundFactor = Awaited<ReturnType<typeof findSecondFactor>>;

/** So many wrong codes kill a challenge. */
const mostWrongCodes = 5;
/** Of one user; the oldest go. */
const mostChallenges = 10;

/**
 * All that judging a user's second factor needs, in one statement: his device, the challenge if it is alive, and whether
 * the hash is that of a recovery code of his. Of a user who is not stored yet there is nothing.
 */
export async function findSecondFactor(
  db: Db,
  userId: string,
  { challenge, codeHash }: { challenge?: ChallengeKey | undefined; codeHash?: string | undefined },
  now: Date,
) {
  const code = and(eq(recoveryCodes.user_id, userId), eq(recoveryCodes.code_hash, codeHash ?? ''));
  const [row] = await db
    .select({
      factor: secondFactors,
      challenge: { id: loginChallenges.id, sealed_secret: loginChallenges.sealed_secret },
      skips: sql<boolean>`${skips(userId)}`,
      isRecoveryCode: sql<boolean>`${sql`exists(select 1 from ${recoveryCodes} where ${code})`}`,
      siteName: sql<string | null>`${sql`(select ${themes.branding} ->> 'site_name' from ${themes})`}`,
    })
    .from(users)
    .leftJoin(secondFactors, eq(secondFactors.user_id, users.id))
    .leftJoin(loginChallenges, challenge ? isAlive(challenge, now) : sql`false`)
    .where(eq(users.id, userId));
  return row ?? { factor: null, challenge: null, skips: false, isRecoveryCode: false, siteName: null };
}

/**
 * Ends the batch if the user owes a code, as the rows are when the statement runs: an enrolled factor is always asked for, and
 * a group can only waive the duty to enrol that the domain imposes.
 */
export const mustOweNoCode = (h: Db, userId: string, isImposed: boolean): Statement =>
  must(
    h,
    sql`not exists(select 1 from ${secondFactors} where ${secondFactors.user_id} = ${userId}) and ${isImposed ? skips(userId) : sql`true`}`,
    'two_factor_required',
  );

/** Gives a challenge, in the place of the session's former one, and takes away those that the user has no more use for. */
export function addChallenge(
  h: Db,
  { id, userId, network, sessionId }: ChallengeKey,
  given: { sealed_secret: string | null; expires_at: Date },
  now: Date,
): Statement[] {
  const ofUser = eq(loginChallenges.user_id, userId);
  const oldest = h
    .select({ id: loginChallenges.id })
    .from(loginChallenges)
    .where(ofUser)
    .orderBy(desc(loginChallenges.expires_at), desc(loginChallenges.id))
    .offset(mostChallenges - 1);
  // Two who tidy up at once pass by each other's rows.
  const useless = h
    .select({ id: loginChallenges.id })
    .from(loginChallenges)
    .where(and(ofUser, or(lte(loginChallenges.expires_at, now), inArray(loginChallenges.id, oldest))))
    .for('update', { skipLocked: true });
  return [
    h.delete(loginChallenges).where(inArray(loginChallenges.id, useless)),
    h
      .insert(loginChallenges)
      .values({ id, user_id: userId, network, session_id: sessionId, ...given })
      .onConflictDoUpdate({ target: loginChallenges.id, set: { ...given, network, wrong_codes: 0 } }),
  ];
}

export async function countWrongCode(db: Db, challengeId: string): Promise<void> {
  await db
    .update(loginChallenges)
    .set({ wrong_codes: sql`${loginChallenges.wrong_codes} + 1` })
    .where(eq(loginChallenges.id, challengeId));
}

/** Ends the batch unless the challenge is alive until now; afterwards it is gone. */
export const spendChallenge = (h: Db, challenge: ChallengeKey, now: Date): Statement =>
  mustHit(
    h,
    h.delete(loginChallenges).where(isAlive(challenge, now)).returning({ id: loginChallenges.id }).getSQL(),
  );

/** Ends the batch when a code of this time step or a later one was accepted, or the device is another one by now. */
export const takeStep = (
  h: Db,
  { user_id, enrolled_at }: Pick<NewFactor, 'user_id' | 'enrolled_at'>,
  step: number,
): Statement =>
  mustHit(
    h,
    h
      .update(secondFactors)
      .set({ last_step: step })
      .where(
        and(
          eq(secondFactors.user_id, user_id),
          eq(secondFactors.enrolled_at, enrolled_at),
          lt(secondFactors.last_step, step),
        ),
      )
      .returning({ id: secondFactors.user_id })
      .getSQL(),
  );

/** Ends the batch unless the user has this recovery code; afterwards he has it no more. */
export const spendRecoveryCode = (h: Db, userId: string, codeHash: string): Statement =>
  mustHit(
    h,
    h
      .delete(recoveryCodes)
      .where(and(eq(recoveryCodes.user_id, userId), eq(recoveryCodes.code_hash, codeHash)))
      .returning({ id: recoveryCodes.user_id })
      .getSQL(),
  );

/** Ends the batch when the user has a device already. */
export const addSecondFactor = (h: Db, factor: NewFactor, codeHashes: readonly string[]): Statement[] => [
  mustHit(
    h,
    h
      .insert(secondFactors)
      .values(factor)
      .onConflictDoNothing()
      .returning({ id: secondFactors.user_id })
      .getSQL(),
  ),
  h.insert(recoveryCodes).values(codeHashes.map((code_hash) => ({ user_id: factor.user_id, code_hash }))),
];

/** Takes the device away, the recovery codes with it, and what challenges were under way. */
export const removeSecondFactor = (h: Db, userId: string): Statement[] => [
  h.delete(secondFactors).where(eq(secondFactors.user_id, userId)),
  h.delete(loginChallenges).where(eq(loginChallenges.user_id, userId)),
];

/** The condition that a user has a device. */
export const isEnrolled = (user: PgColumn): SQL =>
  sql`exists(select 1 from ${secondFactors} where ${secondFactors.user_id} = ${user})`;

const skips = (userId: string): SQL =>
  sql`exists(select 1 from ${groups} where ${groups.skip_two_factor} and ${groups.id} in (select group_id from effective_groups(${userId}::uuid)))`;

const isAlive = ({ id, userId, network, sessionId }: ChallengeKey, now: Date): SQL | undefined =>
  and(
    eq(loginChallenges.id, id),
    eq(loginChallenges.user_id, userId),
    eq(loginChallenges.network, network),
    sql`${loginChallenges.session_id} is not distinct from ${sessionId}::uuid`,
    lt(loginChallenges.wrong_codes, mostWrongCodes),
    gt(loginChallenges.expires_at, now),
  );

/** Runs a change and ends the batch when it changed nothing: of two at once, one does. */
const mustHit = (h: Db, change: SQL): Statement =>
  h.execute(
    sql`with hit as (${change}) select must(exists(select 1 from hit), 'invalid_credentials') as raised`,
  );
