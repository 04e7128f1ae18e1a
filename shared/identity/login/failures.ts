import { atomically } from '../../../db/client.ts';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit.ts';
import {
  type Attempt,
  appendFloodRecord,
  countFailure,
  everyone,
} from '../../../db/repositories/login-limits.ts';
import { appendLockEvent, recordFailure } from '../../../db/repositories/logins.ts';
import type { MonitoringEntry } from '../../../db/repositories/monitoring.ts';
import { auditEntry } from '../../http/audit-entry.ts';
import type { BaseDeps, Ctx } from '../../http/context.ts';
import { asAppError } from '../../http/problem.ts';
import { noteRefusal } from '../../http/refusals.ts';
import { codeFacts } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { escapeControls } from '../../kernel/text.ts';
import type { Tried } from './attempt.ts';

/** The event of a login that failed; the name is that which was typed. */
export const failedLogin = (
  ctx: Ctx<BaseDeps>,
  username: string,
  known: { domain: { small_name: string }; user: { id: string } | null } | undefined,
): AuditEntry =>
  auditEntry(ctx, {
    event: 'portal.LoginFailed',
    category: 'auth',
    level: 'warning',
    result: 'failure',
    user_name: escapeControls(username),
    user_id: known?.user?.id ?? null,
    domain: known?.domain.small_name ?? null,
  });

/**
 * Counts a failed attempt to its account and network, and more widely, with its event, and tells of what that locks.
 * @returns false when a lock or limit fell meanwhile: whether the proof was right, its sender must not learn
 */
export async function countAttempt(
  { deps: { db }, now }: Ctx<BaseDeps>,
  { key, isKnown, factor, failed: event, parameters }: Tried,
): Promise<boolean> {
  const failed = { ...event, details: { ...event.details, factor } };
  const whole = { account: key.account, network: everyone };
  const [[own], , , counted] = (await atomically(db, (h) => [
    recordFailure(h, key, now, {
      maxTries: parameters['lockout.max_tries'],
      blockS: parameters['lockout.block_s'],
    }),
    appendAudit(h, failed),
    appendLockEvent(h, key, now, lockEvent(failed, key.network)),
    // What others wait for as well comes late, so that it is held for a short time.
    countFailure(h, key, now, {
      accountPerHour: parameters['lockout.account_per_hour'],
      ipPerMinute: parameters['lockout.ip_per_minute'],
      overallPerMinute: parameters['lockout.overall_per_minute'],
    }),
    appendLockEvent(h, whole, now, lockEvent(failed, whole.network)),
    appendFloodRecord(h, floodRecord(now, parameters['lockout.overall_per_minute'])),
  ])) as [object[], unknown, unknown, object[]];
  return own !== undefined && (isKnown || counted.length === widerLimits);
}

/** Of the account, of the address, and overall. */
const widerLimits = 3;

const lockEvent = (failed: AuditEntry, network: string): AuditEntry => ({
  ...failed,
  id: newId(),
  event: 'portal.UserLocked',
  details: { ...failed.details, network },
  ...(network === everyone && { message: 'Locked for networks without a good login of late' }),
});

const floodRecord = (at: Date, limit: number): MonitoringEntry => ({
  at,
  level: 'warning',
  source: 'portal',
  code: 'login_failures',
  message: `${limit} logins failed within a minute; networks without a good login of late must wait`,
  details: { limit },
});

/**
 * Audits an attempt under a lock or a limit: whoever goes on guessing must not fill the audit. What is counted for many
 * accounts names none of them.
 * @param lock the row that stands in the way
 */
export const noteLockedAttempt = (ctx: Ctx<BaseDeps>, lock: Attempt, failed: AuditEntry): Promise<void> =>
  noteFailure(
    ctx,
    lock,
    lock.account === everyone ? { ...failed, user_name: null, user_id: null, domain: null } : failed,
    'locked_out',
  );

/** Audits a right password that let nobody in, unless it is on its way to the second factor. */
export async function noteUnadmitted(
  ctx: Ctx<BaseDeps>,
  attempt: Attempt,
  failed: AuditEntry,
  error: unknown,
): Promise<void> {
  const { code } = asAppError(error);
  const isRefused = [401, 403, 429].includes(codeFacts(code).status) && code !== 'two_factor_required';
  if (isRefused) await noteFailure(ctx, attempt, failed, code);
}

const noteFailure = (
  ctx: Ctx<BaseDeps>,
  { account, network }: Attempt,
  failed: AuditEntry,
  code: string,
): Promise<void> =>
  noteRefusal(ctx, `${code} ${account} ${network}`, {
    ...failed,
    id: newId(),
    details: { ...failed.details, code, ...limitOf({ account, network }) },
  });

/** Which limit a row stands for, unless it is the lock of an account for a network. */
function limitOf({ account, network }: Attempt): { limit?: string } {
  if (account !== everyone) return network === everyone ? { limit: 'account' } : {};
  return { limit: network === everyone ? 'overall' : 'address' };
}
