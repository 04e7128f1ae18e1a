import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { clearFailures } from '../../../db/repositories/identity/login/logins.ts';
import {
  addChallenge,
  type ChallengeKey,
  findSecondFactor,
  removeDevice,
} from '../../../db/repositories/identity/second-factors.ts';
import { conflict } from '../../kernel/errors.ts';
import type { OpenAttempt } from '../login/account.ts';
import { challengeRow, type Enrolment, enrolmentOf } from './challenges.ts';
import { factorEvent, proveCode, refuseCode } from './codes.ts';
import { type GivenProof, type OwnCtx, openOwn, ownerOf, proveOwner } from './owner-proof.ts';
import { newSecret } from './totp.ts';

/**
 * Creates a secret for a device of the caller, who must send the password, and a recovery code if the account has a
 * passkey; users of identity providers must have signed in there a moment ago. A repeated call creates another secret.
 * @throws AppError `invalid_credentials`, `locked_out`; `two_factor_required` without the recovery code; `invalid_state`
 *   if the caller has a device
 */
export async function startEnrolment(ctx: OwnCtx, given: GivenProof): Promise<Enrolment> {
  const { owner, attempt, found, statements } = await proveOwner(ctx, given, ({ factor }) => {
    if (factor) throw enrolledAlready();
  });
  const secret = newSecret();
  const key = ownKey(ctx, attempt);
  const row = await challengeRow(ctx, key, secret);
  await atomically(ctx.deps.db, (h) => [...statements(h), ...addChallenge(h, key, row, ctx.now)]);
  return enrolmentOf(found.siteName, owner.domain.small_name, owner.user.name, secret);
}

/**
 * Enrols the device with its first code.
 * @returns the recovery codes
 * @throws AppError `invalid_credentials`, `locked_out`; `invalid_state` without an open enrolment
 */
export async function finishEnrolment(ctx: OwnCtx, code: string): Promise<string[]> {
  const attempt = await openOwn(ctx);
  const challenge = ownKey(ctx, attempt);
  const found = await findSecondFactor(ctx.deps.db, challenge.userId, { challenge }, ctx.now);
  if (found.factor) throw enrolledAlready();
  if (!found.challenge)
    throw conflict('no_enrolment', 'No enrolment is in progress; start one by sending the password');
  const shown = { code, challenge, found };
  const proof = await proveCode(ctx, ownerOf(ctx), shown);
  if (!proof) return refuseCode(ctx, attempt, shown);
  await atomically(ctx.deps.db, (h) => [...clearFailures(h, attempt.key, ctx.now), ...proof.statements(h)]);
  return proof.recoveryCodes ?? [];
}

/**
 * Removes the caller's device. Requires the password, and a code of the device or a recovery code. Passkeys stay.
 * @throws AppError `invalid_credentials`, `locked_out`; `invalid_state` if the caller has no device
 */
export async function removeOwnFactor(ctx: OwnCtx, given: GivenProof): Promise<void> {
  const { owner, statements } = await proveOwner(ctx, given, ({ factor }) => {
    if (!factor) throw conflict('not_enrolled', 'The account has no second factor');
  });
  const audit = factorEvent(ctx, owner, 'remove_two_factor');
  await atomically(ctx.deps.db, (h) => [
    ...statements(h),
    ...removeDevice(h, owner.user.id),
    appendAudit(h, audit),
  ]);
}

/** An enrolment belongs to the session that started it. */
const ownKey = ({ principal }: OwnCtx, { key: { network } }: OpenAttempt): ChallengeKey => ({
  id: principal.session.id,
  userId: principal.user.id,
  network,
  sessionId: principal.session.id,
});

const enrolledAlready = () =>
  conflict('enrolled', 'The account already has a second factor; remove it before you set up another one');
