import type { Db } from '../../../../db/client.ts';
import { listenForNotices } from '../../../../db/postgres/listen.ts';
import { readAgenda } from '../../../../db/repositories/jobs/agenda.ts';
import { beginRest, endRest, sendNotice } from '../../../../db/repositories/jobs/leases.ts';
import type { Worker } from '../../../../db/repositories/jobs/workers.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { WriteMonitor } from '../../../../shared/kernel/observability/write-monitor.ts';
import { AgendaReader } from './agenda.ts';
import { createLease, type Lease } from './lease.ts';
import { Rest } from './rest.ts';
import { createWorkListener } from './work-listener.ts';

export type ActivityParts = {
  jobsDb: Db;
  /** A connection without long-running queries, which would delay the lease. */
  leaseDb: Db;
  /** This process, by a unique name. */
  worker: Worker;
  /** Runs a write and observes its result. */
  observe: WriteMonitor['observe'];
  stopping: AbortSignal;
  listenUrl: string;
  /** The embedded database has no notifications, and a statement costs little there. */
  isEmbedded: boolean;
  maySuspend: boolean;
  log: Log;
};

/** When a sidecar looks for work, and when it rests. */
export type Activity = {
  lease: Lease;
  reader: AgendaReader;
  rest: Rest;
  /** Receives notifications until the signal aborts. */
  listen(signal: AbortSignal): Promise<void>;
};

/** Interval in milliseconds at which the leader looks for work that no notification has announced. */
const pollsMs = { listening: 10_000, otherwise: 5_000, embedded: 500 };

export function createActivity(parts: ActivityParts): Activity {
  const { jobsDb, leaseDb, worker, observe, stopping, listenUrl, isEmbedded, maySuspend, log } = parts;
  const lease = createLease({
    ...{ db: leaseDb, holder: worker.name, worker, observe, stopping, log },
    isResting: () => rest.isResting(),
  });
  const idleMs = () => pollsMs[isEmbedded ? 'embedded' : listener.isListening() ? 'listening' : 'otherwise'];
  const reader = new AgendaReader({ read: () => readAgenda(jobsDb), lease, idleMs });
  const rest = new Rest({
    maySuspend: maySuspend && !isEmbedded,
    isLeading: () => lease.term() !== undefined,
    agenda: reader.current,
    isListening: () => listener.isListening(),
    begin: () => beginRest(leaseDb),
    end: () => endRest(leaseDb),
    onWaking: lease.tryNow,
    onAwake: reader.notify,
  });
  const listener = createWorkListener({
    connect: (onNotice) => listenForNotices(listenUrl, 'aggregator-listener', onNotice),
    send: (payload) => sendNotice(jobsDb, payload),
    onWork: () => {
      rest.wake();
      reader.notify();
    },
    onChange: reader.notify,
    onFreeLease: () => {
      rest.wake();
      lease.tryNow();
    },
    rest,
    log,
  });
  return { lease, reader, rest, listen: async (signal) => (isEmbedded ? undefined : listener.run(signal)) };
}
