import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { farms } from '../schema/farms.ts';
import { sites } from '../schema/sites.ts';
import { type Scope, within } from './scope.ts';
import { type StoredNode, storedNodes } from './stored-nodes.ts';
import type { StoredFarm } from './user-sites.ts';

/** A farm with its site and the nodes that may be called, each with the keys that it gave to the aggregator itself. */
export type AdminFarm = {
  site: { id: string; uri: string; name: string };
  farm: StoredFarm & { nodes: StoredNode[] };
};

/** The farm within the scope, in one statement. */
export async function findAdminFarm(db: Db, id: string, scope: Scope): Promise<AdminFarm | undefined> {
  const [row] = await db
    .select({
      site: { id: sites.id, uri: sites.uri, name: sites.name },
      farm: {
        id: farms.id,
        name: farms.name,
        enabled: farms.enabled,
        maintenance: farms.maintenance,
        balancing: farms.balancing,
      },
      nodes: storedNodes(sql`${farms.id} = ${id}::uuid`),
    })
    .from(farms)
    .innerJoin(sites, eq(sites.id, farms.site_id))
    .where(and(eq(farms.id, id), within(farms.site_id, scope)));
  return row && { site: row.site, farm: { ...row.farm, nodes: row.nodes } };
}
