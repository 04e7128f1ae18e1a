import type { Db, Statement } from '../../../db/client.ts';
import { clearFailures } from '../../../db/repositories/identity/login/logins.ts';
import { type FactorState, findSecondFactor } from '../../../db/repositories/identity/second-factors.ts';
import type { ClientCtx } from '../../context/context.ts';
import type { UserPrincipal } from '../../context/principal.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Account, LoginDeps, OpenAttempt } from '../login/account.ts';
import { openAttempt, refuseAttempt } from '../login/attempt.ts';
import { provePassword } from '../login/password.ts';
import { proveCode, refuseCode } from './codes.ts';
import { recoveryHash } from './recovery-codes.ts';

export type OwnCtx = ClientCtx<LoginDeps, UserPrincipal>;

/** What the owner of a session sends again: the password, and a code if the account has a second factor. */
export type PasswordProof = { password: string; code?: string | undefined };

/** The owner of the session, and the statements for the batch of the change that the proof permits. */
export type OwnerProof = {
  account: Account;
  attempt: OpenAttempt;
  found: FactorState;
  statements(h: Db): Statement[];
};

/**
 * Checks the password again, and a code of the device or a recovery code if the account has a second factor. Failures
 * count as login failures and locks apply, so that a stolen session cannot be used to guess them.
 * @param check refuses a change that is not possible, after the password and before the code
 * @throws AppError `invalid_credentials`, `locked_out`; `two_factor_required` without a code that is required
 */
export const proveOwner = async (
  ctx: OwnCtx,
  given: PasswordProof,
  check?: (found: FactorState) => void,
): Promise<OwnerProof> => proveOpened(ctx, await openOwn(ctx), given, check);

/** The same for an attempt that is open. */
export async function proveOpened(
  ctx: OwnCtx,
  opened: OpenAttempt,
  { password, code }: PasswordProof,
  check: (found: FactorState) => void = () => {},
): Promise<OwnerProof> {
  const { attempt, proof } = await provePassword(ctx, opened, password);
  if (!proof) return refuseAttempt(ctx, attempt);
  const { account } = proof;
  const codeHash = code === undefined ? undefined : recoveryHash(code);
  const found = await findSecondFactor(ctx.deps.db, account.user.id, { codeHash }, ctx.now);
  check(found);
  const clear = (h: Db): Statement[] => clearFailures(h, attempt.key, ctx.now);
  if (!found.factor && !found.hasPasskey) return { account, attempt, found, statements: clear };
  if (code === undefined) throw new AppError('two_factor_required');
  const shown = { code, challenge: undefined, found };
  const second = await proveCode(ctx, account, shown);
  if (!second) return refuseCode(ctx, attempt, shown);
  return { account, attempt, found, statements: (h) => [...clear(h), ...second.statements(h)] };
}

/** An attempt of the owner of the session. */
export const openOwn = (ctx: OwnCtx): Promise<OpenAttempt> =>
  openAttempt(ctx, { authId: ctx.principal.domain.id }, ctx.principal.user.name);

export const ownerOf = ({ principal: { user, domain } }: OwnCtx) => ({
  user,
  domain: { small_name: domain.label },
});
