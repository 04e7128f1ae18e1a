import { AppError } from '../kernel/errors.ts';
import { admit, type LoginResult } from './login/admission.ts';
import {
  type LoginCtx,
  type LoginWishes,
  type NamedDomain,
  openAttempt,
  refuseAttempt,
} from './login/attempt.ts';
import { provePassword } from './login/password.ts';

export type LoginRequest = NamedDomain & LoginWishes & { username: string; password: string };

/**
 * Logs a user in by his password. Whatever is wrong, the refusal is the same and takes the same time.
 * @throws AppError `invalid_credentials`, `locked_out`, `overloaded`; after a right password `two_factor_required`
 * and `forbidden`; `invalid_request` when identifiers name two different domains
 */
export async function logIn(ctx: LoginCtx, request: LoginRequest): Promise<LoginResult> {
  const attempt = await openAttempt(ctx, request, request.username);
  const proof = await provePassword(ctx, attempt, request.password);
  if (!proof) return refuseAttempt(ctx, attempt);
  if (proof.account.domain.two_factor) throw new AppError('two_factor_required');
  return admit(ctx, request, attempt, proof);
}
