import type { Db, Statement } from '../../../db/client.ts';
import { clearFailures } from '../../../db/repositories/identity/login/logins.ts';
import {
  findAuthentication,
  spendAuthentication,
} from '../../../db/repositories/identity/login/providers.ts';
import { type FactorState, findSecondFactor } from '../../../db/repositories/identity/second-factors.ts';
import type { ClientCtx } from '../../context/context.ts';
import type { UserPrincipal } from '../../context/principal.ts';
import { addSeconds } from '../../kernel/clock.ts';
import { AppError, conflict } from '../../kernel/errors.ts';
import type { LoginDeps, OpenAttempt } from '../login/account.ts';
import { openAttempt, refuseAttempt } from '../login/attempt.ts';
import { provePassword } from '../login/password.ts';
import { type Owner, proveCode, refuseCode } from './codes.ts';
import { recoveryHash } from './recovery-codes.ts';

export type OwnCtx = ClientCtx<LoginDeps, UserPrincipal>;

/** What the owner of a session sends again: the password, and a code if the account has a second factor. */
export type PasswordProof = { password: string; code?: string | undefined };

/** A password, or the claim that the session began with a sign-in at a provider a moment ago. */
export type GivenProof = PasswordProof | { fresh_sign_in: true };

/** The owner of the session, and the statements for the batch of the change that the proof permits. */
export type OwnerProof = {
  owner: Owner;
  attempt: OpenAttempt;
  found: FactorState;
  statements(h: Db): Statement[];
};

/**
 * Checks the password again, and a code of the device or a recovery code if the account has a second factor. Failures
 * count as login failures and locks apply, so that a stolen session cannot be used to guess them. For users of identity providers
 * the sign-in there must be recent, and counts once.
 * @param check refuses a change that is not possible, after the password and before the code
 * @throws AppError `invalid_credentials`, `locked_out`; `two_factor_required` without a code that is required; `invalid_state`
 *   without a recent sign-in
 */
export const proveOwner = async (
  ctx: OwnCtx,
  given: GivenProof,
  check?: (found: FactorState) => void,
): Promise<OwnerProof> => {
  const opened = await openOwn(ctx);
  return 'password' in given ? proveOpened(ctx, opened, given, check) : proveRecent(ctx, opened, check);
};

/** Seconds for which a sign-in at a provider proves that the person is present. */
const recentS = 600;
/** The clock of the provider may be ahead. */
const clockToleranceS = 60;

/** By the statement of the provider, and not by the age of the session: it may have been opened without a question. */
async function proveRecent(
  ctx: OwnCtx,
  attempt: OpenAttempt,
  check: (found: FactorState) => void = () => {},
): Promise<OwnerProof> {
  const { session, user } = ctx.principal;
  const at = await findAuthentication(ctx.deps.db, session.id);
  if (!at || at < addSeconds(ctx.now, -recentS) || at > addSeconds(ctx.now, clockToleranceS))
    throw conflict(
      'no_fresh_sign_in',
      'Sign in at the identity provider again, and repeat this within ten minutes',
    );
  const found = await findSecondFactor(ctx.deps.db, user.id, {}, ctx.now);
  check(found);
  return { owner: ownerOf(ctx), attempt, found, statements: (h) => [spendAuthentication(h, session.id)] };
}

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
  const owner = { user: account.user, domain: account.domain };
  const codeHash = code === undefined ? undefined : recoveryHash(code);
  const found = await findSecondFactor(ctx.deps.db, account.user.id, { codeHash }, ctx.now);
  check(found);
  const clear = (h: Db): Statement[] => clearFailures(h, attempt.key, ctx.now);
  if (!found.factor && !found.hasPasskey) return { owner, attempt, found, statements: clear };
  if (code === undefined) throw new AppError('two_factor_required');
  const shown = { code, challenge: undefined, found };
  const second = await proveCode(ctx, account, shown);
  if (!second) return refuseCode(ctx, attempt, shown);
  return { owner, attempt, found, statements: (h) => [...clear(h), ...second.statements(h)] };
}

/** An attempt of the owner of the session. */
export const openOwn = (ctx: OwnCtx): Promise<OpenAttempt> =>
  openAttempt(ctx, { authId: ctx.principal.domain.id }, ctx.principal.user.name, 'password', true);

export const ownerOf = ({ principal: { user, domain } }: OwnCtx) => ({
  user,
  domain: { small_name: domain.label },
});
