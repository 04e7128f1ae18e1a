import { bigint, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

export type FieldChange = { field: string; before: unknown; after: unknown };

/** Append-only; `seq`, `prev_hash` and `hash` are filled in by the sealer. */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: uuid().primaryKey(),
    seq: bigint({ mode: 'number' }),
    at: moment().notNull(),
    event: text().notNull(),
    category: text().$type<'auth' | 'config' | 'session' | 'workplace' | 'system'>().notNull(),
    level: text().$type<'info' | 'warning' | 'error'>().notNull(),
    result: text().$type<'success' | 'failure'>().notNull(),
    user_name: text(),
    user_id: uuid(),
    domain: text(),
    portal: text(),
    service_token: text(),
    source_ip: text(),
    user_agent: text(),
    request_id: text(),
    method: text(),
    path: text(),
    object_type: text(),
    object_id: text(),
    object_name: text(),
    action: text(),
    changes: jsonb().$type<FieldChange[]>().notNull().default([]),
    details: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    message: text().notNull().default(''),
    count: integer().notNull().default(1),
    prev_hash: text(),
    hash: text(),
  },
  (t) => [index('audit_events_at').on(t.at, t.id)],
);
