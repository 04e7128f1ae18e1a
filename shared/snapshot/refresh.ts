import { type FarmChoice, farmsToSync } from '../../db/repositories/snapshot/farms.ts';
import type { Ctx } from '../context/context.ts';
import type { SignedIn } from '../context/principal.ts';
import { createSemaphore } from '../kernel/concurrency/semaphore.ts';
import type { ListKind } from '../remotes/dispatcher/rows.ts';
import type { FleetDeps } from '../sites/calls/dispatcher-keys.ts';
import { fanOut } from '../sites/calls/fan-out.ts';
import { type SyncOutcome, syncFarm } from './sync.ts';

export type ListCtx = Ctx<FleetDeps, SignedIn>;

/** One less than the limit of concurrent subrequests, so that a slow farm does not block the response itself. */
const atOnce = 5;

/** A part that was not read in time, or that another synchronization is reading. */
const lateOutcomes: readonly SyncOutcome[] = ['skipped', 'lost'];

/**
 * Reads one part of the selected farms concurrently until the list deadline. Unfinished reads continue after the
 * response.
 * @returns the ids of the farms that were not read in time
 */
export async function refreshFarms(ctx: ListCtx, kind: ListKind, choice: FarmChoice): Promise<Set<string>> {
  const farms = await farmsToSync(ctx.deps.db, choice);
  const semaphore = createSemaphore(atOnce);
  const syncCtx = {
    ...ctx,
    upstream: <T>(work: () => PromiseLike<T>) => semaphore(() => ctx.upstream(work)),
  };
  const outcomes = await fanOut(farms, ctx.parameters['aggregator.list_deadline_ms'], (farm) => {
    const work = syncFarm(syncCtx, farm, kind);
    ctx.background(
      work.catch((error: unknown) => ctx.log.warn('a farm could not be read', { farm_id: farm.id, error })),
    );
    return work;
  });
  const late = outcomes.map((outcome) => !outcome.ok || lateOutcomes.includes(outcome.value));
  return new Set(farms.filter((_, at) => late[at]).map(({ id }) => id));
}
