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
 * Removes every hour the beginning of the audit that is older than `audit.retention_days`. The checkpoint that tells of
 * it is written first: whatever of the deletion is then left undone is no longer part of the chain, and is done by
 * the next attempt. What a collector has not got yet stays until it has, however old it is.
 */
export const auditRetention = (
  db: Db,
  keys: SigningKeys,
  clock: Clock,
  /** Read for each run: the defaults that stand in after a start could remove what is to be kept. */
  parameters: () => Promise<Parameters>,
  collectors: readonly Target[],
): WorkerOf<Record<string, never>> => ({
  kind: {
    name: 'audit-retention',
    payload: EmptyPayload,
    tries: 3,
    timeLimitS: 3_000,
    atOnce: 1,
    cron: '41 * * * *',
  },
  work: async (_, { signal }) => {
    const signing = { db, keys, now: clock() };
    const { head, base } = await readSealed(signing);
    const { 'audit.retention_days': days } = await parameters();
    const upTo = Math.min(head.seq, await forwardedTo(db, collectors));
    const last = await endOfOutlived(db, base, upTo, days, signal);
    if (last.seq > base.seq) await signBase(signing, last);
    await removeExpired(db, last.seq, signal);
    signal.throwIfAborted();
  },
});

/** Events of one statement, which ends long before its time limit. */
const stride = 50_000;

/** The last event whose time is over as that of all before it is; `base` when there is none after it. */
async function endOfOutlived(
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
