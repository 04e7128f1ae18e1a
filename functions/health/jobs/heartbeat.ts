import type { Db } from '../../../db/client.ts';
import { beat, type Worker } from '../../../db/repositories/job-workers.ts';
import type { Job } from './loop.ts';

/** Tells every five seconds that this worker is alive. */
export const heartbeatJob = (db: Db, worker: Worker): Job => ({
  name: 'heartbeat',
  intervalMs: () => 5_000,
  round: () => beat(db, worker),
});
