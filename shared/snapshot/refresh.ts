import { type FarmChoice, farmsToSync, type SnapshotFarm } from '../../db/repositories/snapshot/farms.ts';
import { runningSync } from '../../db/repositories/snapshot/schedule.ts';
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

/** Milliseconds between two looks at a sync of another process. */
const lookAgainMs = 100;

/**
 * Reads one part of the selected farms concurrently until the list deadline. Unfinished reads continue after the
 * response. A part that another sync is reading is not read again: the response waits for that sync.
 * @returns the ids of the farms that were not read in time
 */
export async function refreshFarms(ctx: ListCtx, kind: ListKind, choice: FarmChoice): Promise<Set<string>> {
  const farms = await farmsToSync(ctx.deps.db, choice);
  const semaphore = createSemaphore(atOnce);
  const syncCtx = {
    ...ctx,
    upstream: <T>(work: () => PromiseLike<T>) => semaphore(() => ctx.upstream(work)),
  };
  const outcomes = await fanOut(farms, ctx.parameters['aggregator.list_deadline_ms'], (farm, deadline) => {
    const work = readOrJoin(syncCtx, farm, kind, deadline);
    ctx.background(
      work.catch((error: unknown) => ctx.log.warn('a farm could not be read', { farm_id: farm.id, error })),
    );
    return work;
  });
  const late = outcomes.map((outcome) => !outcome.ok || !outcome.value);
  return new Set(farms.filter((_, at) => late[at]).map(({ id }) => id));
}

/**
 * Reads the part, or waits for the sync that is reading it.
 * @returns false if the part was not read before the deadline, or may not be read yet
 */
async function readOrJoin(
  ctx: ListCtx,
  farm: SnapshotFarm,
  kind: ListKind,
  deadline: AbortSignal,
): Promise<boolean> {
  const look = () => ctx.upstream(() => runningSync(ctx.deps.db, farm.id, kind));
  if (isRead(await syncFarm(ctx, farm, kind))) return true;
  const running = await look();
  // The other sync has ended in between, or the part has a pause.
  if (running === undefined) return isRead(await syncFarm(ctx, farm, kind));
  while (!deadline.aborted) {
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    if ((await look()) !== running) return true;
  }
  return false;
}

const isRead = (outcome: SyncOutcome): boolean => outcome !== 'skipped' && outcome !== 'lost';
