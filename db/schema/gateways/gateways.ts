import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { byteText, moment, recordColumns } from '../columns.ts';
import { sites } from '../sites/sites.ts';

/** What a gateway tells of itself with each heartbeat; until the next one tunnels move it on. */
export type GatewayStats = { connections: number; sent: number; received: number };

/** The last cumulative counters of the processes of a gateway, as `continue_counters` keeps them. */
type ProcessCounter = { counter: number; recent: number; before: number; since: number };
export type ProcessCounters = Record<'sent' | 'received', ProcessCounter[]>;

/**
 * Gateways; of the token only its SHA-256. The last columns are written by heartbeats and tickets, never by administrators.
 */
export const gateways = pgTable(
  'gateways',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    host: text().notNull(),
    port: integer().notNull().default(443),
    protocols: text().array().notNull().default(['rdp', 'spice']),
    networks: text().array().notNull().default([]),
    priority: integer().notNull().default(1),
    enabled: boolean().notNull().default(true),
    maintenance: boolean().notNull().default(false),
    token_hash: text().notNull(),
    version: text(),
    /** Which tunnels a ticket opens: from its address only, also from one of the other family, or from any. */
    client_address: text().$type<'exact' | 'family' | 'off'>().notNull().default('family'),
    /** What the bytes at the end of a tunnel count: that tunnel, or all tunnels of the process since it started. */
    byte_counters: text().$type<'tunnel' | 'process'>().notNull().default('tunnel'),
    process_counters: jsonb().$type<ProcessCounters>().notNull().default({ sent: [], received: [] }),
    last_seen_at: moment(),
    /** Open tunnels as the last heartbeat that had the figure reported them. */
    reported_connections: integer(),
    reported_at: moment(),
    /** The last tunnel that began or ended. */
    last_used_at: moment(),
    stats: jsonb().$type<GatewayStats>(),
    /** What the journal was last told. */
    noted_status: text().$type<'pass' | 'fail' | 'unknown'>().notNull().default('unknown'),
  },
  (t) => [uniqueIndex('gateways_name_key').on(t.name_key), uniqueIndex('gateways_token').on(t.token_hash)],
);

/** The sites whose users go through the gateway. */
export const gatewaySites = pgTable(
  'gateway_sites',
  {
    gateway_id: uuid()
      .notNull()
      .references(() => gateways.id, { onDelete: 'cascade' }),
    site_id: uuid()
      .notNull()
      .references(() => sites.id, { onDelete: 'restrict' }),
  },
  (t) => [primaryKey({ columns: [t.gateway_id, t.site_id] }), index('gateway_sites_site').on(t.site_id)],
);
