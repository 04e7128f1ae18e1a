import { farmsToSync, type SnapshotFarm } from '../../../db/repositories/snapshot/farms.ts';
import { sweepSyncs } from '../../../db/repositories/snapshot/sync.ts';
import type { JobPrincipal } from '../../../shared/context/principal.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Semaphore } from '../../../shared/kernel/concurrency/semaphore.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { type ListKind, listKinds } from '../../../shared/remotes/dispatcher/rows.ts';
import type { CallDeps } from '../../../shared/sites/calls/dispatcher-keys.ts';
import { type SyncCtx, syncFarm } from '../../../shared/snapshot/sync.ts';
import { jobContext } from './context.ts';
import type { CachedParameters } from './parameters.ts';
import type { Task } from './process/agenda.ts';

/**
 * Farms that are read concurrently, each one list after another, so that memory holds at most one page of each. Farms
 * whose last read failed have their own limit and schedule, so that slow nodes do not delay the other farms.
 */
const concurrency = { healthy: 12, failing: 6, fresh: 4 };
const failingEveryS = 15;
const newFarmsS = 5;

type Deps = CallDeps & { clock: Clock };

const principal: JobPrincipal = { kind: 'job', name: 'snapshot' };
/** The concurrency of a round already limits how many calls wait at the same time. */
const unlimited: Semaphore = async (work) => work();

/** Reads the objects of the dispatchers of every farm into the snapshot, every `aggregator.sync_interval_s`. */
export function snapshotJob(deps: Deps, parameters: CachedParameters): Task {
  return {
    name: 'snapshot',
    intervalMs: () => parameters.current()['aggregator.sync_interval_s'] * 1000,
    round: async (signal) => {
      const farms = await farmsToSync(deps.db, { scope: '*', failing: false });
      await syncAll(deps, farms, { concurrency: concurrency.healthy, signal });
      if (!signal.aborted) await sweepSyncs(deps.db);
    },
  };
}

/** Reads the farms whose last read failed. They are not read more often than the others. */
export function failingFarmsJob(deps: Deps): Task {
  return {
    name: 'snapshot of failing farms',
    intervalMs: () => failingEveryS * 1000,
    changesAgenda: false,
    dueIn: ({ failing_farms }) => failing_farms,
    round: async (signal) => {
      const farms = await farmsToSync(deps.db, { scope: '*', failing: true });
      await syncAll(deps, farms, { concurrency: concurrency.failing, signal, continuesAfterFailure: true });
    },
  };
}

/** Reads new farms before the next regular round. */
export function newFarmsJob(deps: Deps): Task {
  return {
    name: 'snapshot of new farms',
    intervalMs: () => newFarmsS * 1000,
    changesAgenda: false,
    dueIn: ({ new_farms }) => new_farms,
    round: async (signal) => {
      const unread = await farmsToSync(deps.db, { scope: '*', failing: false, unread: true });
      const reachable = unread.filter(({ nodes }) => nodes.length > 0);
      await syncAll(deps, reachable, { concurrency: concurrency.fresh, signal, minAgeS: newFarmsS / 2 });
    },
  };
}

type Round = {
  concurrency: number;
  signal: AbortSignal;
  /**
   * Minimum time since the last attempt to read the list, in seconds. Default: half of `aggregator.sync_interval_s`.
   */
  minAgeS?: number;
  /**
   * Continues with the other lists of a farm after a failure. If not set, they are left to the round of failing
   * farms.
   */
  continuesAfterFailure?: boolean;
};

async function syncAll(deps: Deps, farms: readonly SnapshotFarm[], round: Round): Promise<void> {
  const waiting = farms.values();
  const unwritten = new Set<Promise<unknown>>();
  const runWorker = async (): Promise<void> => {
    for (const farm of waiting) await syncParts(deps, farm, round, unwritten);
  };
  await Promise.all(Array.from({ length: round.concurrency }, runWorker));
  await Promise.all(unwritten);
}

async function syncParts(
  deps: Deps,
  farm: SnapshotFarm,
  round: Round,
  unwritten: Set<Promise<unknown>>,
): Promise<void> {
  for (const kind of listKinds) {
    if (round.signal.aborted) return;
    const isRead = await syncOne(deps, farm, kind, round, unwritten);
    if (!isRead && !round.continuesAfterFailure) return;
  }
}

/** @returns false if the list could not be read, for any reason */
async function syncOne(
  deps: Deps,
  farm: SnapshotFarm,
  kind: ListKind,
  { signal, minAgeS }: Round,
  unwritten: Set<Promise<unknown>>,
): Promise<boolean> {
  const parameters = parametersFrom(farm.overrides);
  const parts = { deps, principal, parameters, upstream: unlimited, now: deps.clock() };
  const ctx: SyncCtx = { ...jobContext(parts, (work) => void unwritten.add(work)), signal };
  try {
    const ageS = minAgeS ?? parameters['aggregator.sync_interval_s'] / 2;
    return (await syncFarm(ctx, farm, kind, ageS)) !== 'failed';
  } catch (error) {
    deps.log.error('a part of the snapshot could not be read', { farm_id: farm.id, kind, error });
    return false;
  }
}
