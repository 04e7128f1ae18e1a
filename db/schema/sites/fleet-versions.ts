import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

/**
 * Counters that triggers increment in the transaction of a change. `entitlement` is incremented by every change of
 * access rights or topology. A cache is valid while its counter is unchanged.
 */
export const fleetVersions = pgTable('fleet_versions', {
  name: text().primaryKey(),
  version: bigint({ mode: 'number' }).notNull(),
});
