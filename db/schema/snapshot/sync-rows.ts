import { index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Rows staged by a running sync, page by page, until they are merged. */
export const syncRows = pgTable(
  'sync_rows',
  {
    sync_id: uuid().notNull(),
    uuid: uuid().notNull(),
    content: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sync_id, t.uuid] })],
);

/** Rows removed by an action of the portal. A sync that began earlier does not restore them. */
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
