import { eq, type SQL, sql } from 'drizzle-orm';
import { type GatewayStats, gatewaySites, gateways as table } from '../../schema/gateways/gateways.ts';
import { sitesOfGateway } from '../records/object-sites.ts';
import { records } from '../records/records.ts';
import { derived, memberIds } from '../records/statements.ts';

const links = {
  sites: { table: gatewaySites, owner: gatewaySites.gateway_id, member: gatewaySites.site_id },
};

export const onlineUntil: SQL = sql`${table.last_seen_at} + interval '60 seconds'`;

/**
 * A gateway is offline after 60 seconds without a heartbeat; heartbeats arrive every few seconds. Null before the
 * first heartbeat, because a gateway need not send any.
 */
export const isOnline: SQL<boolean | null> = sql`${onlineUntil} > now()`;

type State = 'online' | 'offline' | 'unknown';
/** The state of a row by its heartbeats. */
export const gatewayState = derived<State>(
  sql`case when ${isOnline} then 'online' when not ${isOnline} then 'offline' else 'unknown' end`,
);
const status = derived<'pass' | 'fail' | 'unknown'>(
  sql`case when ${isOnline} then 'pass' when not ${isOnline} then 'fail' else 'unknown' end`,
);

/** The figures of a gateway, with zeros before the first report. */
export const gatewayStats: SQL<GatewayStats> = sql`coalesce(${table.stats}, '{"connections": 0, "sent": 0, "received": 0}')`;

export const gateways = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    host: table.host,
    port: table.port,
    protocols: table.protocols,
    sites: memberIds(links.sites, table.id),
    networks: table.networks,
    priority: table.priority,
    enabled: table.enabled,
    maintenance: table.maintenance,
    // The hash. Views show `null`, and the boolean `token_set`.
    token: table.token_hash,
    state: gatewayState,
    status,
    version: table.version,
    client_address: table.client_address,
    byte_counters: table.byte_counters,
    last_seen_at: table.last_seen_at,
    last_used_at: table.last_used_at,
    stats: derived<GatewayStats>(gatewayStats),
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  sites: sitesOfGateway(table.id),
  narrowed: ({ sites }: { sites: string[] }, scope) => ({ sites: sites.filter((id) => scope.includes(id)) }),
  search: [table.name_key, sql`lower(${table.host})`],
  filters: {
    site_id: (value: string) =>
      sql`exists(select 1 from ${gatewaySites} where ${gatewaySites.gateway_id} = ${table.id} and ${gatewaySites.site_id} = ${value}::uuid)`,
    enabled: (value: boolean) => eq(table.enabled, value),
    state: (value: string) => sql`${gatewayState} = ${value}`,
  },
  sorts: {
    name: table.name_key,
    priority: table.priority,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  links,
  unique: { '/name': ['name_key'] },
});
