import type { Db } from '../../../../db/client.ts';
import { addUpLogins, addUpTelemetry } from '../../../../db/repositories/monitoring/telemetry.ts';
import type { Telemetry } from '../../../../shared/kernel/observability/telemetry.ts';
import type { AnyWorker } from '../queue/queue.ts';
import type { Job } from './loop.ts';

/** Batches, and events of the audit, of one statement. */
const batches = 500;
const events = 10_000;

/** Adds up every two seconds what all processes have counted, so that every sidecar tells the same sums. */
export const telemetryJob = (db: Db): Job => ({
  name: 'telemetry',
  intervalMs: () => 2_000,
  round: async (signal) => {
    for (let last = batches; last === batches && !signal.aborted; ) last = await addUpTelemetry(db, batches);
    for (let last = events; last === events && !signal.aborted; ) last = await addUpLogins(db, events);
  },
});

/** Hands over every five seconds what this sidecar has counted itself. */
export const handOverJob = (telemetry: Telemetry): Job => ({
  name: 'telemetry hand-over',
  intervalMs: () => 5_000,
  round: () => telemetry.flush(),
});

/** The job, its rounds counted by how they ended; one that was cut short by the end of the sidecar is not. */
export const countedJob = (job: Job, telemetry: Telemetry): Job => ({
  ...job,
  round: (signal) => counted(telemetry, job.name, signal, () => job.round(signal)),
});

/** The worker, its attempts counted likewise. */
export const countedWorker = (worker: AnyWorker, telemetry: Telemetry): AnyWorker => ({
  ...worker,
  work: (payload, run) => counted(telemetry, worker.kind.name, run.signal, () => worker.work(payload, run)),
});

async function counted(
  telemetry: Telemetry,
  job: string,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
    telemetry.count('jobs', [job, 'success']);
  } catch (error) {
    if (!signal.aborted) telemetry.count('jobs', [job, 'failure']);
    throw error;
  }
}
