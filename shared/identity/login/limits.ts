import { atomically } from '../../../db/client.ts';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit/events.ts';
import {
  type Attempt,
  appendFloodRecord,
  countFailure,
  everyone,
} from '../../../db/repositories/identity/login/limits.ts';
import { appendLockEvent, findLock, recordFailure } from '../../../db/repositories/identity/login/logins.ts';
import type { MonitoringEntry } from '../../../db/repositories/monitoring/records.ts';
import type { BaseDeps, ClientCtx } from '../../context/context.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { networkOf } from '../../kernel/networks.ts';
import { type Parameters, parametersFrom } from '../../kernel/system-parameters.ts';
import { noteLockedAttempt } from './failures.ts';

/** The authentication factor, as in the audit. */
export type Factor = 'password' | 'totp' | 'certificate' | 'passkey' | 'provider' | 'device_code';

/** An attempt with its failure key and the rules that apply to it. */
export type Tried = {
  key: Attempt;
  /** The account had a successful login from this network recently. Wider limits do not apply to it. */
  isKnown: boolean;
  factor: Factor;
  /** The audit event of a failure. */
  failed: AuditEntry;
  parameters: Parameters;
};

/**
 * Checks that the account is not locked for the network of the caller.
 * @throws AppError `locked_out`, which is audited
 */
export async function assertMayTry(
  ctx: ClientCtx<BaseDeps>,
  account: string,
  failed: AuditEntry,
  factor: Factor = 'password',
): Promise<Tried> {
  const key: Attempt = { account, network: networkOf(ctx.client.ip) };
  const event = withFactor(failed, factor);
  const { lockedUntil, lockedBy, isKnown, parameters } = await findLock(ctx.deps.db, key, ctx.now);
  if (lockedUntil) {
    await noteLockedAttempt(ctx, lockedBy, event);
    throw new AppError('locked_out', undefined, {
      retry_after_s: (lockedUntil.getTime() - ctx.now.getTime()) / 1000,
    });
  }
  return { key, isKnown, factor, failed: event, parameters: parametersFrom(parameters) };
}

/**
 * Counts a failed attempt for its account and network and for the wider limits, with its audit event. Writes an event
 * for each resulting lock.
 * @returns false if a lock or limit took effect in the meantime: the response must then not reveal whether the
 *   credentials were correct
 */
export async function countAttempt(
  { deps: { db }, now }: ClientCtx<BaseDeps>,
  { key, isKnown, factor, failed: event, parameters }: Tried,
): Promise<boolean> {
  const failed = withFactor(event, factor);
  const whole = { account: key.account, network: everyone };
  const [[own], , , counted] = (await atomically(db, (h) => [
    recordFailure(h, key, now, {
      maxTries: parameters['lockout.max_tries'],
      blockS: parameters['lockout.block_s'],
    }),
    appendAudit(h, failed),
    appendLockEvent(h, key, now, lockEvent(failed, key.network)),
    // Shared rows are updated late, so that their row locks are held for a short time.
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

const withFactor = (event: AuditEntry, factor: Factor): AuditEntry => ({
  ...event,
  details: { ...event.details, factor },
});

/** Limits for the account, for the address, and overall. */
const widerLimits = 3;

const lockEvent = (failed: AuditEntry, network: string): AuditEntry => ({
  ...failed,
  id: newId(),
  event: 'portal.UserLocked',
  details: { ...failed.details, network },
  ...(network === everyone && { message: 'Locked for networks without a recent successful login' }),
});

const floodRecord = (at: Date, limit: number): MonitoringEntry => ({
  at,
  level: 'warning',
  source: 'portal',
  code: 'login_failures',
  message: `${limit} logins failed within a minute; logins from networks without a recent successful login are rejected temporarily`,
  details: { limit },
});
