import { AppError } from '../../kernel/errors.ts';
import { proveStoredPassword } from '../domains/internal/password.ts';
import { domainTypeOf } from '../domains/registry.ts';
import type { Candidate, CheckedPassword, LoginCtx, OpenAttempt } from './account.ts';
import { noteUnadmitted } from './failures.ts';

/**
 * Checks a password with the method of the domain type. The returned attempt is the one that counts, because a
 * directory may have several names for an account. An unknown domain is refused after the same time as a wrong
 * password.
 * @throws AppError `overloaded`; `redirect_required` for a domain with an identity provider; for a directory also `no_registered_group` and errors of the directory
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
      return refusePassword(ctx, attempt, candidate, password);
  }
}

/**
 * Refuses a password for a domain with an identity provider, after the time of a wrong password. It is no failed guess,
 * so it does not lock the account. A domain that is not listed must be indistinguishable from an unknown one.
 * @throws AppError `redirect_required`, audited; `overloaded`
 */
async function refusePassword(
  ctx: LoginCtx,
  attempt: OpenAttempt,
  { domain }: Candidate,
  password: string,
): Promise<CheckedPassword> {
  const checked = { attempt, proof: await proveStoredPassword(ctx, attempt, undefined, password) };
  if (domain.state !== 'visible') return checked;
  const error = new AppError('redirect_required');
  await noteUnadmitted(ctx, attempt.key, attempt.failed, error);
  throw error;
}
