import { farmsToSync, type SnapshotFarm } from '../../../db/repositories/snapshot-farms.ts';
import { sweepSyncs } from '../../../db/repositories/snapshot-sync.ts';
import type { CallCtx } from '../../../shared/fleet/dispatcher-keys.ts';
import { type SyncCtx, syncFarm } from '../../../shared/fleet/snapshot/sync.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { type ListKind, listKinds } from '../../../shared/remotes/dispatcher/list-shapes.ts';
import type { Job } from './loop.ts';
import type { KnownParameters } from './parameters.ts';

/** Parts that are read at the same time. */
const atOnce = 6;
const newFarmsS = 5;

type Deps = CallCtx['deps'] & { clock: Clock };

/** Reads what the dispatchers of every farm own into the snapshot, every `aggregator.sync_interval_s`. */
export function snapshotJob(deps: Deps, known: KnownParameters): Job {
  return {
    name: 'snapshot',
    intervalMs: () => known.current()['aggregator.sync_interval_s'] * 1000,
    round: async (signal) => {
      await syncAll(deps, await farmsToSync(deps.db, { scope: '*' }), signal);
      if (!signal.aborted) await sweepSyncs(deps.db);
    },
  };
}

/** Whoever has just added a farm need not wait for the next round to see what it owns. */
export function newFarmsJob(deps: Deps): Job {
  return {
    name: 'snapshot of new farms',
    intervalMs: () => newFarmsS * 1000,
    round: async (signal) => {
      const unread = await farmsToSync(deps.db, { scope: '*', unread: true });
      const askable = unread.filter(({ nodes }) => nodes.length > 0);
      await syncAll(deps, askable, signal, newFarmsS / 2);
    },
  };
}

/** `minAgeS` is how long ago the part must have been tried: half the interval of the parameters unless told. */
type Task = { farm: SnapshotFarm; kind: ListKind; minAgeS: number | undefined };

/** Lanes that take from one list: a farm that hangs holds up its own lane only. */
async function syncAll(
  deps: Deps,
  farms: readonly SnapshotFarm[],
  signal: AbortSignal,
  minAgeS?: number,
): Promise<void> {
  const waiting = farms.flatMap((farm) => listKinds.map((kind): Task => ({ farm, kind, minAgeS }))).values();
  const unwritten = new Set<Promise<unknown>>();
  const runLane = async (): Promise<void> => {
    for (const task of waiting) {
      if (signal.aborted) return;
      await syncOne(deps, task, signal, unwritten);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runLane));
  await Promise.all(unwritten);
}

/** One part that fails for whatever reason costs the others nothing. */
async function syncOne(
  deps: Deps,
  { farm, kind, minAgeS }: Task,
  signal: AbortSignal,
  unwritten: Set<Promise<unknown>>,
): Promise<void> {
  const keep = (work: Promise<unknown>): void => {
    unwritten.add(work.catch((error: unknown) => deps.log.warn('a key was not kept', { error })));
  };
  const parameters = parametersFrom(farm.overrides);
  const ctx: SyncCtx = {
    deps,
    actor: { parameters },
    now: deps.clock(),
    trace: { requestId: newId(), traceparent: '' },
    background: keep,
    later: (write) => keep(Promise.resolve(write())),
    upstream: async (work) => work(),
    signal,
  };
  try {
    // Of several sidecars each part is read by the one that comes first.
    await syncFarm(ctx, farm, kind, minAgeS ?? parameters['aggregator.sync_interval_s'] / 2);
  } catch (error) {
    deps.log.error('a part of the snapshot was not taken', { farm_id: farm.id, kind, error });
  }
}
