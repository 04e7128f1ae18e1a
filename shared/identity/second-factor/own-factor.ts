import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { clearFailures } from '../../../db/repositories/identity/login/logins.ts';
import {
  addChallenge,
  type ChallengeKey,
  findSecondFactor,
  removeSecondFactor,
} from '../../../db/repositories/identity/second-factors.ts';
import type { ClientCtx } from '../../context/context.ts';
import type { UserPrincipal } from '../../context/principal.ts';
import { conflict } from '../../kernel/errors.ts';
import type { Account, LoginDeps, OpenAttempt } from '../login/account.ts';
import { openAttempt, refuseAttempt } from '../login/attempt.ts';
import { provePassword } from '../login/password.ts';
import { challengeRow, type Enrolment, enrolmentOf } from './challenges.ts';
import { factorEvent, proveCode, refuseCode } from './codes.ts';
import { recoveryHash } from './recovery-codes.ts';
import { newSecret } from './totp.ts';

type OwnCtx = ClientCtx<LoginDeps, UserPrincipal>;

/**
 * Creates a secret for a device of the caller, who must send the password. A repeated call creates another secret.
 * @throws AppError `invalid_credentials`, `locked_out`; `invalid_state` if the caller has a device
 */
export async function startEnrolment(ctx: OwnCtx, password: string): Promise<Enrolment> {
  const { attempt, account } = await proveAgain(ctx, password);
  const { factor, siteName } = await findSecondFactor(ctx.deps.db, account.user.id, {}, ctx.now);
  if (factor) throw enrolledAlready();
  const secret = newSecret();
  const key = ownKey(ctx, attempt);
  const row = await challengeRow(ctx, key, secret);
  await atomically(ctx.deps.db, (h) => addChallenge(h, key, row, ctx.now));
  return enrolmentOf(siteName, account.domain.small_name, account.user.name, secret);
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
 * Removes the caller's device. Requires the password, and a code of the device or a recovery code.
 * @throws AppError `invalid_credentials`, `locked_out`; `invalid_state` if the caller has no device
 */
export async function removeOwnFactor(
  ctx: OwnCtx,
  { password, code }: { password: string; code: string },
): Promise<void> {
  const { attempt, account } = await proveAgain(ctx, password);
  const codeHash = recoveryHash(code);
  const found = await findSecondFactor(ctx.deps.db, account.user.id, { codeHash }, ctx.now);
  if (!found.factor) throw conflict('not_enrolled', 'The account has no second factor');
  const shown = { code, challenge: undefined, found };
  const proof = await proveCode(ctx, account, shown);
  if (!proof) return refuseCode(ctx, attempt, shown);
  const audit = factorEvent(ctx, account, 'remove_two_factor');
  await atomically(ctx.deps.db, (h) => [
    ...clearFailures(h, attempt.key, ctx.now),
    ...proof.statements(h),
    ...removeSecondFactor(h, account.user.id),
    appendAudit(h, audit),
  ]);
}

/**
 * Checks the password again. Failures count as login failures and locks apply, so that a stolen session cannot be used
 * to guess the password.
 */
async function proveAgain(
  ctx: OwnCtx,
  password: string,
): Promise<{ attempt: OpenAttempt; account: Account }> {
  const { attempt, proof } = await provePassword(ctx, await openOwn(ctx), password);
  return proof ? { attempt, account: proof.account } : refuseAttempt(ctx, attempt);
}

const openOwn = (ctx: OwnCtx): Promise<OpenAttempt> =>
  openAttempt(ctx, { authId: ctx.principal.domain.id }, ctx.principal.user.name);

/** An enrolment belongs to the session that started it. */
const ownKey = ({ principal }: OwnCtx, { key: { network } }: OpenAttempt): ChallengeKey => ({
  id: principal.session.id,
  userId: principal.user.id,
  network,
  sessionId: principal.session.id,
});

const ownerOf = ({ principal: { user, domain } }: OwnCtx) => ({ user, domain: { small_name: domain.label } });

const enrolledAlready = () =>
  conflict('enrolled', 'The account already has a second factor; remove it before you set up another one');
