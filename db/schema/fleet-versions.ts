import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

/**
 * Counters that triggers move in the transaction of a change: `topology` with what sites, farms and nodes are,
 * `entitlement` with what decides who may use what. A cache holds only as long as its counter stands.
 */
export const fleetVersions = pgTable('fleet_versions', {
  name: text().primaryKey(),
  version: bigint({ mode: 'number' }).notNull(),
});
