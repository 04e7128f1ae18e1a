import type { Db } from '../../../db/client.ts';
import { deleteLeftovers, leftovers } from '../../../db/repositories/clean-up.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { Nothing } from '../../../shared/kernel/job-kinds.ts';
import type { Parameters } from '../../../shared/kernel/system-parameters.ts';
import type { WorkerOf } from './queue.ts';

/** Deletes every hour what has outlived its time, files first; nothing depends on when, as nobody counts such rows any more. */
export const cleanUp = (
  db: Db,
  parameters: () => Promise<Parameters>,
  clock: Clock,
  removeFiles: (signal: AbortSignal) => Promise<void>,
): WorkerOf<Record<string, never>> => ({
  kind: { name: 'clean-up', payload: Nothing, tries: 3, timeLimitS: 900, atOnce: 1, cron: '23 * * * *' },
  work: async (_, { signal }) => {
    await removeFiles(signal);
    for (const leftover of leftovers(await parameters(), clock())) {
      signal.throwIfAborted();
      await deleteLeftovers(db, leftover, signal);
    }
  },
});
