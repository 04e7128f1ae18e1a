import { atomically } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { mustBeCurrent } from '../../../db/repositories/jobs/runs.ts';
import { appendMonitoring } from '../../../db/repositories/monitoring/records.ts';
import type { Term } from '../../../functions/health/jobs/process/lease.ts';
import { runEvery } from '../../../functions/health/jobs/process/loop.ts';
import { runQueueWhileLeading } from '../../../functions/health/jobs/queue/leader-queue.ts';
import { startQueue } from '../../../functions/health/jobs/queue/queue.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { competeForLease } from './leader.ts';
import { slowKind } from './slow-job.ts';

/**
 * The queue of a sidecar as a process that can be killed. Each job writes to the journal that it started, waits until
 * the gate of its payload is open, and writes that it is done. `AS` is the name of the process.
 */
const databaseUrl = process.env.DATABASE_URL ?? '';
const { db } = connectPg({ url: databaseUrl, maxConnections: 2 });
const name = process.env.AS ?? '';

const say = (code: string, id: string) =>
  ({
    at: new Date(),
    level: 'info',
    source: 'jobs',
    code,
    object_id: id,
    object_name: name,
    message: code,
  }) as const;

const log = createLog({ level: 'error' });
const lease = competeForLease(connectPg({ url: databaseUrl, maxConnections: 1 }).db, name, log);
const start = ({ signal }: Term) =>
  startQueue(
    {
      databaseUrl,
      log,
      stopping: signal,
      isLeader: lease.isHeld,
      pollingS: 1,
      noteFailure: async () => undefined,
    },
    [
      {
        kind: slowKind,
        work: async ({ holder }, run) => {
          await appendMonitoring(db, say('began', run.id));
          if (holder === name) await new Promise(() => undefined);
          await atomically(db, (h) => [mustBeCurrent(h, run), appendMonitoring(h, say('done', run.id))]);
        },
      },
    ],
  );
void runEvery(runQueueWhileLeading(start, lease, log).job, log, new AbortController().signal);
process.stdout.write('ready\n');
