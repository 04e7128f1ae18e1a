import { asc, eq, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { farmsToSync, type SnapshotFarm } from '../../../db/repositories/snapshot/farms.ts';
import { parts } from '../../../db/repositories/snapshot/parts.ts';
import { farmParts, type PartKind } from '../../../db/schema/snapshot/farm-parts.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { type ListKind, listKinds } from '../../../shared/remotes/dispatcher/rows.ts';
import { type SyncCtx, type SyncOutcome, syncFarm } from '../../../shared/snapshot/sync.ts';
import type { TestPortal } from '../portal.ts';

/** The context of a sync, without a request. `settled` of the portal waits for its background work. */
export function syncCtx({ deps }: Pick<TestPortal, 'deps'>, given: Partial<SyncCtx> = {}): SyncCtx {
  return {
    deps,
    parameters: parametersFrom(null),
    now: deps.clock(),
    trace: { requestId: newId(), traceparent: '' },
    background: (work) => void work.catch(() => undefined),
    later: (write) => void Promise.resolve(write()).catch(() => undefined),
    upstream: async (work) => work(),
    ...given,
  };
}

export async function snapshotFarm(db: Db, farmId: string): Promise<SnapshotFarm> {
  const [farm] = await farmsToSync(db, { scope: '*', farmId });
  if (!farm) throw new Error('the farm is not in service');
  return farm;
}

/** One sync of one part, as the job does it. */
export async function sync(
  portal: TestPortal,
  farm: { id: string },
  kind: ListKind,
  given: Partial<SyncCtx> = {},
): Promise<SyncOutcome> {
  const written: Promise<unknown>[] = [];
  const later: SyncCtx['later'] = (write) => void written.push(Promise.resolve(write()));
  const ctx = syncCtx(portal, { later, ...given });
  const outcome = await syncFarm(ctx, await snapshotFarm(portal.db, farm.id), kind);
  await Promise.all(written);
  return outcome;
}

export async function syncAll(portal: TestPortal, farm: { id: string }): Promise<void> {
  for (const kind of listKinds) await sync(portal, farm, kind);
}

/** The current part. */
export async function partOf(db: Db, farm: { id: string }, kind: PartKind) {
  const [part] = await db
    .select()
    .from(farmParts)
    .where(sql`${farmParts.farm_id} = ${farm.id} and ${farmParts.kind} = ${kind}`);
  return part;
}

/** The rows of a farm's part, by identifier. */
export function rowsOf(db: Db, farm: { id: string }, kind: PartKind) {
  const { table } = parts[kind];
  return db.select().from(table).where(eq(table.farm_id, farm.id)).orderBy(asc(table.uuid)) as Promise<
    Record<string, unknown>[]
  >;
}
