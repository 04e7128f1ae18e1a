import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { farmParts, partKinds } from '../../schema/snapshot/farm-parts.ts';
import { parameterOverrides } from '../identity/login/sessions.ts';
import { type Scope, within } from '../records/scope.ts';
import { derived } from '../records/statements.ts';
import { availableNodes, type FarmNode } from '../sites/farm-nodes.ts';

/** An enabled farm with its available nodes, each with the keys for the portal itself. */
export type SnapshotFarm = {
  id: string;
  name: string;
  balancing: 'priority' | 'round_robin' | 'least_loaded';
  nodes: FarmNode[];
  overrides: Record<string, unknown> | null;
};

/** Selects farms: those within the scope, optionally of one site, or one farm. */
export type FarmChoice = {
  scope: Scope;
  siteId?: string | undefined;
  farmId?: string | undefined;
  /** Only farms with a part that was never read. */
  unread?: boolean;
  /** Only farms with a part whose last read failed, or only the others. */
  failing?: boolean;
};

/**
 * Returns enabled farms of enabled sites with their enabled nodes whose circuit is closed; one statement. Farms whose
 * last read failed come last, so that they do not delay the others; otherwise the oldest comes first.
 */
export const farmsToSync = (
  db: Db,
  { scope, siteId, farmId, unread = false, failing }: FarmChoice,
): Promise<SnapshotFarm[]> =>
  db
    .select({
      id: farms.id,
      name: farms.name,
      balancing: farms.balancing,
      nodes: availableNodes(farms.id),
      overrides: parameterOverrides,
    })
    .from(farms)
    .innerJoin(sites, eq(sites.id, farms.site_id))
    .where(
      and(
        farms.enabled,
        sites.enabled,
        within(farms.site_id, scope),
        siteId === undefined ? undefined : eq(farms.site_id, siteId),
        farmId === undefined ? undefined : eq(farms.id, farmId),
        unread ? sql`(${partsRead}) < ${partKinds.length}::int` : undefined,
        failing === undefined ? undefined : sql`exists (${failed}) = ${failing}`,
      ),
    )
    .orderBy(
      derived(sql`exists (${failed})`),
      sql`${derived(sql`select min(${farmParts.tried_at}) from ${farmParts} where ${farmParts.farm_id} = ${farms.id}`)} nulls first`,
      farms.id,
    );

const partsRead = sql`select count(*) from ${farmParts} where ${farmParts.farm_id} = ${farms.id} and ${farmParts.fetched_at} is not null`;
const failed = sql`select from ${farmParts} where ${farmParts.farm_id} = ${farms.id} and ${farmParts.error} is not null`;

const enabledFarms = sql`${farms} join ${sites} on ${sites.id} = ${farms.site_id} and ${sites.enabled} where ${farms.enabled}`;

/** Whether a part of a farm with nodes was never read. */
export const hasNewFarm = sql<boolean>`exists (select from ${enabledFarms}
  and (${partsRead}) < ${sql.raw(String(partKinds.length))}
  and exists (select from ${dispatchers} where ${dispatchers.farm_id} = ${farms.id} and ${dispatchers.enabled}
    and ${dispatchers.circuit} = 'closed'))`;

/** Whether the last read of a part of a farm failed. */
export const hasFailingFarm = sql<boolean>`exists (select from ${enabledFarms} and exists (${failed}))`;
