import { eq, sql } from 'drizzle-orm';
import { type GatewayStats, gatewaySites, gateways as table } from '../schema/gateways.ts';
import { records } from './records.ts';
import { derived, memberIds } from './statements.ts';

const links = {
  sites: { table: gatewaySites, owner: gatewaySites.gateway_id, member: gatewaySites.site_id },
};

/** Heartbeats come every few seconds: one that has been silent for a minute is taken for gone. */
const state = derived<'online' | 'offline' | 'unknown'>(sql`
  case when ${table.last_seen_at} is null then 'unknown'
       when ${table.last_seen_at} > now() - interval '60 seconds' then 'online' else 'offline' end`);

const stats = derived<GatewayStats>(
  sql`coalesce(${table.stats}, '{"connections": 0, "sent": 0, "received": 0}')`,
);

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
    // The hash; views show it as `null` with `token_set` beside.
    token: table.token_hash,
    state,
    version: table.version,
    last_seen_at: table.last_seen_at,
    stats,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  search: [table.name_key, sql`lower(${table.host})`],
  filters: {
    site_id: (value: string) =>
      sql`exists(select 1 from ${gatewaySites} where ${gatewaySites.gateway_id} = ${table.id} and ${gatewaySites.site_id} = ${value}::uuid)`,
    enabled: (value: boolean) => eq(table.enabled, value),
    state: (value: string) => sql`${state} = ${value}`,
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
