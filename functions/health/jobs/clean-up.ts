import type { Db } from '../../../db/client.ts';
import { trimChanges } from '../../../db/repositories/changes/changes.ts';
import { deleteExpired, expiredRows } from '../../../db/repositories/settings/clean-up.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { EmptyPayload } from '../../../shared/kernel/job-kinds.ts';
import type { Parameters } from '../../../shared/kernel/system-parameters.ts';
import type { WorkerOf } from './queue/queue.ts';

/**
 * Once an hour, deletes expired files and rows. The exact time does not matter, because queries already ignore
 * expired rows.
 */
export const cleanUp = (
  db: Db,
  parameters: () => Promise<Parameters>,
  clock: Clock,
  removeFiles: (signal: AbortSignal) => Promise<void>,
): WorkerOf<Record<string, never>> => ({
  kind: { name: 'clean-up', payload: EmptyPayload, tries: 3, timeLimitS: 900, atOnce: 1, hourlyAt: 23 },
  work: async (_, { signal }) => {
    const ofTables = expiredRows(await parameters(), clock()).map(
      (leftover) => () => deleteExpired(db, leftover, signal),
    );
    // A failed deletion must not prevent the others.
    const failures: unknown[] = [];
    for (const remove of [() => removeFiles(signal), () => trimChanges(db), ...ofTables]) {
      signal.throwIfAborted();
      await remove().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  },
});
