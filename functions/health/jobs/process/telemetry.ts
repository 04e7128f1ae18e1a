import type { Db } from '../../../../db/client.ts';
import { addUpLogins, addUpTelemetry } from '../../../../db/repositories/monitoring/telemetry.ts';
import type { Telemetry } from '../../../../shared/kernel/observability/telemetry.ts';
import type { AnyWorker } from '../queue/queue.ts';
import type { Task } from './agenda.ts';
import type { Job } from './loop.ts';

/** Batches and audit events per statement. */
const batches = 500;
const events = 10_000;

/** Sums the counts of all processes, so that every sidecar reports the same totals. */
export const telemetryJob = (db: Db): Task => ({
  name: 'telemetry',
  intervalMs: () => 2_000,
  changesAgenda: false,
  dueIn: ({ telemetry }) => telemetry,
  round: async (signal) => {
    for (let last = batches; last === batches && !signal.aborted; ) last = await addUpTelemetry(db, batches);
    for (let last = events; last === events && !signal.aborted; ) last = await addUpLogins(db, events);
  },
});

/** Writes the counts of this sidecar once a minute. */
export const telemetryFlushJob = (telemetry: Telemetry): Job => ({
  name: 'telemetry hand-over',
  intervalMs: () => 60_000,
  round: () => telemetry.flush(),
});

/** Counts the rounds of a job by result. A round that is interrupted by the stop of the sidecar is not counted. */
export const countedJob = <J extends Job>(job: J, telemetry: Telemetry): J => ({
  ...job,
  round: (signal) => counted(telemetry, job.name, signal, () => job.round(signal)),
});

/** Counts the attempts of a worker by result, in the same way. */
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
