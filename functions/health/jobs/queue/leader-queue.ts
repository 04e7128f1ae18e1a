import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { Lease, Term } from '../process/lease.ts';
import type { Job } from '../process/loop.ts';
import type { Queue } from './queue.ts';

/** The job queue; it runs only while this sidecar is the leader. */
export type LeaderQueue = { current(): Queue | undefined; job: Job; stop(): Promise<void> };

/** Starts the queue in each term as soon as the database is available, and stops it at the end of the term. */
export function runQueueWhileLeading(
  start: (term: Term) => Promise<Queue>,
  lease: Lease,
  log: Log,
): LeaderQueue {
  let running: { queue: Queue; term: Term } | undefined;
  const stop = async (): Promise<void> => {
    const stopped = running;
    running = undefined;
    await stopped?.queue
      .stop()
      .catch((error: unknown) => log.warn('the job queue could not be stopped', { error }));
  };
  const round = async (): Promise<void> => {
    const term = lease.term();
    if (running?.term !== term) await stop();
    if (term) running ??= { term, queue: await start(term) };
    await running?.queue.tend();
  };
  return {
    current: () => running?.queue,
    job: { name: 'job queue', intervalMs: () => 2_000, round },
    stop,
  };
}
