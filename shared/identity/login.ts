import type { Statement } from '../../db/client.ts';
import { asAppError } from '../../db/errors.ts';
import { findSecondFactor, mustOweNoCode } from '../../db/repositories/identity/second-factors.ts';
import type { LoginCtx, LoginOptions, NamedDomain, OpenAttempt, Proof } from './login/account.ts';
import { admit, type LoginResult } from './login/admission.ts';
import { openAttempt, refuseAttempt } from './login/attempt.ts';
import { provePassword } from './login/password.ts';
import { type Challenge, giveChallenge, namedChallenge } from './second-factor/challenges.ts';
import { proveCode, refuseCode } from './second-factor/codes.ts';
import { recoveryHash } from './second-factor/recovery-codes.ts';

export type LoginRequest = NamedDomain & LoginOptions & { username: string; password: string };
export type TwoFactorLoginRequest = LoginRequest & {
  code?: string | undefined;
  challenge_id?: string | undefined;
};
export type TwoFactorLoginResult = LoginResult & { recoveryCodes?: string[] | undefined };

/**
 * Logs a user in with a password. All refusals have the same error and take the same time.
 * @throws AppError `invalid_credentials`, `locked_out`, `overloaded`; after a correct password `two_factor_required`
 *   and `forbidden`; `invalid_request` if the identifiers name two different domains
 */
export async function logIn(ctx: LoginCtx, request: LoginRequest): Promise<LoginResult> {
  const { attempt, proof } = await begin(ctx, request);
  return admit(ctx, request, attempt, unlessOwed(proof));
}

/**
 * Logs a user in with a password and a code. The code is required if the user has a second factor or the domain requires a
 * second factor. Without a code, a challenge is returned.
 * @throws AppError as `logIn`, except `two_factor_required`; `invalid_credentials` for a wrong code
 */
export async function logInByTwoFactors(
  ctx: LoginCtx,
  request: TwoFactorLoginRequest,
): Promise<TwoFactorLoginResult | Challenge> {
  const { attempt, proof } = await begin(ctx, request);
  return finishByTwoFactors(ctx, request, attempt, proof);
}

/** The second step of a login, after a first factor. */
export type SecondStep = LoginOptions & Pick<TwoFactorLoginRequest, 'code' | 'challenge_id'>;

/**
 * Logs in a user whose first factor is proved, with a code if one is required.
 * @throws AppError as `logInByTwoFactors`
 */
export async function finishByTwoFactors(
  ctx: LoginCtx,
  request: SecondStep,
  attempt: OpenAttempt,
  proof: Proof,
): Promise<TwoFactorLoginResult | Challenge> {
  const { account } = proof;
  const { code } = request;
  const isImposed = account.domain.two_factor;
  // Most users of a domain without a required second factor have no device, so this path saves a query.
  const direct = !isImposed && code === undefined && (await admitUnlessOwed(ctx, request, attempt, proof));
  if (direct) return direct;
  const challenge = namedChallenge(attempt, account, request.challenge_id);
  const codeHash = code === undefined ? undefined : recoveryHash(code);
  const found = await findSecondFactor(ctx.deps.db, account.user.id, { challenge, codeHash }, ctx.now);
  const isSpared = !found.factor && !found.hasPasskey && (!isImposed || found.skips);
  const spared = isSpared && (await admitUnlessOwed(ctx, request, attempt, proof));
  if (spared) return spared;
  if (code === undefined) return giveChallenge(ctx, attempt, proof, found);
  const shown = { code, challenge, found };
  const second = await proveCode(ctx, account, shown);
  if (!second) return refuseCode(ctx, attempt, shown);
  const result = await admit(ctx, request, attempt, also(proof, second.statements));
  return { ...result, recoveryCodes: second.recoveryCodes };
}

/** Finds the account of the login and checks the password. */
async function begin(ctx: LoginCtx, request: LoginRequest): Promise<{ attempt: OpenAttempt; proof: Proof }> {
  const opened = await openAttempt(ctx, request, request.username);
  const { attempt, proof } = await provePassword(ctx, opened, request.password);
  return proof ? { attempt, proof } : refuseAttempt(ctx, attempt);
}

/** @returns undefined if a code is required */
async function admitUnlessOwed(
  ctx: LoginCtx,
  request: LoginOptions,
  attempt: OpenAttempt,
  proof: Proof,
): Promise<LoginResult | undefined> {
  try {
    return await admit(ctx, request, attempt, unlessOwed(proof));
  } catch (error) {
    if (asAppError(error).code !== 'two_factor_required') throw error;
    return undefined;
  }
}

/** The batch that opens the session checks this after the statements of the proof, which update the user's groups. */
const unlessOwed = (proof: Proof): Proof =>
  also(proof, (h) => [mustOweNoCode(h, proof.account.user.id, proof.account.domain.two_factor)]);

/** A proof with further statements. */
export const also = (proof: Proof, further: Proof['statements']): Proof => ({
  ...proof,
  statements: (h): Statement[] => [...proof.statements(h), ...further(h)],
});
