import { atomically } from '../../db/client.ts';
import { type AuditEntry, appendAudit } from '../../db/repositories/audit/events.ts';
import { endCredentials, theUser } from '../../db/repositories/identity/access-revocation.ts';
import { clearFailures } from '../../db/repositories/identity/login/logins.ts';
import {
  type FormerPassword,
  findPasswords,
  hasHash,
  setOwnPassword,
} from '../../db/repositories/identity/own-account.ts';
import { accountKey } from '../../db/repositories/identity/users.ts';
import { must } from '../../db/repositories/records/statements.ts';
import { auditEntry, changesBetween } from '../context/audit-entry.ts';
import type { BaseDeps, ClientCtx } from '../context/context.ts';
import type { UserPrincipal } from '../context/principal.ts';
import { conflict, invalid } from '../kernel/errors.ts';
import { foldName } from '../kernel/text.ts';
import type { LoginDeps } from './login/account.ts';
import { refuseAttempt } from './login/attempt.ts';
import { assertMayTry, type Tried } from './login/limits.ts';
import { openFormer, retirePassword } from './password-history.ts';
import { assertPassword } from './password-policy.ts';
import type { Place } from './passwords.ts';

type OwnCtx = ClientCtx<Pick<LoginDeps, keyof BaseDeps | 'hasher'>, UserPrincipal>;

/** `keeps_service_tokens`: own service tokens do not end. */
type PasswordChange = { current: string; new: string; keeps_service_tokens?: boolean | undefined };

/**
 * Changes the password of the caller, who must send the current one. Ends the other sessions and the own service tokens.
 * @throws AppError `invalid_credentials`, `locked_out`, `invalid_request` by the policy, `invalid_state` without a
 *   password
 */
export async function changeOwnPassword(
  ctx: OwnCtx,
  { current, new: next, keeps_service_tokens = false }: PasswordChange,
): Promise<void> {
  const { deps, principal, parameters, now } = ctx;
  const { user, domain } = principal;
  assertPassword(next, { name: user.name, domain }, parameters, '/new');
  const { tried, stored, former } = await assertCurrentPassword(ctx, current);
  await assertNew(ctx, next, [{ hash: stored }, ...former]);
  const retire = await retirePassword(deps.sealer, { userId: user.id, hash: stored, at: now });
  const hash = await deps.hasher.hash(next, placeOf(principal));
  const audit = auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'auth',
    action: 'change_password',
    object_type: 'user',
    object_id: user.id,
    object_name: user.name,
    changes: changesBetween(
      { must_change_password: user.mustChangePassword },
      { must_change_password: false },
    ),
    ...(keeps_service_tokens && { details: { kept: 'service_tokens' } }),
  });
  await atomically(deps.db, (h) => [
    ...clearFailures(h, tried.key, now),
    must(h, hasHash(user.id, stored), 'invalid_credentials'),
    setOwnPassword(h, user.id, stored, hash, now),
    ...retire(h),
    ...endCredentials(
      h,
      'password_change',
      { users: theUser(user.id), except: principal.session.id },
      keeps_service_tokens ? ['own_tokens'] : [],
    ),
    appendAudit(h, audit),
  ]);
}

/**
 * Checks the current password. Failures count as login failures, so that a stolen session cannot be used to guess the
 * password.
 * @returns the stored hash of the current password, and the former passwords
 */
async function assertCurrentPassword(
  ctx: OwnCtx,
  current: string,
): Promise<{ tried: Tried; stored: string; former: FormerPassword[] }> {
  const { deps, principal } = ctx;
  const account = accountKey(principal.domain.id, foldName(principal.user.name));
  const [tried, { hash: stored, former }] = await Promise.all([
    assertMayTry(ctx, account, failedChange(ctx)),
    findPasswords(deps.db, principal.user.id),
  ]);
  if (stored === null) throw conflict('no_password', 'The portal does not store a password for this account');
  if (!(await deps.hasher.verify(current, stored, placeOf(principal)))) return refuseAttempt(ctx, tried);
  return { tried, stored, former };
}

/**
 * Checks that the password differs from the current one and the last five.
 * @throws AppError `invalid_request` with the code `used_before`
 */
async function assertNew(
  ctx: OwnCtx,
  password: string,
  earlier: readonly ({ hash: string } | FormerPassword)[],
): Promise<void> {
  for (const one of earlier) {
    const hash = 'hash' in one ? one.hash : await readable(ctx, one);
    if (hash === undefined || !(await ctx.deps.hasher.verify(password, hash, placeOf(ctx.principal))))
      continue;
    const detail = 'The password must differ from the current one and the previous five';
    throw invalid({ pointer: '/new', code: 'used_before', detail });
  }
}

/** @returns undefined if the encryption key is lost: such an entry must not prevent a password change */
const readable = ({ deps, log, principal }: OwnCtx, former: FormerPassword): Promise<string | undefined> =>
  openFormer(deps.sealer, former).catch((error: unknown) => {
    log.warn('a former password cannot be read', { user_id: principal.user.id, error });
    return undefined;
  });

const placeOf = ({ user }: UserPrincipal): Place => ({ line: 'signed-in', owner: user.id });

const failedChange = (ctx: OwnCtx): AuditEntry =>
  auditEntry(ctx, {
    event: 'portal.LoginFailed',
    category: 'auth',
    level: 'warning',
    result: 'failure',
    action: 'change_password',
    object_type: 'user',
    object_id: ctx.principal.user.id,
    object_name: ctx.principal.user.name,
  });
