import type { Db } from '../../../../db/client.ts';
import { appendMonitoringOnce } from '../../../../db/repositories/monitoring/records.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import { escapeControls, startOf } from '../../../../shared/kernel/text.ts';
import type { FailedJob } from './queue.ts';

/** Writes the failure of a job to the monitoring journal. Idempotent: repeated calls write one entry. */
export const noteFailedJob =
  (db: Db, clock: Clock) =>
  async ({ id, kind, error }: FailedJob): Promise<void> => {
    const entry = {
      at: clock(),
      level: 'error',
      source: 'jobs',
      object_type: 'job',
      object_id: id,
      object_name: kind,
      code: 'job_failed',
      message: `The job ${kind} failed and is not retried`,
      details: { error: startOf(escapeControls(error), 1_000) },
    } as const;
    await appendMonitoringOnce(db, entry);
  };
