import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Db } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { users } from '../../schema/identity/users.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { farmParts } from '../../schema/snapshot/farm-parts.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { type Scope, within } from '../records/scope.ts';
import { derived } from '../records/statements.ts';
import { type FarmNode, farmNodes } from '../sites/farm-nodes.ts';
import type { StoredFarm } from '../sites/user-sites.ts';
import { type MergedSpec, momentText } from './lists.ts';

/**
 * Identifies an object of a dispatcher by its identifier there, and optionally its farm, with further data to be
 * read.
 */
export type ObjectQuery = {
  uuid: string;
  farmId?: string | undefined;
  pool?: string | undefined;
  person?: { domainId: string; userId: string } | undefined;
  /** Whether to read if a workplace is in use. */
  withUse?: true;
};

/** `domain` is the label of the domain. */
type Person = { name: string; domain: string };

/** A farm with its available nodes. */
export type FleetFarm = {
  site: { id: string; uri: string; enabled: boolean };
  farm: StoredFarm;
  nodes: FarmNode[];
};

/** An object as in a list, with its farm. */
export type FleetObject = FleetFarm & {
  object: Record<string, unknown>;
  /** The user of the request as dispatchers identify the user; null if the user does not exist. */
  person: Person | null;
  /** Use of a workplace, if requested. */
  use: WorkplaceUse | null;
};

/**
 * Live sessions at a workplace, reported by dispatchers and agents. `as_of` is null for a farm that was never read.
 */
export type WorkplaceUse = { sessions: number; as_of: string | null };

/**
 * Returns the objects with this identifier within the scope, at most two; one statement.
 * @param pool restricts a workplace to this pool
 */
export async function findFleetObjects(
  db: Db,
  spec: MergedSpec,
  { uuid, farmId, pool, person, withUse }: ObjectQuery,
  scope: Scope,
): Promise<FleetObject[]> {
  const { table } = spec;
  return db
    .select({
      ...farmMembers(sql`${farms.id} = ${table.farm_id}`),
      object: membersOf(spec),
      person: person ? personOf(person) : sql<null>`null`,
      use: withUse ? useOf(spec) : sql<null>`null`,
    })
    .from(table as PgTable)
    .innerJoin(farms, eq(farms.id, table.farm_id))
    .innerJoin(sites, eq(sites.id, farms.site_id))
    .where(
      and(
        eq(table.uuid, uuid),
        within(farms.site_id, scope),
        farmId === undefined ? undefined : eq(farms.id, farmId),
        pool === undefined ? undefined : spec.filters.servicepool_uuid?.(pool as never),
      ),
    )
    .orderBy(farms.name_key)
    .limit(2);
}

/** Returns the farm in any state; one statement. */
export async function findFleetFarm(db: Db, id: string): Promise<FleetFarm | undefined> {
  const [found] = await db
    .select(farmMembers(sql`${farms.id} = ${id}::uuid`))
    .from(farms)
    .innerJoin(sites, eq(sites.id, farms.site_id))
    .where(eq(farms.id, id));
  return found;
}

const farmMembers = (isFarm: SQL) => ({
  site: { id: sites.id, uri: sites.uri, enabled: sites.enabled },
  farm: {
    id: farms.id,
    name: farms.name,
    enabled: farms.enabled,
    maintenance: farms.maintenance,
    balancing: farms.balancing,
  },
  nodes: farmNodes(isFarm),
});

function membersOf({ kind, table, select }: MergedSpec): SQL<Record<string, unknown>> {
  const { id: _, ...members } = select;
  const pairs = Object.entries(members).map(([name, value]) => sql`${sql.raw(`'${name}'`)}, ${value}`);
  const fetched = derived(sql`select ${farmParts.fetched_at} from ${farmParts}
    where ${farmParts.farm_id} = ${table.farm_id} and ${farmParts.kind} = ${kind}`);
  return sql`${sql`json_build_object(${sql.join(pairs, sql`, `)}, 'farm_id', ${farms.id}, 'farm_name', ${farms.name},
    'site_id', ${sites.id}, 'site_name', ${sites.name},
    'fetched_at', ${momentText(sql`greatest(${fetched}, ${table.touched_at})`)})`}`;
}

const personOf = ({ domainId, userId }: NonNullable<ObjectQuery['person']>): SQL<Person | null> =>
  derived(sql`select json_build_object('name', ${users.name}, 'domain', ${authenticators.small_name})
    from ${users} join ${authenticators} on ${authenticators.id} = ${users.authenticator_id}
    where ${users.id} = ${userId} and ${authenticators.id} = ${domainId}`);

/** As old as the older of the two lists. */
export const useOf = ({ table }: MergedSpec): SQL<WorkplaceUse> =>
  derived(sql`select json_build_object(
    'sessions', (select count(*) from ${workplaceSessions}
      where ${workplaceSessions.farm_id} = ${table.farm_id} and ${workplaceSessions.workplace_uuid} = ${table.uuid}),
    'as_of', (select case when count(*) = 2 then min(${farmParts.fetched_at}) end from ${farmParts}
      where ${farmParts.farm_id} = ${table.farm_id} and ${farmParts.kind} in ('workplaces', 'spsessions')
        and ${farmParts.fetched_at} is not null))`);
