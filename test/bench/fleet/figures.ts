import type { Loading } from '../load.ts';
import type { Stand } from '../stand.ts';
import { type HangingFigures, measureHangingSites } from './hanging-sites.ts';
import { measureServices, type ServicesFigures } from './services-lists.ts';
import { type FleetSizes, startFleetStand } from './stand.ts';
import { measureSyncs, type SyncFigures } from './syncs.ts';
import { measureWorkplaces, type SnapshotSizes, type WorkplacesFigures } from './workplaces.ts';

export type FleetEffort = FleetSizes & {
  /** Of each kind, sequentially. */
  requests: number;
  /** Requests for the sites that answer. */
  roundS: number;
  snapshot: SnapshotSizes;
};

export type FleetFigures = {
  farms: number;
  latency_ms: number;
  services: ServicesFigures;
  hanging_sites: HangingFigures;
  sync: SyncFigures;
  workplaces: WorkplacesFigures;
};

/** The cost of many farms; the snapshot is filled last, so that the tables are small before. */
export async function measureFleet(
  stand: Stand,
  effort: FleetEffort,
  loading: Loading,
): Promise<FleetFigures> {
  const fleet = await startFleetStand(stand, effort);
  try {
    return {
      farms: effort.farms,
      latency_ms: effort.latencyMs,
      services: await measureServices(fleet, effort.requests),
      hanging_sites: await measureHangingSites(fleet, effort.roundS),
      sync: await measureSyncs(fleet, effort.workplaces),
      workplaces: await measureWorkplaces(stand, effort.snapshot, loading),
    };
  } finally {
    await fleet.stop();
  }
}
