import { sql } from 'drizzle-orm';
import { customType, index, integer, type PgColumn, text, timestamp, uuid } from 'drizzle-orm/pg-core';

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
 * What every row of the snapshot has. `touched_at` is when an action of ours changed it, which no sync that began before
 * may take back; when it was last read is told by the farm's part, so that rows that stay as they are are not written.
 */
export const snapshotColumns = {
  id: uuid().primaryKey().default(sql`gen_random_uuid()`),
  touched_at: moment(),
  /** `<member> <reason>` for each member of the row of the node that was ignored. */
  ignored: text().array().notNull().default([]),
};

/** Finds the rows of a farm in which something was ignored; small while the nodes send what they should. */
export const ignoredIndex = (name: string, { farm_id, ignored }: { farm_id: PgColumn; ignored: PgColumn }) =>
  index(name).on(farm_id).where(sql`${ignored} <> '{}'`);
