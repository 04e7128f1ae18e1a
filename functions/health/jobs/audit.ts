import type { Db } from '../../../db/client.ts';
import { sealAudit } from '../../../db/repositories/audit-chain.ts';
import { settleRefusals } from '../../../db/repositories/audit-refusals.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Job } from './loop.ts';

/** Events of one transaction, so that a second sealer never waits long for the first. */
const batch = 500;

/** Chains committed audit events twice a second, all that there are. */
export const sealJob = (db: Db): Job => ({
  name: 'audit sealer',
  intervalMs: () => 500,
  round: async (signal) => {
    for (let sealed = batch; sealed === batch && !signal.aborted; ) sealed = await sealAudit(db, batch);
  },
});

/** Writes the refusals that were counted aside, soon after their minute has ended. */
export const refusalsJob = (db: Db, clock: Clock): Job => ({
  name: 'audit refusals',
  intervalMs: () => 5_000,
  round: () => settleRefusals(db, clock()),
});
