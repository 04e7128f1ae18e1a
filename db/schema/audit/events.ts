import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { Actor } from '../../../shared/kernel/names/actors.ts';
import { moment } from '../columns.ts';

export type FieldChange = { field: string; before: unknown; after: unknown };

/**
 * Append-only, enforced by a trigger. The last three columns and `seq` are written by the sealer; `sealed_text` is
 * the canonical JSON of the event that was hashed.
 */
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
    sealed_text: text(),
    /** What acted. Names are free texts, so they do not say it. Null for events of versions that did not record it. */
    actor: text().$type<Actor>(),
  },
  // One index per filter, in list order, so that each page is read from an index without sorting.
  (t) => [
    index('audit_events_at').on(t.at, t.id),
    uniqueIndex('audit_events_seq').on(t.seq),
    index('audit_events_unsealed').on(t.at, t.id).where(sql`${t.seq} is null`),
    index('audit_events_event').on(t.event, t.at, t.id),
    index('audit_events_category').on(t.category, t.at, t.id),
    index('audit_events_result').on(t.result, t.at, t.id),
    index('audit_events_user').on(sql`lower(${t.user_name})`, t.at, t.id),
    index('audit_events_object_type').on(t.object_type, t.at, t.id),
    index('audit_events_object_id').on(t.object_id, t.at, t.id),
    index('audit_events_source').on(t.source_ip, t.at, t.id),
  ],
);
