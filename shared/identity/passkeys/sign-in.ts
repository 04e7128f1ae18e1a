import {
  findPasskeyByCredential,
  notePasskeyLogin,
  type Passkey,
} from '../../../db/repositories/identity/passkeys/passkeys.ts';
import { accountKey } from '../../../db/repositories/identity/users.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { mayLogIn } from '../domains/internal/password.ts';
import type { Account, LoginCtx, LoginOptions, OpenAttempt, Proof } from '../login/account.ts';
import { admit, type LoginResult } from '../login/admission.ts';
import { openAttempt, refuseAttempt } from '../login/attempt.ts';
import { failedLogin } from '../login/failures.ts';
import { assertMayTry } from '../login/limits.ts';
import { takesPasskeys } from '../second-factor/passkey-support.ts';
import { newChallenge } from './challenges.ts';
import { requestOptions } from './options.ts';
import { provePasskey } from './proof.ts';
import type { Assertion, RequestOptions } from './shapes.ts';

/** Options for a sign-in of a user who is not known yet. They are the same for every caller, except the challenge. */
export const startSignIn = async (ctx: LoginCtx): Promise<RequestOptions> =>
  requestOptions(ctx.deps.baseUrl, await newChallenge(ctx, { ceremony: 'sign_in' }));

type SignIn = LoginOptions & { assertion: Assertion };

/**
 * Logs a user in with a passkey alone. The authenticator has verified its user, so it counts as both factors. All
 * refusals have the same error.
 * @throws AppError `invalid_credentials`, `locked_out`, `forbidden`
 */
export async function signInByPasskey(
  ctx: LoginCtx,
  { assertion, ...options }: SignIn,
): Promise<LoginResult> {
  const { attempt, passkey } = await openSignIn(ctx, assertion.id);
  const proof = passkey && (await proofOf(ctx, attempt, passkey, assertion));
  return proof ? admit(ctx, options, attempt, proof) : refuseAttempt(ctx, attempt);
}

/** An unknown credential counts for the limits of the address, and is refused like a wrong response. */
async function openSignIn(
  ctx: LoginCtx,
  credentialId: string,
): Promise<{ attempt: OpenAttempt; passkey: Passkey | undefined }> {
  const found = await findPasskeyByCredential(ctx.deps.db, credentialId);
  if (found) {
    const { passkey, user } = found;
    return { attempt: await openAttempt(ctx, { authId: user.domainId }, user.name, 'passkey'), passkey };
  }
  const key = accountKey('unknown:passkey', sha256(credentialId));
  const tried = await assertMayTry(ctx, key, failedLogin(ctx, { username: '' }, undefined), 'passkey');
  return { attempt: { ...tried, username: '', candidate: undefined }, passkey: undefined };
}

async function proofOf(
  ctx: LoginCtx,
  { candidate }: OpenAttempt,
  passkey: Passkey,
  assertion: Assertion,
): Promise<Proof | undefined> {
  if (!mayUsePasskey(ctx, candidate, passkey)) return undefined;
  const account = candidate;
  const proof = await provePasskey(ctx, account, passkey, { ceremony: 'sign_in' }, assertion);
  if (!proof) return undefined;
  return {
    account,
    statements: (h) => [...notePasskeyLogin(h, account.user.id, ctx.now), ...proof.statements(h)],
    details: proof.details,
  };
}

const mayUsePasskey = (
  { deps }: LoginCtx,
  candidate: OpenAttempt['candidate'],
  { user_id }: Passkey,
): candidate is Account =>
  mayLogIn(candidate) && candidate.user.id === user_id && takesPasskeys(deps.baseUrl, candidate.domain.type);
