import { syncFarm } from '../../../shared/snapshot/sync.ts';
import { snapshotFarm, syncCtx } from '../../support/fleet/snapshot.ts';
import { rounded } from '../load.ts';
import { timed } from '../times.ts';
import type { FleetStand } from './stand.ts';

export type SyncFigures = {
  workplaces: number;
  /** The same pages, read and validated only. */
  floor_ms: number;
  full_ms: number;
  unchanged_ms: number;
  /** The maximum growth of the heap during the full sync. */
  heap_mb: number;
};

const sampleMs = 5;

/** The first sync of a farm into the snapshot, and one without changes. */
export async function measureSyncs({ deps, large }: FleetStand, workplaces: number): Promise<SyncFigures> {
  const farm = await snapshotFarm(deps.db, large.farmId);
  const sync = async (): Promise<void> => {
    const outcome = await syncFarm(syncCtx({ deps }), farm, 'workplaces');
    if (outcome !== 'synced' && outcome !== 'unchanged') throw new Error(`the sync was ${outcome}`);
  };
  const read = await readerOf(deps, large);
  // Connections, session keys and cold code are excluded.
  await read();
  const floor_ms = await timed(read);
  const { tookMs, heap_mb } = await watchingHeap(sync);
  const unchanged_ms = await timed(sync);
  return {
    workplaces,
    floor_ms: rounded(floor_ms, 0),
    full_ms: rounded(tookMs, 0),
    unchanged_ms: rounded(unchanged_ms, 1),
    heap_mb,
  };
}

async function readerOf({ dispatchers }: FleetStand['deps'], large: FleetStand['large']) {
  const { name, url, caPem } = large;
  const node = {
    id: name,
    kind: 'dispatcher' as const,
    name,
    url,
    caCertificate: caPem,
    verifyTls: true,
    timeoutMs: 5_000,
  };
  const trace = { requestId: 'floor', traceparent: '' };
  const request = { node, principal: { user: null }, now: new Date(), lifeS: 600, trace };
  const key = (await dispatchers.authorize(request)).token;
  return async (): Promise<void> => {
    let cursor: string | undefined;
    do {
      const page = await dispatchers.list({ node, key, trace }, 'workplaces', { limit: 1_000, cursor });
      cursor = page?.next ?? undefined;
    } while (cursor !== undefined);
  };
}

async function watchingHeap(work: () => Promise<void>): Promise<{ tookMs: number; heap_mb: number }> {
  const before = process.memoryUsage().heapUsed;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().heapUsed);
  }, sampleMs);
  try {
    return { tookMs: await timed(work), heap_mb: rounded((most - before) / 1_048_576, 1) };
  } finally {
    clearInterval(watch);
  }
}
