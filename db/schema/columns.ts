import { sql } from 'drizzle-orm';
import { customType, index, integer, type PgColumn, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Text with byte-wise comparison, independent of the database locale, so that all runtimes sort and page alike. */
export const byteText = customType<{ data: string; driverData: string }>({
  dataType: () => 'text collate "C"',
});

/** A timestamp in UTC with milliseconds. */
export const moment = () => timestamp({ withTimezone: true, precision: 3, mode: 'date' });

/**
 * Columns of all administered objects. `name_key`, where present, is the folded name (see `foldName`) for uniqueness,
 * sorting and search. `revision` counts the writes of the row; `If-Match` is compared with it.
 */
export const recordColumns = {
  id: uuid().primaryKey(),
  created_at: moment().notNull().default(sql`now()`),
  updated_at: moment().notNull().default(sql`now()`),
  revision: integer().notNull().default(1),
};

/**
 * Columns of all snapshot tables. `touched_at` is the time of the last change by an action of the portal, which
 * protects the row from a sync that began earlier. The time of the last read is stored per farm part, so that
 * unchanged rows are not written.
 */
export const snapshotColumns = {
  id: uuid().primaryKey().default(sql`gen_random_uuid()`),
  touched_at: moment(),
  /** `<member> <reason>` for each ignored member of the node's row. */
  ignored: text().array().notNull().default([]),
};

/** An index of the rows with ignored members. It is small while nodes send valid data. */
export const ignoredIndex = (name: string, { farm_id, ignored }: { farm_id: PgColumn; ignored: PgColumn }) =>
  index(name).on(farm_id).where(sql`${ignored} <> '{}'`);
