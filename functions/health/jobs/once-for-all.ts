import type { Db } from '../../../db/client.ts';
import { claimRound, endRound } from '../../../db/repositories/job-rounds.ts';
import type { Job } from './loop.ts';

/** A job whose rounds one sidecar runs for all of them; which one is settled anew for each round. */
export const onceForAll = (db: Db, job: Job): Job => ({
  ...job,
  round: async (signal) => {
    const runId = await claimRound(db, job.name, job.intervalMs());
    if (runId === undefined) return;
    try {
      await job.round(signal);
    } finally {
      await endRound(db, job.name, runId);
    }
  },
});
