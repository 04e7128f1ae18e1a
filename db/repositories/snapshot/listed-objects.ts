import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Db } from '../../client.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { type Scope, within } from '../records/scope.ts';
import { arrayOf, derived } from '../records/statements.ts';
import type { MergedSpec } from './lists.ts';
import { useOf, type WorkplaceUse } from './objects.ts';

/** An object of a dispatcher, by its farm and its identifier there. */
export type ObjectPlace = { farm_id: string; uuid: string };

/** An object with what decides whether an action on it is possible. */
export type ListedObject = ObjectPlace & {
  site_id: string;
  /** The farm and its site are in service. */
  enabled: boolean;
  /** The farm has nodes, and all their circuits are open. */
  circuit_open: boolean;
  /** The kind of its dispatchers; null if the farm has none. */
  kind: string | null;
  object: Record<string, unknown>;
  use: WorkplaceUse | null;
};

type Wanted = { objects: readonly ObjectPlace[]; withUse: boolean };

/** Returns those of the objects that exist within the scope; one statement. */
export async function findListedObjects(
  db: Db,
  spec: MergedSpec,
  { objects, withUse }: Wanted,
  scope: Scope,
): Promise<ListedObject[]> {
  const { table } = spec;
  const [ofFarms, uuids] = [objects.map(({ farm_id }) => farm_id), objects.map(({ uuid }) => uuid)];
  return db
    .select({
      farm_id: farms.id,
      uuid: sql<string>`${table.uuid}`,
      site_id: farms.site_id,
      enabled: sql<boolean>`${farms.enabled} and ${sites.enabled}`,
      circuit_open: derived<boolean>(sql`select coalesce(bool_and(${dispatchers.circuit} <> 'closed'), false)
        from ${dispatchers} where ${dispatchers.farm_id} = ${farms.id} and ${dispatchers.enabled}`),
      kind: derived<string | null>(
        sql`select ${dispatchers.kind} from ${dispatchers} where ${dispatchers.farm_id} = ${farms.id} limit 1`,
      ),
      object: decisiveMembers(spec),
      use: withUse ? useOf(spec) : sql<null>`null`,
    })
    .from(table as PgTable)
    .innerJoin(farms, eq(farms.id, table.farm_id))
    .innerJoin(sites, eq(sites.id, farms.site_id))
    .where(
      and(
        sql`(${table.farm_id}, ${table.uuid}) in (select * from unnest(${arrayOf(ofFarms)}, ${arrayOf(uuids)}))`,
        within(farms.site_id, scope),
      ),
    );
}

/** Members on which actions depend. */
const decisive = ['state', 'machine_state', 'maintenance', 'in_use', 'owner', 'workplace_uuid'];

function decisiveMembers({ select }: MergedSpec): SQL<Record<string, unknown>> {
  const pairs = Object.entries(select)
    .filter(([name]) => decisive.includes(name))
    .map(([name, value]) => sql`${sql.raw(`'${name}'`)}, ${value}`);
  return sql`${sql`json_build_object(${sql.join(pairs, sql`, `)})`}`;
}
