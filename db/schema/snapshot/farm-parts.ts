import { boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { dispatchers } from '../sites/dispatchers.ts';
import { farms } from '../sites/farms.ts';

/** The parts of a farm's snapshot. */
export const partKinds = ['servicespools', 'workplaces', 'spsessions', 'tags'] as const;
export type PartKind = (typeof partKinds)[number];

/** Number of values of a member that were ignored for this reason. */
export type IgnoredMember = { member: string; reason: string; count: number };

/**
 * State of each part of a farm's snapshot. `fetched_at` is the time of the last successful read by our clock,
 * `full_at` that of the last full read. `as_of` (the node's value for the next `since`), `etag` of the full list, and
 * `is_incremental` (the node supports `since`) apply to the node `dispatcher_id`. A running sync holds `sync_id`
 * until `lease_until`; its staged rows are in `sync_rows`. `dropped` counts rows without an identifier in the last
 * full read; `ignored` also includes ignored members of stored rows.
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
