import { proveStoredPassword } from '../domains/internal/password.ts';
import { domainTypeOf } from '../domains/registry.ts';
import type { CheckedPassword, LoginCtx, OpenAttempt } from './account.ts';

/**
 * Checks a password with the method of the domain type. The returned attempt is the one that counts, because a
 * directory may have several names for an account. An unknown domain is refused after the same time as a wrong
 * password.
 * @throws AppError `overloaded`; for a directory also `no_registered_group` and errors of the directory
 */
export async function provePassword(
  ctx: LoginCtx,
  attempt: OpenAttempt,
  password: string,
): Promise<CheckedPassword> {
  const { candidate } = attempt;
  if (!candidate) return { attempt, proof: await proveStoredPassword(ctx, attempt, undefined, password) };
  const { login } = domainTypeOf(candidate.domain.type);
  switch (login.proof) {
    case 'password':
      return login.prove(ctx, attempt, candidate, password);
    case 'redirect':
      return { attempt, proof: undefined };
  }
}
