import { index, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { byteText, moment, recordColumns } from '../columns.ts';

/** The monitoring journal, with records of the system and of administrators. `message_key` is the folded message. */
export const monitoringRecords = pgTable(
  'monitoring_records',
  {
    ...recordColumns,
    at: moment().notNull(),
    level: text().$type<'info' | 'warning' | 'error' | 'critical'>().notNull(),
    source: text()
      .$type<'portal' | 'site' | 'farm' | 'dispatcher' | 'gateway' | 'domain' | 'jobs' | 'database'>()
      .notNull()
      .default('portal'),
    object_type: text(),
    object_id: text(),
    object_name: text(),
    code: text().notNull().default(''),
    message: text().notNull(),
    message_key: byteText().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    state: text().$type<'open' | 'acknowledged' | 'closed'>().notNull().default('open'),
    acknowledged_by: text(),
    acknowledged_at: moment(),
  },
  (t) => [
    index('monitoring_records_at').on(t.at, t.id),
    index('monitoring_records_level').on(t.level, t.at, t.id),
    index('monitoring_records_source').on(t.source, t.at, t.id),
    index('monitoring_records_state').on(t.state, t.at, t.id),
    index('monitoring_records_object_type').on(t.object_type, t.at, t.id),
    index('monitoring_records_object_id').on(t.object_id, t.at, t.id),
    index('monitoring_records_code').on(t.code, t.at, t.id),
    index('monitoring_records_message').using('gin', t.message_key.op('gin_trgm_ops')),
  ],
);
