import type { Db } from '../../../../db/client.ts';
import { type ChainLink, lastExpired, removeExpired } from '../../../../db/repositories/audit/checkpoints.ts';
import { forwardedTo, type Target } from '../../../../db/repositories/audit/forwards.ts';
import type { SigningKeys } from '../../../../shared/access/signing-keys.ts';
import { readSealed, signBase } from '../../../../shared/audit/checkpoints.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import { EmptyPayload } from '../../../../shared/kernel/job-kinds.ts';
import type { Parameters } from '../../../../shared/kernel/system-parameters.ts';
import type { WorkerOf } from '../queue/queue.ts';

/**
 * Once an hour, deletes the oldest part of the audit that exceeds `audit.retention_days`. The checkpoint of the new
 * start of the chain is written first: if the deletion is interrupted, the remaining old events are no longer part of
 * the chain, and the next attempt deletes them. Events that a collector has not received yet are kept, regardless of
 * their age.
 */
export const auditRetention = (
  db: Db,
  keys: SigningKeys,
  clock: Clock,
  /** Read on each run. With the defaults that apply right after a start, data that must be kept could be deleted. */
  parameters: () => Promise<Parameters>,
  collectors: readonly Target[],
): WorkerOf<Record<string, never>> => ({
  kind: {
    name: 'audit-retention',
    payload: EmptyPayload,
    tries: 3,
    timeLimitS: 3_000,
    atOnce: 1,
    hourlyAt: 41,
  },
  work: async (_, { signal }) => {
    const signing = { db, keys, now: clock() };
    const { head, base } = await readSealed(signing);
    const { 'audit.retention_days': days } = await parameters();
    const upTo = Math.min(head.seq, await forwardedTo(db, collectors));
    const last = await findLastExpired(db, base, upTo, days, signal);
    if (last.seq > base.seq) await signBase(signing, last);
    await removeExpired(db, last.seq, signal);
    signal.throwIfAborted();
  },
});

/** Events per statement, so that it ends well before its time limit. */
const stride = 50_000;

/**
 * Returns the last event of the leading run of expired events after `base`, or `base` if the next event has not
 * expired.
 */
async function findLastExpired(
  db: Db,
  base: ChainLink,
  end: number,
  days: number,
  signal: AbortSignal,
): Promise<ChainLink> {
  let last = base;
  for (let upTo = base.seq; last.seq === upTo && upTo < end && !signal.aborted; ) {
    upTo = Math.min(end, upTo + stride);
    last = (await lastExpired(db, last.seq, upTo, days)) ?? last;
  }
  return last;
}
