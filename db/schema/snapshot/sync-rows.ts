import { index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Rows that a sync has read and checked, page by page, until one statement makes them the farm's. */
export const syncRows = pgTable(
  'sync_rows',
  {
    sync_id: uuid().notNull(),
    uuid: uuid().notNull(),
    content: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sync_id, t.uuid] })],
);

/** Rows that an action removed: a sync that began before does not bring them back. */
export const removedRows = pgTable(
  'removed_rows',
  {
    farm_id: uuid().notNull(),
    kind: text().notNull(),
    uuid: uuid().notNull(),
    removed_at: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.farm_id, t.kind, t.uuid] }), index('removed_rows_age').on(t.removed_at)],
);
