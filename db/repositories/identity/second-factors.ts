import { and, desc, eq, gt, inArray, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../client.ts';
import { groups } from '../../schema/identity/groups.ts';
import { loginChallenges } from '../../schema/identity/login-challenges.ts';
import { recoveryCodes, secondFactors } from '../../schema/identity/second-factors.ts';
import { users } from '../../schema/identity/users.ts';
import { themes } from '../../schema/settings/themes.ts';
import { must } from '../records/statements.ts';

/** The context of a challenge. It can be answered only in the same context. */
export type ChallengeKey = {
  id: string;
  userId: string;
  network: string;
  /** The session that began an enrolment; null for a login. */
  sessionId: string | null;
};

export type NewFactor = typeof secondFactors.$inferInsert;
export type FactorState = Awaited<ReturnType<typeof findSecondFactor>>;

/** Number of wrong codes that invalidates a challenge. */
const maxWrongCodes = 5;
/** Maximum number of challenges per user; the oldest are deleted. */
const maxChallenges = 10;

/**
 * Returns all data for the verification of a second factor in one statement: the device of the user, the live
 * challenge, and whether the hash belongs to one of the user's recovery codes. The result is empty for a user without
 * a row.
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
 * Fails the batch if the user must enter a code, by the committed state at execution. An enrolled factor is always
 * required; a group can only waive the obligation to enrol.
 */
export const mustOweNoCode = (h: Db, userId: string, isImposed: boolean): Statement =>
  must(
    h,
    sql`not exists(select 1 from ${secondFactors} where ${secondFactors.user_id} = ${userId}) and ${isImposed ? skips(userId) : sql`true`}`,
    'two_factor_required',
  );

/**
 * Stores a challenge in place of the session's previous one, and deletes expired and surplus challenges of the user.
 */
export function addChallenge(
  h: Db,
  { id, userId, network, sessionId }: ChallengeKey,
  factor: { sealed_secret: string | null; expires_at: Date },
  now: Date,
): Statement[] {
  const ofUser = eq(loginChallenges.user_id, userId);
  const oldest = h
    .select({ id: loginChallenges.id })
    .from(loginChallenges)
    .where(ofUser)
    .orderBy(desc(loginChallenges.expires_at), desc(loginChallenges.id))
    .offset(maxChallenges - 1);
  // `skip locked` avoids waits between concurrent clean-ups.
  const obsolete = h
    .select({ id: loginChallenges.id })
    .from(loginChallenges)
    .where(and(ofUser, or(lte(loginChallenges.expires_at, now), inArray(loginChallenges.id, oldest))))
    .for('update', { skipLocked: true });
  return [
    h.delete(loginChallenges).where(inArray(loginChallenges.id, obsolete)),
    h
      .insert(loginChallenges)
      .values({ id, user_id: userId, network, session_id: sessionId, ...factor })
      .onConflictDoUpdate({ target: loginChallenges.id, set: { ...factor, network, wrong_codes: 0 } }),
  ];
}

export async function countWrongCode(db: Db, challengeId: string): Promise<void> {
  await db
    .update(loginChallenges)
    .set({ wrong_codes: sql`${loginChallenges.wrong_codes} + 1` })
    .where(eq(loginChallenges.id, challengeId));
}

/** Deletes a live challenge; fails the batch if no live challenge exists. */
export const spendChallenge = (h: Db, challenge: ChallengeKey, now: Date): Statement =>
  mustAffectRow(
    h,
    h.delete(loginChallenges).where(isAlive(challenge, now)).returning({ id: loginChallenges.id }).getSQL(),
  );

/**
 * Stores the time step of an accepted code. Fails the batch if this step or a later one was accepted before, or the
 * device was replaced.
 */
export const acceptStep = (
  h: Db,
  { user_id, enrolled_at }: Pick<NewFactor, 'user_id' | 'enrolled_at'>,
  step: number,
): Statement =>
  mustAffectRow(
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

/** Deletes a recovery code; fails the batch if the user does not have it. */
export const spendRecoveryCode = (h: Db, userId: string, codeHash: string): Statement =>
  mustAffectRow(
    h,
    h
      .delete(recoveryCodes)
      .where(and(eq(recoveryCodes.user_id, userId), eq(recoveryCodes.code_hash, codeHash)))
      .returning({ id: recoveryCodes.user_id })
      .getSQL(),
  );

/** Stores a second factor with its recovery codes; fails the batch if the user has a device already. */
export const addSecondFactor = (h: Db, factor: NewFactor, codeHashes: readonly string[]): Statement[] => [
  mustAffectRow(
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

/** Deletes the device, its recovery codes and pending challenges. */
export const removeSecondFactor = (h: Db, userId: string): Statement[] => [
  h.delete(secondFactors).where(eq(secondFactors.user_id, userId)),
  h.delete(loginChallenges).where(eq(loginChallenges.user_id, userId)),
];

/** The condition that the user has an enrolled device. */
export const isEnrolled = (user: PgColumn): SQL =>
  sql`exists(select 1 from ${secondFactors} where ${secondFactors.user_id} = ${user})`;

/** The condition that a group of the user waives the obligation to enrol a device. */
export const skips = (userId: string): SQL =>
  sql`exists(select 1 from ${groups} where ${groups.skip_two_factor} and ${groups.id} in (select group_id from effective_groups(${userId}::uuid)))`;

const isAlive = ({ id, userId, network, sessionId }: ChallengeKey, now: Date): SQL | undefined =>
  and(
    eq(loginChallenges.id, id),
    eq(loginChallenges.user_id, userId),
    eq(loginChallenges.network, network),
    sql`${loginChallenges.session_id} is not distinct from ${sessionId}::uuid`,
    lt(loginChallenges.wrong_codes, maxWrongCodes),
    gt(loginChallenges.expires_at, now),
  );

/** Runs a change and fails the batch if it changed no row. Of two concurrent batches one succeeds. */
const mustAffectRow = (h: Db, change: SQL): Statement =>
  h.execute(
    sql`with hit as (${change}) select must(exists(select 1 from hit), 'invalid_credentials') as raised`,
  );
