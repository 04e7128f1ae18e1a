import { boolean, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';
import { dispatchers } from './dispatchers.ts';
import { farms } from './farms.ts';

/** What the snapshot has of each farm, and the life of a sync. */
export const partKinds = ['servicespools', 'workplaces', 'spsessions', 'tags'] as const;
export type PartKind = (typeof partKinds)[number];

/**
 * How old each part of a farm's snapshot is. `fetched_at` is our time of the last good read, `full_at` that of the last
 * one that read everything. `as_of` (what `since` is asked with, in the node's own words), `etag` of the full list and
 * whether `since` was understood belong to the node that gave them. A sync that runs holds `sync_id` until
 * `lease_until`; what it has read waits in `sync_rows`.
 */
export const farmParts = pgTable(
  'farm_parts',
  {
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    kind: text().$type<PartKind>().notNull(),
    dispatcher_id: uuid().references(() => dispatchers.id, { onDelete: 'set null' }),
    fetched_at: moment(),
    full_at: moment(),
    as_of: text(),
    etag: text(),
    is_incremental: boolean(),
    bad_rows: integer().notNull().default(0),
    took_ms: integer(),
    tried_at: moment(),
    error: text(),
    sync_id: uuid(),
    sync_started_at: moment(),
    lease_until: moment(),
  },
  (t) => [primaryKey({ columns: [t.farm_id, t.kind] })],
);
