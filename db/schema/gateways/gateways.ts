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

/** Figures from the last heartbeat, updated by tunnels until the next one. */
export type GatewayStats = { connections: number; sent: number; received: number };

/** The last cumulative counters of the processes of a gateway, maintained by `continue_counters`. */
type ProcessCounter = { counter: number; recent: number; before: number; since: number };
export type ProcessCounters = Record<'sent' | 'received', ProcessCounter[]>;

/**
 * Gateways. Only the SHA-256 of the token is stored. The columns from `version` on, except `client_address` and
 * `byte_counters`, are written by heartbeats and tickets.
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
    /** Addresses that a ticket accepts: only its own, also the other address family, or any. */
    client_address: text().$type<'exact' | 'family' | 'off'>().notNull().default('family'),
    /** Meaning of the byte counts at the end of a tunnel: of that tunnel, or of the process since its start. */
    byte_counters: text().$type<'tunnel' | 'process'>().notNull().default('tunnel'),
    process_counters: jsonb().$type<ProcessCounters>().notNull().default({ sent: [], received: [] }),
    last_seen_at: moment(),
    /** Open tunnels reported by the last heartbeat with that figure. */
    reported_connections: integer(),
    reported_at: moment(),
    /** Time at which a tunnel last began or ended. */
    last_used_at: moment(),
    stats: jsonb().$type<GatewayStats>(),
    /** The last status written to the monitoring journal. */
    noted_status: text().$type<'pass' | 'fail' | 'unknown'>().notNull().default('unknown'),
  },
  (t) => [uniqueIndex('gateways_name_key').on(t.name_key), uniqueIndex('gateways_token').on(t.token_hash)],
);

/** The sites whose users connect through the gateway. */
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
