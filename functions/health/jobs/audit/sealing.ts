import type { Db } from '../../../../db/client.ts';
import { sealAudit } from '../../../../db/repositories/audit/chain.ts';
import { settleRefusals } from '../../../../db/repositories/audit/refusals.ts';
import { appendMonitoringOnce } from '../../../../db/repositories/monitoring/records.ts';
import type { SigningKeys } from '../../../../shared/access/signing-keys.ts';
import { BrokenCheckpoint, keepCheckpoints } from '../../../../shared/audit/checkpoints.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { Task } from '../process/agenda.ts';

/** Events per transaction, so that a concurrent sealer waits only briefly. */
const batch = 500;

/**
 * Adds all committed audit events to the hash chain, and writes a signed checkpoint when one is due.
 */
export const sealJob = (db: Db, keys: SigningKeys, clock: Clock): Task => ({
  name: 'audit sealer',
  intervalMs: () => 500,
  dueIn: ({ audit }) => audit,
  round: async (signal) => {
    for (let sealed = batch; sealed === batch && !signal.aborted; ) {
      sealed = await sealAudit(db, batch);
      await writeCheckpoints(db, keys, clock);
    }
  },
});

/** Writes the audit events of rejections that are counted separately, shortly after the end of each minute. */
export const refusalsJob = (db: Db, clock: Clock): Task => ({
  name: 'audit refusals',
  intervalMs: () => 5_000,
  dueIn: ({ refusals }) => refusals,
  round: () => settleRefusals(db, clock()),
});

/** Events continue to be sealed after a broken checkpoint, which is reported once in the monitoring journal. */
async function writeCheckpoints(db: Db, keys: SigningKeys, clock: Clock): Promise<void> {
  try {
    // Two sidecars can each seal one batch before one of them checks again.
    await keepCheckpoints({ db, keys, now: clock() }, 2 * batch);
  } catch (error) {
    if (!(error instanceof BrokenCheckpoint)) throw error;
    await appendMonitoringOnce(db, {
      at: clock(),
      level: 'critical',
      source: 'jobs',
      object_type: 'audit_checkpoint',
      object_id: String(error.seq),
      code: 'audit_checkpoint_broken',
      message: 'An audit checkpoint does not match its signature; no further checkpoints are written',
    });
  }
}
