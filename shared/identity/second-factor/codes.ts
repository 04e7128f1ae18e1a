import type { Db, Statement } from '../../../db/client.ts';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit/events.ts';
import {
  acceptStep,
  addSecondFactor,
  type ChallengeKey,
  countWrongCode,
  type FactorState,
  mustHaveNoFactor,
  type NewFactor,
  spendChallenge,
  spendRecoveryCode,
} from '../../../db/repositories/identity/second-factors.ts';
import { auditEntry } from '../../context/audit-entry.ts';
import { escapeControls } from '../../kernel/text.ts';
import type { LoginCtx, OpenAttempt } from '../login/account.ts';
import { refuseAttempt } from '../login/attempt.ts';
import { newRecoveryCodes, recoveryHash } from './recovery-codes.ts';
import { openPending, openSecret, sealSecret } from './secrets.ts';
import { stepOf } from './totp.ts';

/** The owner of a second factor. */
export type Owner = { user: { id: string; name: string }; domain: { small_name: string } };

/** A code, and the state to check it against. `challenge` is the challenge of the request. */
export type ShownCode = { code: string; challenge: ChallengeKey | undefined; found: FactorState };

/**
 * The statements for the batch after a correct code, including conditions that must still be true. `recoveryCodes` is
 * set after an enrolment.
 */
export type CodeProof = { statements(h: Db): Statement[]; recoveryCodes?: string[] };

/**
 * Checks a code of the user's device, a recovery code, or the first code of an enrolment. The challenge of the request
 * must not have expired and must match the present factor of the user.
 * @returns undefined for an invalid code or challenge
 */
export async function proveCode(
  ctx: LoginCtx,
  owner: Owner,
  shown: ShownCode,
): Promise<CodeProof | undefined> {
  const { code, challenge, found } = shown;
  if (challenge && !found.challenge) return undefined;
  const spend = (h: Db): Statement[] => (challenge ? [spendChallenge(h, challenge, ctx.now)] : []);
  const pending = found.challenge?.sealed_secret ?? null;
  const text = code.replaceAll(/\s/g, '');
  const { factor } = found;
  if (pending !== null) return factor ? undefined : finish(ctx, owner, shown, text, spend);
  if (factor) {
    const secret = await openSecret(ctx.deps.sealer, factor.sealed_secret, factor.user_id);
    const step = stepOf(secret, text, ctx.now, factor.last_step);
    if (step !== undefined) return { statements: (h) => [acceptStep(h, factor, step), ...spend(h)] };
  }
  if (!found.isRecoveryCode) return undefined;
  const audit = factorEvent(ctx, owner, 'use_recovery_code');
  return {
    statements: (h) => [
      spendRecoveryCode(h, owner.user.id, recoveryHash(code)),
      ...spend(h),
      appendAudit(h, audit),
    ],
  };
}

/**
 * Counts a wrong code for its challenge and for the lockout.
 * @throws AppError always: `invalid_credentials`, or `locked_out` if the account was locked in the meantime
 */
export async function refuseCode(
  ctx: LoginCtx,
  attempt: OpenAttempt,
  { challenge, found }: ShownCode,
): Promise<never> {
  if (challenge && found.challenge) await countWrongCode(ctx.deps.db, challenge.id);
  return refuseAttempt(ctx, { ...attempt, factor: 'totp' });
}

type FactorAction =
  | 'enrol_two_factor'
  | 'remove_two_factor'
  | 'use_recovery_code'
  | 'add_passkey'
  | 'rename_passkey'
  | 'remove_passkey'
  | 'block_passkey';

/** The event of a change of a second factor. The owner may not be logged in. */
export const factorEvent = (
  ctx: LoginCtx,
  { user, domain }: Owner,
  action: FactorAction,
  details?: Record<string, unknown>,
): AuditEntry =>
  auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'auth',
    actor: 'user',
    user_name: escapeControls(user.name),
    user_id: user.id,
    domain: domain.small_name,
    action,
    object_type: 'user',
    object_id: user.id,
    object_name: user.name,
    ...(details && { details }),
  });

async function finish(
  ctx: LoginCtx,
  owner: Owner,
  { challenge: key, found: { challenge } }: ShownCode,
  code: string,
  spend: (h: Db) => Statement[],
): Promise<CodeProof | undefined> {
  const { sealer } = ctx.deps;
  const userId = owner.user.id;
  const secret = await openPending(sealer, challenge?.sealed_secret ?? '', challenge?.id ?? '');
  const step = stepOf(secret, code, ctx.now, 0);
  if (step === undefined) return undefined;
  const factor: NewFactor = {
    user_id: userId,
    sealed_secret: await sealSecret(sealer, secret, userId),
    last_step: step,
    enrolled_at: ctx.now,
  };
  const recovery = newRecoveryCodes();
  const audit = factorEvent(ctx, owner, 'enrol_two_factor');
  return {
    statements: (h) => [
      // In a login, the password alone must not add a device to an account that has a passkey in the meantime.
      ...(key?.sessionId ? [] : [mustHaveNoFactor(h, userId)]),
      ...addSecondFactor(h, factor, recovery.map(recoveryHash)),
      ...spend(h),
      appendAudit(h, audit),
    ],
    recoveryCodes: recovery,
  };
}
