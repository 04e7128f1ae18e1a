import { findPendingLogin } from '../../../db/repositories/identity/passkeys/challenges.ts';
import {
  findPasskeyByCredential,
  findPasskeyReferences,
} from '../../../db/repositories/identity/passkeys/passkeys.ts';
import {
  type ChallengeKey,
  countWrongCode,
  findSecondFactor,
  mustHaveNoFactor,
  spendChallenge,
} from '../../../db/repositories/identity/second-factors.ts';
import { AppError } from '../../kernel/errors.ts';
import { isId, noId } from '../../kernel/ids.ts';
import { networkOf } from '../../kernel/networks.ts';
import { proveStoredPassword } from '../domains/internal/password.ts';
import type { Account, CheckedPassword, LoginCtx, OpenAttempt } from '../login/account.ts';
import { admit } from '../login/admission.ts';
import { openAttempt, refuseAttempt } from '../login/attempt.ts';
import { provePassword } from '../login/password.ts';
import { also, type LoginRequest, type TwoFactorLoginResult } from '../login.ts';
import { namedChallenge } from '../second-factor/challenges.ts';
import { takesPasskeys } from '../second-factor/passkey-support.ts';
import { newChallenge } from './challenges.ts';
import { creationOptions, requestOptions } from './options.ts';
import { provePasskey, withPasskeyFactor } from './proof.ts';
import { accountFor, newUserHandle, proveRegistration, storageError } from './registration.ts';
import type { Assertion, CreationOptions, Registration, RequestOptions } from './shapes.ts';

/** `authentication` for a user with a passkey; `registration` if the login requires to set a second factor up. */
export type SecondFactorOptions = { authentication: RequestOptions } | { registration: CreationOptions };

/**
 * Options for the second factor of a login with a password. They are for the user of the login only.
 * @throws AppError `login_expired` for an unknown challenge, or one of another network; `invalid_state` without a
 *   passkey that can be used
 */
export async function startSecondFactor(ctx: LoginCtx, challengeId: string): Promise<SecondFactorOptions> {
  const { db, baseUrl } = ctx.deps;
  const id = isId(challengeId) ? challengeId : noId;
  const pending = await findPendingLogin(db, id, networkOf(ctx.client.ip), ctx.now);
  if (!pending || !takesPasskeys(baseUrl, pending.domain.type)) throw new AppError('login_expired');
  const { user, domain } = pending;
  if (pending.isEnrolment) {
    const handle = newUserHandle();
    const challenge = await newChallenge(ctx, { ceremony: 'login_registration', id }, handle);
    const person = { name: user.name, realName: user.real_name };
    const account = accountFor(handle, person, domain.small_name, pending.siteName);
    return { registration: creationOptions(baseUrl, challenge, account) };
  }
  const passkeys = (await findPasskeyReferences(db, user.id)).filter(({ blocked_at }) => !blocked_at);
  if (passkeys.length === 0) throw new AppError('login_expired');
  const challenge = await newChallenge(ctx, { ceremony: 'second_factor', id });
  return { authentication: requestOptions(baseUrl, challenge, passkeys) };
}

/** The second factor of a login: a passkey of the user, or a new one if the login requires to set one up. */
export type PasskeyAnswer =
  | { challenge_id: string; assertion: Assertion }
  | { challenge_id: string; registration: Registration; name: string };

type Pending = { attempt: OpenAttempt; account: Account; challenge: ChallengeKey };

/**
 * Finishes a login with a password and a passkey.
 * @throws AppError as `logInByTwoFactors`; `invalid_credentials` for a passkey that is refused
 */
export async function logInByPasskey(
  ctx: LoginCtx,
  request: LoginRequest,
  answer: PasskeyAnswer,
): Promise<TwoFactorLoginResult> {
  const { attempt, proof } = await proveFirst(ctx, request);
  if (!proof) return refuseAttempt(ctx, attempt);
  const { account } = proof;
  const challenge = namedChallenge(attempt, account, answer.challenge_id);
  if (!challenge) return refuse(ctx, attempt);
  const found = await findSecondFactor(ctx.deps.db, account.user.id, { challenge }, ctx.now);
  if (!found.challenge) return refuse(ctx, attempt);
  const isEnrolment = found.challenge.sealed_secret !== null;
  const pending = { attempt, account, challenge };
  const second = await ('assertion' in answer
    ? !isEnrolment && proveUse(ctx, pending, answer.assertion)
    : isEnrolment && proveEnrolment(ctx, pending, answer));
  if (!second) {
    await countWrongCode(ctx.deps.db, challenge.id);
    return refuse(ctx, attempt);
  }
  const { statements, details, recoveryCodes } = second;
  const both = also(proof, (h) => [...statements(h), spendChallenge(h, challenge, ctx.now)]);
  const complete = { ...both, details: { ...proof.details, second_factor: 'passkey', ...details } };
  const result = await admit(ctx, request, attempt, complete).catch((error: unknown) => {
    throw storageError(error);
  });
  return { ...result, recoveryCodes };
}

/** Passwords of domains without passkeys are refused after the time of a wrong one, without a question to a directory. */
async function proveFirst(ctx: LoginCtx, request: LoginRequest): Promise<CheckedPassword> {
  const opened = await openAttempt(ctx, request, request.username);
  const { candidate } = opened;
  if (candidate && takesPasskeys(ctx.deps.baseUrl, candidate.domain.type))
    return provePassword(ctx, opened, request.password);
  return { attempt: opened, proof: await proveStoredPassword(ctx, opened, undefined, request.password) };
}

const refuse = (ctx: LoginCtx, attempt: OpenAttempt): Promise<never> =>
  refuseAttempt(ctx, withPasskeyFactor(attempt));

async function proveUse(ctx: LoginCtx, { account, challenge }: Pending, assertion: Assertion) {
  const found = await findPasskeyByCredential(ctx.deps.db, assertion.id);
  if (found?.passkey.user_id !== account.user.id) return undefined;
  const purpose = { ceremony: 'second_factor', id: challenge.id } as const;
  const proof = await provePasskey(ctx, account, found.passkey, purpose, assertion);
  return proof && { ...proof, recoveryCodes: undefined };
}

/** The password alone must not add a passkey to an account that has a second factor in the meantime. */
async function proveEnrolment(
  ctx: LoginCtx,
  { account, challenge }: Pending,
  named: { registration: Registration; name: string },
) {
  const purpose = { ceremony: 'login_registration', id: challenge.id } as const;
  const proof = await proveRegistration(ctx, account, purpose, named, true);
  return (
    proof && {
      statements: (h: Parameters<typeof proof.statements>[0]) => [
        mustHaveNoFactor(h, account.user.id),
        ...proof.statements(h),
      ],
      details: { passkey_id: proof.passkey.id },
      recoveryCodes: proof.recoveryCodes,
    }
  );
}
