import type { Db } from '../../../db/client.ts';
import { farmParts, type PartKind } from '../../../db/schema/snapshot/farm-parts.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import { newId } from '../../../shared/kernel/ids.ts';

type Part = Partial<typeof farmParts.$inferInsert>;

/** The snapshot of one list of a farm, as if it had just been read. */
export async function addPart(db: Db, farm: { id: string }, kind: PartKind, given: Part = {}): Promise<void> {
  const values = { fetched_at: new Date(), ...given };
  await db
    .insert(farmParts)
    .values({ ...values, farm_id: farm.id, kind })
    .onConflictDoUpdate({ target: [farmParts.farm_id, farmParts.kind], set: values });
}

/** Workplaces of these names, written directly to the snapshot. */
export const addWorkplaces = (db: Db, farm: { id: string }, names: readonly string[]) =>
  db.insert(workplaces).values(
    names.map((name) => ({
      farm_id: farm.id,
      uuid: newId(),
      servicepool_uuid: newId(),
      servicepool_name: 'Office',
      name,
      name_key: name,
      unique_id: '52:54:00:00:00:01',
      hostname: name,
      ip: '10.0.0.1',
      state: 'ready',
      machine_state: 'running',
      in_use: false,
      maintenance: false,
      tags: [],
      node_revision: 1,
    })),
  );
