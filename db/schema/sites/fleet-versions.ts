import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

/**
 * Counters that triggers move in the transaction of a change; now one, `entitlement`: it moves with all that decides
 * who may use what, and what there is. A cache holds only as long as its counter stands.
 */
export const fleetVersions = pgTable('fleet_versions', {
  name: text().primaryKey(),
  version: bigint({ mode: 'number' }).notNull(),
});
