import { sql } from 'drizzle-orm';
import { bigint, doublePrecision, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Batches of counts from processes. A sidecar adds them to the sums and deletes them. */
export const telemetryBatches = pgTable(
  'telemetry_batches',
  {
    id: uuid().primaryKey(),
    at: moment().notNull().default(sql`now()`),
    /** `[[family, labels, value], …]` */
    counts: jsonb().$type<readonly (readonly [string, readonly string[], number])[]>().notNull(),
  },
  (t) => [index('telemetry_batches_at').on(t.at)],
);

/** Sums of all counts, as exposed by every sidecar. */
export const telemetrySums = pgTable(
  'telemetry_sums',
  {
    family: text().notNull(),
    labels: text().array().notNull(),
    value: doublePrecision().notNull(),
  },
  (t) => [primaryKey({ columns: [t.family, t.labels] })],
);

/** The `seq` of the audit up to which events are counted. */
export const telemetryMarks = pgTable('telemetry_marks', {
  name: text().primaryKey(),
  seq: bigint({ mode: 'number' }).notNull(),
});
