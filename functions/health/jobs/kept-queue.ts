import type { Log } from '../../../shared/kernel/log.ts';
import type { Job } from './loop.ts';
import type { Queue } from './queue.ts';

/** The queue, once it could be started. */
export type KeptQueue = { current(): Queue | undefined; job: Job; stop(): Promise<void> };

/** Starts the queue as soon as the database lets it; from then on it gets over lost connections by itself. */
export function keepQueue(start: () => Promise<Queue>, log: Log): KeptQueue {
  let running: Queue | undefined;
  const round = async () => {
    running ??= await start();
  };
  return {
    current: () => running,
    job: { name: 'job queue', intervalMs: () => 2_000, round },
    stop: async () => {
      await running?.stop().catch((error: unknown) => log.warn('the job queue did not stop', { error }));
    },
  };
}
