import { farmsToSync } from '../../../../db/repositories/snapshot/farms.ts';
import { sweepSyncs } from '../../../../db/repositories/snapshot/sync.ts';
import type { CachedParameters } from '../parameters.ts';
import type { Task } from '../process/agenda.ts';
import { SyncBatches, type SyncDeps } from './batches.ts';

/**
 * Farms that are read concurrently, each one list after another, so that memory holds at most one page of each. Farms
 * whose last read failed have their own limit and schedule, so that slow nodes do not delay the other farms.
 */
const concurrency = { healthy: 12, failing: 6, fresh: 4 };
const failingEveryS = 15;
const newFarmsS = 5;

/** Reads the objects of the dispatchers of every farm into the snapshot, every `aggregator.sync_interval_s`. */
export function snapshotJob(deps: SyncDeps, parameters: CachedParameters): Task {
  const batches = new SyncBatches(deps);
  return {
    name: 'snapshot',
    intervalMs: () => parameters.current()['aggregator.sync_interval_s'] * 1000,
    round: async (signal) => {
      const farms = await farmsToSync(deps.db, { scope: '*', failing: false });
      await batches.sync(farms, { concurrency: concurrency.healthy, signal });
      if (!signal.aborted) await sweepSyncs(deps.db);
    },
  };
}

/** Reads the farms whose last read failed. They are not read more often than the others. */
export function failingFarmsJob(deps: SyncDeps): Task {
  const batches = new SyncBatches(deps);
  return {
    name: 'snapshot of failing farms',
    intervalMs: () => failingEveryS * 1000,
    changesAgenda: false,
    dueIn: ({ failing_farms }) => failing_farms,
    round: async (signal) => {
      const farms = await farmsToSync(deps.db, { scope: '*', failing: true });
      await batches.sync(farms, { concurrency: concurrency.failing, signal, continuesAfterFailure: true });
    },
  };
}

/** Reads new farms before the next regular round. */
export function newFarmsJob(deps: SyncDeps): Task {
  const batches = new SyncBatches(deps);
  return {
    name: 'snapshot of new farms',
    intervalMs: () => newFarmsS * 1000,
    changesAgenda: false,
    dueIn: ({ new_farms }) => new_farms,
    round: async (signal) => {
      const unread = await farmsToSync(deps.db, { scope: '*', failing: false, unread: true });
      const reachable = unread.filter(({ nodes }) => nodes.length > 0);
      await batches.sync(reachable, { concurrency: concurrency.fresh, signal, minAgeS: newFarmsS / 2 });
    },
  };
}
