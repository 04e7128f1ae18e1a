import type { Db } from '../../../../db/client.ts';
import { sealAudit } from '../../../../db/repositories/audit/chain.ts';
import { settleRefusals } from '../../../../db/repositories/audit/refusals.ts';
import { appendMonitoringOnce } from '../../../../db/repositories/monitoring/records.ts';
import type { SigningKeys } from '../../../../shared/access/signing-keys.ts';
import { BrokenCheckpoint, keepCheckpoints } from '../../../../shared/audit/checkpoints.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { Job } from '../process/loop.ts';

/** Events of one transaction, so that a second sealer never waits long for the first. */
const batch = 500;

/** Chains committed audit events twice a second, all that there are, and signs how far it got when that is due. */
export const sealJob = (db: Db, keys: SigningKeys, clock: Clock): Job => ({
  name: 'audit sealer',
  intervalMs: () => 500,
  round: async (signal) => {
    for (let sealed = batch; sealed === batch && !signal.aborted; ) {
      sealed = await sealAudit(db, batch);
      await keepOrTell(db, keys, clock);
    }
  },
});

/** Writes the refusals that were counted aside, soon after their minute has ended. */
export const refusalsJob = (db: Db, clock: Clock): Job => ({
  name: 'audit refusals',
  intervalMs: () => 5_000,
  round: () => settleRefusals(db, clock()),
});

/** Events go on being sealed beside a broken checkpoint; whoever looks after the installation is told of it once. */
async function keepOrTell(db: Db, keys: SigningKeys, clock: Clock): Promise<void> {
  try {
    // Two sidecars may each seal a batch before one of them looks again.
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
