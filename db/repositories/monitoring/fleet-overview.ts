import { and, asc, eq, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { gatewaySites, gateways } from '../../schema/gateways/gateways.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { farmParts } from '../../schema/snapshot/farm-parts.ts';
import { gatewayState, gatewayStats } from '../gateways/gateways.ts';
import { objectWithin } from '../records/object-sites.ts';
import { type Scope, within } from '../records/scope.ts';
import { derived } from '../records/statements.ts';
import { momentText } from '../snapshot/lists.ts';
import { farmState, nodeState } from './component-state.ts';

/** Most farms, nodes and gateways of an overview. */
const overviewLimits = { farms: 1_000, nodes: 2_000, gateways: 500 } as const;

/** Returns the farms of the scope by name, with the age and the error of their data. */
export const farmOverview = (db: Db, scope: Scope) =>
  db
    .select({
      id: farms.id,
      site_id: farms.site_id,
      name: farms.name,
      state: farmState,
      fetched_at: derived<string | null>(
        sql`select ${momentText(sql`min(${farmParts.fetched_at})`)} from ${farmParts} where ${farmParts.farm_id} = ${farms.id}`,
      ),
      last_sync_error: derived<string | null>(sql`select ${farmParts.error} from ${farmParts}
        where ${farmParts.farm_id} = ${farms.id} and ${farmParts.error} is not null order by ${farmParts.kind} limit 1`),
    })
    .from(farms)
    .where(within(farms.site_id, scope))
    .orderBy(asc(farms.name_key))
    .limit(overviewLimits.farms);

/** Returns the nodes of the scope: those whose last probe did not pass first, then by name. */
export const nodeOverview = (db: Db, scope: Scope) =>
  db
    .select({
      id: dispatchers.id,
      farm_id: dispatchers.farm_id,
      name: dispatchers.name,
      state: nodeState,
      status: dispatchers.status,
      circuit: dispatchers.circuit,
      last_check_at: derived<string | null>(sql`select ${momentText(dispatchers.last_check_at)}`),
      last_error: dispatchers.last_error,
      response_time_ms: dispatchers.response_time_ms,
      version: dispatchers.version,
      certificate_days_left: sql<number | null>`floor(extract(epoch from
        (${dispatchers.certificate} ->> 'not_after')::timestamptz - now()) / 86400)::int`,
    })
    .from(dispatchers)
    .innerJoin(farms, eq(farms.id, dispatchers.farm_id))
    .where(within(farms.site_id, scope))
    .orderBy(sql`${dispatchers.status} = 'pass'`, asc(dispatchers.name_key))
    .limit(overviewLimits.nodes);

/** Returns the gateways that serve a site of the scope, or no site, by name. Their sites are those of the scope. */
export const gatewayOverview = (db: Db, scope: Scope) =>
  db
    .select({
      id: gateways.id,
      name: gateways.name,
      sites: derived<string[]>(sql`array(select ${gatewaySites.site_id} from ${gatewaySites}
        where ${and(eq(gatewaySites.gateway_id, gateways.id), within(gatewaySites.site_id, scope))} order by 1)`),
      enabled: gateways.enabled,
      maintenance: gateways.maintenance,
      state: gatewayState,
      last_seen_at: derived<string | null>(sql`select ${momentText(gateways.last_seen_at)}`),
      connections: sql<number>`(${gatewayStats} ->> 'connections')::int`,
    })
    .from(gateways)
    .where(objectWithin('gateway', gateways.id, scope))
    .orderBy(asc(gateways.name_key))
    .limit(overviewLimits.gateways);
