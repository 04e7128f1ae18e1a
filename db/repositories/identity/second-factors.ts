import { and, desc, eq, gt, inArray, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../client.ts';
import { groups } from '../../schema/identity/groups.ts';
import { loginChallenges } from '../../schema/identity/login-challenges.ts';
import { passkeyRecoveryCodes } from '../../schema/identity/passkeys/passkeys.ts';
import { recoveryCodes, secondFactors } from '../../schema/identity/second-factors.ts';
import { users } from '../../schema/identity/users.ts';
import { themes } from '../../schema/settings/themes.ts';
import { must } from '../records/statements.ts';
import {
  deletePasskeysOf,
  deleteUnusedCodes,
  hasPasskey,
  hasUsablePasskey,
  mustAffect,
} from './passkeys/state.ts';

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
export const maxWrongCodes = 5;
/** Maximum number of challenges per user; the oldest are deleted. */
const maxChallenges = 10;

/**
 * Returns all data for the verification of a second factor in one statement: the device of the user, the live
 * challenge, whether the hash belongs to one of the user's recovery codes, and whether the user has passkeys. The
 * result is empty for a user without a row.
 */
export async function findSecondFactor(
  db: Db,
  userId: string,
  { challenge, codeHash }: { challenge?: ChallengeKey | undefined; codeHash?: string | undefined },
  now: Date,
) {
  const code = isCode(recoveryCodes, userId, codeHash ?? '');
  const passkeyCode = isCode(passkeyRecoveryCodes, userId, codeHash ?? '');
  const [row] = await db
    .select({
      factor: secondFactors,
      challenge: { id: loginChallenges.id, sealed_secret: loginChallenges.sealed_secret },
      skips: sql<boolean>`${skips(userId)}`,
      isRecoveryCode: sql<boolean>`${sql`exists(select 1 from ${recoveryCodes} where ${code} union all select 1 from ${passkeyRecoveryCodes} where ${passkeyCode})`}`,
      hasPasskey: sql<boolean>`${hasPasskey(users.id)}`,
      hasUsablePasskey: sql<boolean>`${hasUsablePasskey(users.id)}`,
      siteName: sql<string | null>`${sql`(select ${themes.branding} ->> 'site_name' from ${themes})`}`,
    })
    .from(users)
    .leftJoin(secondFactors, eq(secondFactors.user_id, users.id))
    .leftJoin(loginChallenges, challenge ? isAlive(challenge, now) : sql`false`)
    .where(eq(users.id, userId));
  return row ?? noFactor;
}

const noFactor = {
  factor: null,
  challenge: null,
  skips: false,
  isRecoveryCode: false,
  hasPasskey: false,
  hasUsablePasskey: false,
  siteName: null,
};

/**
 * Fails the batch if the user must enter a code, by the committed state at execution. An enrolled factor is always
 * required; a group can only waive the obligation to enrol.
 */
export const mustOweNoCode = (h: Db, userId: string, isImposed: boolean): Statement =>
  must(
    h,
    sql`not ${isEnrolled(sql`${userId}::uuid`)} and ${isImposed ? skips(userId) : sql`true`}`,
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
export const spendRecoveryCode = (h: Db, userId: string, codeHash: string): Statement => {
  const spent = (table: CodeTable) =>
    sql`delete from ${table} where ${isCode(table, userId, codeHash)} returning 1`;
  return h.execute(
    sql`with a as (${spent(recoveryCodes)}), b as (${spent(passkeyRecoveryCodes)})
select must(exists(table a union all table b), 'invalid_credentials') as raised`,
  );
};

type CodeTable = typeof recoveryCodes | typeof passkeyRecoveryCodes;

const isCode = (table: CodeTable, userId: string, codeHash: string): SQL | undefined =>
  and(eq(table.user_id, userId), eq(table.code_hash, codeHash));

/** Stores a second factor with new recovery codes; fails the batch if the user has a device already. */
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
  h.delete(passkeyRecoveryCodes).where(eq(passkeyRecoveryCodes.user_id, factor.user_id)),
];

/** Deletes the device and pending challenges. Passkeys stay, and then the recovery codes as well. */
export const removeDevice = (h: Db, userId: string): Statement[] => [
  h.execute(sql`insert into ${passkeyRecoveryCodes} (user_id, code_hash)
    select ${recoveryCodes.user_id}, ${recoveryCodes.code_hash} from ${recoveryCodes}
    where ${recoveryCodes.user_id} = ${userId} and ${hasPasskey(sql`${userId}::uuid`)}`),
  h.delete(secondFactors).where(eq(secondFactors.user_id, userId)),
  h.delete(loginChallenges).where(eq(loginChallenges.user_id, userId)),
];

/** Deletes the device, the passkeys, the recovery codes and pending challenges. */
export const removeSecondFactors = (h: Db, userId: string): Statement[] => [
  deletePasskeysOf(h, userId),
  deleteUnusedCodes(h, userId),
  ...removeDevice(h, userId),
];

/** Fails the batch if the user has a second factor, by the committed state at execution. */
export const mustHaveNoFactor = (h: Db, userId: string): Statement =>
  must(h, sql`not ${isEnrolled(sql`${userId}::uuid`)}`, 'invalid_credentials');

/** The condition that the user has an authenticator app. */
export const hasDevice = (user: PgColumn | SQL): SQL =>
  sql`exists(select 1 from ${secondFactors} where ${secondFactors.user_id} = ${user})`;

/** The condition that the user has a second factor: an authenticator app or a passkey. */
export const isEnrolled = (user: PgColumn | SQL): SQL => sql`(${hasDevice(user)} or ${hasPasskey(user)})`;

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

/** Of two concurrent batches one succeeds. */
const mustAffectRow = (h: Db, change: SQL): Statement => mustAffect(h, change, 'invalid_credentials');
