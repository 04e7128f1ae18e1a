import { pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { farms } from '../sites/farms.ts';

/**
 * When a pool last had no free machine for a connection. Rules try such a pool last for a few seconds. The row is in the
 * database, because a process of a serverless platform serves few requests; it changes the order of members only, and
 * stays until it is overwritten.
 */
export const fullPools = pgTable(
  'full_pools',
  {
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    servicepool_uuid: uuid().notNull(),
    full_at: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.farm_id, t.servicepool_uuid] })],
);
