import { eq, sql } from 'drizzle-orm';
import { auditEvents as table } from '../../schema/audit/events.ts';
import type { ListSpec } from '../records/records.ts';

const select = {
  id: table.id,
  seq: table.seq,
  at: table.at,
  event: table.event,
  category: table.category,
  level: table.level,
  result: table.result,
  actor: table.actor,
  user: table.user_name,
  user_id: table.user_id,
  domain: table.domain,
  portal: table.portal,
  service_token: table.service_token,
  source_ip: table.source_ip,
  user_agent: table.user_agent,
  request_id: table.request_id,
  method: table.method,
  path: table.path,
  object_type: table.object_type,
  object_id: table.object_id,
  object_name: table.object_name,
  action: table.action,
  changes: table.changes,
  details: table.details,
  message: table.message,
  count: table.count,
  prev_hash: table.prev_hash,
  hash: table.hash,
};

/** Weight of an event in bytes of JSON: its variable members, and at most 1,500 bytes for the rest. */
export const weightOfEvent = sql<number>`1500 + octet_length(json_build_array(${table.changes}, ${table.details}, ${table.message},
  ${table.user_name}, ${table.user_agent}, ${table.domain}, ${table.service_token}, ${table.object_id},
  ${table.object_name})::text)`;

/** The list of audit events. Every filter has an index in list order. */
export const auditList: { spec: ListSpec<typeof select> } = {
  spec: {
    table,
    select,
    search: [],
    filters: {
      from: (value: string) => sql`${table.at} >= ${value}::timestamptz`,
      to: (value: string) => sql`${table.at} < ${value}::timestamptz`,
      seq: (value: number) => eq(table.seq, value),
      event: (value: string) => eq(table.event, value),
      category: (value: typeof table.category._.data) => eq(table.category, value),
      result: (value: typeof table.result._.data) => eq(table.result, value),
      // A failed login stores the name as typed.
      user: (value: string) => sql`lower(${table.user_name}) = lower(${value})`,
      object_type: (value: string) => eq(table.object_type, value),
      object_id: (value: string) => eq(table.object_id, value),
      source_ip: (value: string) => eq(table.source_ip, value),
    },
    sorts: { at: table.at },
    weight: weightOfEvent,
  },
};
