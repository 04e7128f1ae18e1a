import type { Db } from '../../../../db/client.ts';
import { recordHeartbeat, type Worker } from '../../../../db/repositories/jobs/workers.ts';
import type { WriteMonitor } from '../../../../shared/kernel/observability/write-monitor.ts';
import type { Job } from './loop.ts';

/**
 * Writes the heartbeat of this worker every five seconds. The write also shows whether the database accepts writes.
 */
export const heartbeatJob = (db: Db, worker: Worker, writes: WriteMonitor): Job => ({
  name: 'heartbeat',
  intervalMs: () => 5_000,
  round: () => writes.observe(() => recordHeartbeat(db, worker)),
});
