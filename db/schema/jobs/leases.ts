import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/**
 * A lease belongs to one process (`holder`) until `expires_at`, by the clock of the database. `fence` is incremented
 * each time the lease passes to another holder.
 */
export const leases = pgTable('leases', {
  name: text().primaryKey(),
  holder: text().notNull(),
  fence: bigint({ mode: 'number' }).notNull().default(1),
  renewed_at: moment().notNull(),
  expires_at: moment().notNull(),
});
