import { eq } from 'drizzle-orm';
import { maintenanceSteps } from '../../../db/schema/maintenance/steps.ts';
import { maintenanceWindows } from '../../../db/schema/maintenance/windows.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farms } from '../../../db/schema/sites/farms.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { pools } from '../../../db/schema/snapshot/pools.ts';
import { maintenanceJob } from '../../../functions/health/jobs/maintenance/maintenance.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { base, type SimulatedNode } from '../factories.ts';
import type { Json, TestPortal } from '../portal.ts';

export const poolPath = (farm: Json, uuid: string): string =>
  `${base}/servicespools/${farm.id}/maintenance/${uuid}`;
export const workplacePath = (farm: Json, pool: string, uuid: string): string =>
  `${base}/workplaces/${farm.id}/maintenance/${pool}/${uuid}`;

/** RFC 3339, this many minutes from now. */
export const inMinutes = (minutes: number): string => addSeconds(new Date(), minutes * 60).toISOString();

/** One run of the job of one sidecar, this many minutes from now. */
export async function round({ deps }: TestPortal, minutes = 0, given: Partial<typeof deps> = {}) {
  const clock = () => addSeconds(new Date(), minutes * 60);
  const job = maintenanceJob({ ...deps, ...given, clock }, { current: () => parametersFrom(null) });
  await job.round(new AbortController().signal);
}

export const windows = ({ db }: TestPortal) => db.select().from(maintenanceWindows);

/** There is no window, nor a flag that would open one. */
export async function forgetMaintenance({ db }: TestPortal): Promise<void> {
  for (const table of [farms, sites]) await db.update(table).set({ maintenance: false });
  await db.delete(maintenanceWindows);
}

/** Simulates that the process that claimed steps ended long ago. */
export const endLeases = ({ db }: TestPortal) =>
  db.update(maintenanceSteps).set({ lease_until: new Date(0) });

/** Simulates that the node was unreachable, or is reachable again. */
export const setCircuit = ({ db }: TestPortal, { dispatcher }: SimulatedNode, circuit: 'open' | 'closed') =>
  db
    .update(dispatchers)
    .set({ circuit, circuit_probe_until: addSeconds(new Date(), 3_600) })
    .where(eq(dispatchers.id, dispatcher.id));

/** The journal records of an object, oldest first. */
export const journalOf = async ({ db }: TestPortal, id: string): Promise<string[]> =>
  (
    await db
      .select()
      .from(monitoringRecords)
      .where(eq(monitoringRecords.object_id, id))
      .orderBy(monitoringRecords.at, monitoringRecords.id)
  ).map(({ code }) => code);

export async function poolRow({ db }: TestPortal, uuid: string) {
  const [row] = await db.select().from(pools).where(eq(pools.uuid, uuid));
  if (!row) throw new Error('no such pool in the snapshot');
  return row;
}

/** Writes received by the node: `PATCH /api/webui/…`. */
export const ordersTo = ({ simulator }: SimulatedNode): string[] =>
  simulator.calls
    .filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/webui/'))
    .map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);
