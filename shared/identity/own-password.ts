import { atomically } from '../../db/client.ts';
import { type AuditEntry, appendAudit } from '../../db/repositories/audit.ts';
import { endSessionsOf } from '../../db/repositories/login-sessions.ts';
import {
  type Attempt,
  appendLockEvent,
  clearFailures,
  findLock,
  recordFailure,
} from '../../db/repositories/logins.ts';
import { findPasswordHash, hasHash, setOwnPassword } from '../../db/repositories/own-account.ts';
import { must } from '../../db/repositories/statements.ts';
import { accountKey } from '../../db/repositories/users.ts';
import { assertLoggedIn, type SignedIn } from '../access/actor.ts';
import { auditEntry } from '../http/audit-entry.ts';
import type { BaseDeps, Ctx } from '../http/context.ts';
import { AppError, conflict } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { networkOf } from '../kernel/networks.ts';
import { foldName } from '../kernel/text.ts';
import type { LoginDeps } from './login/attempt.ts';
import { noteLockedAttempt } from './login/failures.ts';
import { assertPassword } from './password-policy.ts';

type OwnCtx = Ctx<Pick<LoginDeps, keyof BaseDeps | 'hasher'>, SignedIn>;

/**
 * Changes the password of the caller, who proves that he knows the present one, and ends his other sessions.
 * @throws AppError `invalid_credentials`, `locked_out`, `invalid_request` by the policy, `invalid_state` without a password
 */
export async function changeOwnPassword(
  ctx: OwnCtx,
  { current, new: next }: { current: string; new: string },
): Promise<void> {
  assertLoggedIn(ctx.actor);
  const { deps, actor, now } = ctx;
  const { user, domain, parameters } = actor;
  assertPassword(next, { name: user.name, domain }, parameters, '/new');
  const attempt: Attempt = {
    account: accountKey(domain.id, foldName(user.name)),
    network: networkOf(ctx.client.ip),
  };
  const stored = await assertKnows(ctx, attempt, current);
  const hash = await deps.hasher.hash(next);
  const audit = auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'auth',
    action: 'change_password',
    object_type: 'user',
    object_id: user.id,
    object_name: user.name,
  });
  await atomically(deps.db, (h) => [
    ...clearFailures(h, attempt, now),
    must(h, hasHash(user.id, stored), 'invalid_credentials'),
    setOwnPassword(h, user.id, stored, hash, now),
    endSessionsOf(h, user.id, actor.session.id),
    appendAudit(h, audit),
  ]);
}

/** @returns the stored hash of the password that the caller has just shown to know */
async function assertKnows(ctx: OwnCtx, attempt: Attempt, current: string): Promise<string> {
  const { deps, actor, now } = ctx;
  const [lock, stored] = await Promise.all([
    findLock(deps.db, attempt, now),
    findPasswordHash(deps.db, actor.user.id),
  ]);
  if (lock.lockedUntil) {
    await noteLockedAttempt(ctx, attempt, failedChange(ctx));
    throw new AppError('locked_out', undefined, {
      retry_after_s: (lock.lockedUntil.getTime() - now.getTime()) / 1000,
    });
  }
  if (stored === null) throw conflict('no_password', 'The account has no password here');
  if (!(await deps.hasher.verify(current, stored))) return refuse(ctx, attempt);
  return stored;
}

/** A stolen session must not become a way to guess the password: failures count as those of a login. */
async function refuse(ctx: OwnCtx, attempt: Attempt): Promise<never> {
  const { parameters } = ctx.actor;
  const rules = { maxTries: parameters['lockout.max_tries'], blockS: parameters['lockout.block_s'] };
  const audit = failedChange(ctx);
  const locked = { ...audit, id: newId(), event: 'portal.UserLocked', details: { network: attempt.network } };
  const [[counted]] = (await atomically(ctx.deps.db, (h) => [
    recordFailure(h, attempt, ctx.now, rules),
    appendAudit(h, audit),
    appendLockEvent(h, attempt, ctx.now, locked),
  ])) as [{ lockedUntil: Date | null }[]];
  throw new AppError(counted === undefined ? 'locked_out' : 'invalid_credentials');
}

const failedChange = (ctx: OwnCtx): AuditEntry =>
  auditEntry(ctx, {
    event: 'portal.LoginFailed',
    category: 'auth',
    level: 'warning',
    result: 'failure',
    action: 'change_password',
    object_type: 'user',
    object_id: ctx.actor.user.id,
    object_name: ctx.actor.user.name,
  });
