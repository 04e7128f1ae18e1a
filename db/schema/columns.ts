import { sql } from 'drizzle-orm';
import { customType, integer, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Text compared byte by byte, whatever the locale of the database: every runtime sorts and pages alike. */
export const byteText = customType<{ data: string; driverData: string }>({
  dataType: () => 'text collate "C"',
});

/** A moment in UTC, millisecond precision. */
export const moment = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' });

/**
 * What every administered object has. `name_key` is the folded name (see `foldName`): uniqueness, sorting and
 * searching use it; `revision` counts the writes of the row and is what `If-Match` compares.
 */
export const recordColumns = {
  id: uuid().primaryKey(),
  created_at: moment().notNull().default(sql`now()`),
  updated_at: moment().notNull().default(sql`now()`),
  revision: integer().notNull().default(1),
};

/**
 * What every row of the snapshot has. `fetched_at` is when we last saw it; `touched_at` when an action of ours changed
 * it, which no sync that began before may take back.
 */
export const snapshotColumns = {
  id: uuid().primaryKey().default(sql`gen_random_uuid()`),
  fetched_at: moment().notNull(),
  touched_at: moment(),
};
