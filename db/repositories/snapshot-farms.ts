import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { dispatcherSessions } from '../schema/dispatcher-sessions.ts';
import { dispatchers } from '../schema/dispatchers.ts';
import { farmParts } from '../schema/farm-parts.ts';
import { farms } from '../schema/farms.ts';
import { sites } from '../schema/sites.ts';
import { parameterOverrides } from './login-sessions.ts';
import { type Scope, within } from './scope.ts';
import { derived } from './statements.ts';
import type { StoredNode } from './stored-nodes.ts';

/** A farm in service with the nodes that may be asked, each with the keys that it gave to the aggregator itself. */
export type SnapshotFarm = {
  id: string;
  name: string;
  balancing: 'priority' | 'round_robin' | 'least_loaded';
  nodes: StoredNode[];
  overrides: Record<string, unknown> | null;
};

/** Which farms: those within the scope and, where given, of one site or only one. */
export type FarmChoice = { scope: Scope; siteId?: string | undefined; farmId?: string | undefined };

/**
 * Enabled farms of enabled sites and their enabled nodes whose circuit is closed; one statement. Farms that could not
 * be read last time come last, so that they keep nobody waiting; among the others the oldest comes first.
 */
export const farmsToSync = (db: Db, { scope, siteId, farmId }: FarmChoice): Promise<SnapshotFarm[]> =>
  db
    .select({
      id: farms.id,
      name: farms.name,
      balancing: farms.balancing,
      nodes: askableNodes,
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
      ),
    )
    .orderBy(
      derived(
        sql`select count(${farmParts.error}) > 0 from ${farmParts} where ${farmParts.farm_id} = ${farms.id}`,
      ),
      sql`${derived(sql`select min(${farmParts.tried_at}) from ${farmParts} where ${farmParts.farm_id} = ${farms.id}`)} nulls first`,
      farms.id,
    );

const askableNodes = derived<StoredNode[]>(sql`
  select coalesce(jsonb_agg(jsonb_build_object('id', ${dispatchers.id}, 'farm_id', ${dispatchers.farm_id},
      'name', ${dispatchers.name}, 'url', ${dispatchers.url}, 'priority', ${dispatchers.priority},
      'verify_tls', ${dispatchers.verify_tls}, 'ca_certificate', ${dispatchers.ca_certificate},
      'timeout_ms', ${dispatchers.timeout_ms}, 'status', ${dispatchers.status}, 'circuit', ${dispatchers.circuit},
      'circuit_failures', ${dispatchers.circuit_failures}, 'circuit_due', false,
      'response_time_ms', ${dispatchers.response_time_ms}, 'domains', null, 'domains_at', null, 'keys', (
        select coalesce(jsonb_agg(jsonb_build_object('subject', ${dispatcherSessions.subject},
          'sealed_key', ${dispatcherSessions.sealed_key}, 'expires_at', ${dispatcherSessions.expires_at})), '[]')
        from ${dispatcherSessions} where ${dispatcherSessions.dispatcher_id} = ${dispatchers.id}
          and ${dispatcherSessions.subject} = 'aggregator' and ${dispatcherSessions.expires_at} > now()))), '[]')
  from ${dispatchers} where ${dispatchers.farm_id} = ${farms.id} and ${dispatchers.enabled}
    and ${dispatchers.circuit} = 'closed'`);
