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
 * A sidecar's queue as a process that can be killed: each job says in the journal that it began, waits until its
 * payload's gate is open, and says that it is done; `AS` names the process.
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
    { databaseUrl, log, stopping: signal, isLeader: lease.isHeld, noteFailure: async () => undefined },
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
