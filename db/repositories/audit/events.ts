import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { ResourceType } from '../../../shared/resources.ts';
import type { Db, Statement } from '../../client.ts';
import { notifying, takeNotice, withPossibleNotice } from '../../postgres/work-notice.ts';
import { prebuiltStatement, type StatementValues } from '../../prebuilt.ts';
import { auditEvents } from '../../schema/audit/events.ts';

/** An event without the members that the sealer adds (`seq` and the hashes). */
export type AuditEntry = Omit<
  typeof auditEvents.$inferInsert,
  'seq' | 'prev_hash' | 'hash' | 'sealed_text' | 'object_type'
> & { object_type?: ResourceType | null | undefined };

/** Returns the insert statement of an event; it belongs in the batch of the change that it describes. */
export const appendAudit = (handle: Db, entry: AuditEntry): Statement =>
  insertEvent(handle, valuesOf(entry), takeNotice() ? 'notifying' : '');

const { seq: _, prev_hash: __, hash: ___, sealed_text: ____, ...entryColumns } = getTableColumns(auditEvents);
const columnsOfEntry = Object.entries(entryColumns);

const insertEvent = prebuiltStatement((db, values, form) => {
  const row = Object.fromEntries(columnsOfEntry.map(([name]) => [name, values[name]]));
  const insert = db.insert(auditEvents).values(row as never);
  return form === 'notifying' ? notifying(insert) : insert;
});

/** Like `appendAudit`, for events that are computed by a select of `auditRow`. */
export const appendAuditRows = (handle: Db, rows: SQL): Statement =>
  withPossibleNotice(handle.insert(auditEvents).select(rows));

/** A changed field whose value after the change is computed in the statement. */
export type ComputedChange = { field: string; before: unknown; after: SQL };

/** Like `appendAudit`, with one more change. */
export const appendAuditWith = (
  handle: Db,
  entry: AuditEntry,
  { field, before, after }: ComputedChange,
): Statement => {
  const change = JSON.stringify([...(entry.changes ?? []), { field, before }]);
  const changes = sql`jsonb_set(${change}::jsonb, '{-1,after}', coalesce(to_jsonb(${after}), 'null'))`;
  return appendAuditRows(handle, auditRow(entry, { changes }));
};

/** All columns are given, so that all events have the same statement. */
const valuesOf = (entry: AuditEntry): StatementValues =>
  Object.fromEntries(
    columnsOfEntry.map(([name, column]) => [name, entryValue(entry, name as keyof AuditEntry, column)]),
  );

const entryValue = (entry: AuditEntry, name: keyof AuditEntry, column: PgColumn): unknown =>
  entry[name] ?? (column.notNull ? column.default : null) ?? null;

/** The event as a row of literals, except for columns that are computed in the statement. */
export function auditRow(entry: AuditEntry, computed: Partial<Record<keyof AuditEntry, SQL>>): SQL {
  const columns = Object.entries(getTableColumns(auditEvents)).map(([name, column]) => {
    const known = computed[name as keyof AuditEntry];
    const value = entryValue(entry, name as keyof AuditEntry, column);
    return (
      known ?? sql`${sql.param(value, value === null ? undefined : column)}::${sql.raw(column.getSQLType())}`
    );
  });
  return sql`select ${sql.join(columns, sql`, `)}`;
}
