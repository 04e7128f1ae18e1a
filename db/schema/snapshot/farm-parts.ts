import { boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { dispatchers } from '../sites/dispatchers.ts';
import { farms } from '../sites/farms.ts';

/** What the snapshot has of each farm, and the life of a sync. */
export const partKinds = ['servicespools', 'workplaces', 'spsessions', 'tags'] as const;
export type PartKind = (typeof partKinds)[number];

/** How many values of a member of the rows of a node were ignored for this reason. */
export type IgnoredMember = { member: string; reason: string; count: number };

/**
 * How old each part of a farm's snapshot is. `fetched_at` is our time of the last good read, `full_at` that of the last
 * one that read everything. `as_of` (what `since` is asked with, in the node's own words), `etag` of the full list and
 * whether `since` was understood belong to the node that gave them. A sync that runs holds `sync_id` until
 * `lease_until`; what it has read waits in `sync_rows`. `dropped` counts the rows that had no identity in the last full read;
 * `ignored` adds what was ignored in the rows that are kept.
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
    dropped: jsonb().$type<IgnoredMember[]>().notNull().default([]),
    ignored: jsonb().$type<IgnoredMember[]>().notNull().default([]),
    took_ms: integer(),
    tried_at: moment(),
    error: text(),
    sync_id: uuid(),
    sync_started_at: moment(),
    lease_until: moment(),
  },
  (t) => [primaryKey({ columns: [t.farm_id, t.kind] })],
);
