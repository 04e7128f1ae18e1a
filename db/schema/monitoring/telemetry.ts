import { sql } from 'drizzle-orm';
import { bigint, doublePrecision, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** What processes have counted, as they handed it over; a sidecar adds it up and takes it away. */
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

/** The sums of everything that was ever counted; what every sidecar tells. */
export const telemetrySums = pgTable(
  'telemetry_sums',
  {
    family: text().notNull(),
    labels: text().array().notNull(),
    value: doublePrecision().notNull(),
  },
  (t) => [primaryKey({ columns: [t.family, t.labels] })],
);

/** Up to which `seq` of the audit something has been counted. */
export const telemetryMarks = pgTable('telemetry_marks', {
  name: text().primaryKey(),
  seq: bigint({ mode: 'number' }).notNull(),
});
