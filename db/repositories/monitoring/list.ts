import { eq, gte, lte, type SQL } from 'drizzle-orm';
import { monitoringRecords as table } from '../../schema/monitoring/records.ts';
import { namedWithin } from '../records/object-sites.ts';
import { records } from '../records/records.ts';
import type { Scope } from '../records/scope.ts';

type Row = typeof table.$inferInsert;

/** The condition that a record is about an object within the scope, or about no object. */
export function visibleRecords(scope: Scope): SQL | undefined {
  return namedWithin({ type: table.object_type, id: table.object_id, details: table.details }, scope);
}

export const monitoring = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    at: table.at,
    level: table.level,
    source: table.source,
    object_type: table.object_type,
    object_id: table.object_id,
    object_name: table.object_name,
    code: table.code,
    message: table.message,
    details: table.details,
    state: table.state,
    acknowledged_by: table.acknowledged_by,
    acknowledged_at: table.acknowledged_at,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  within: visibleRecords,
  search: [table.message_key],
  filters: {
    level: (value: Row['level']) => eq(table.level, value),
    source: (value: NonNullable<Row['source']>) => eq(table.source, value),
    state: (value: NonNullable<Row['state']>) => eq(table.state, value),
    object_type: (value: string) => eq(table.object_type, value),
    object_id: (value: string) => eq(table.object_id, value),
    code: (value: string) => eq(table.code, value),
    from: (value: string) => gte(table.at, new Date(value)),
    to: (value: string) => lte(table.at, new Date(value)),
  },
  sorts: { at: table.at },
  unique: {},
});
