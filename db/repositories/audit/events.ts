import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { ResourceType } from '../../../shared/resources.ts';
import type { Db, Statement } from '../../client.ts';
import { withNotice, withPossibleNotice } from '../../postgres/work-notice.ts';
import { auditEvents } from '../../schema/audit/events.ts';

/** An event without the members that the sealer adds (`seq` and the hashes). */
export type AuditEntry = Omit<
  typeof auditEvents.$inferInsert,
  'seq' | 'prev_hash' | 'hash' | 'sealed_text' | 'object_type'
> & { object_type?: ResourceType | null | undefined };

/** Returns the insert statement of an event; it belongs in the batch of the change that it describes. */
export const appendAudit = (handle: Db, entry: AuditEntry): Statement =>
  withNotice(handle.insert(auditEvents).values(entry));

/** Like `appendAudit`, for events that are computed by a select of `auditRow`. */
export const appendAuditRows = (handle: Db, rows: SQL): Statement =>
  withPossibleNotice(handle.insert(auditEvents).select(rows));

/** The event as a row of literals, except for columns that are computed in the statement. */
export function auditRow(entry: AuditEntry, computed: Partial<Record<keyof AuditEntry, SQL>>): SQL {
  const columns = Object.entries(getTableColumns(auditEvents)).map(([name, column]) => {
    const known = computed[name as keyof AuditEntry];
    const value: unknown =
      entry[name as keyof AuditEntry] ?? (column.notNull ? column.default : null) ?? null;
    return (
      known ?? sql`${sql.param(value, value === null ? undefined : column)}::${sql.raw(column.getSQLType())}`
    );
  });
  return sql`select ${sql.join(columns, sql`, `)}`;
}
