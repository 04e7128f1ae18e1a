import { and, eq, getTableColumns, gte, lte, type SQL, sql } from 'drizzle-orm';
import { newId } from '../../shared/kernel/ids.ts';
import { foldName } from '../../shared/kernel/text.ts';
import type { Db, Statement } from '../client.ts';
import { monitoringRecords as table } from '../schema/monitoring-records.ts';
import { records } from './records.ts';
import type { Scope } from './scope.ts';
import { namedWithin } from './sited-objects.ts';

type Row = typeof table.$inferInsert;
/** What the system has to say of an object. */
export type MonitoringEntry = Pick<Row, 'at' | 'level' | 'source' | 'code' | 'message'> &
  Partial<Pick<Row, 'object_type' | 'object_id' | 'object_name' | 'details'>>;

/** Records about an object of a site are for those whose scope has the site; all others are for everybody. */
export function visibleRecords(scope: Scope): SQL | undefined {
  return namedWithin(table.object_type, table.object_id, scope);
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

/**
 * The statement by which the system writes a record; it belongs into the batch of the change it tells of.
 * @param when without it always; otherwise the record is written only where the condition holds
 */
export const appendMonitoring = (handle: Db, entry: MonitoringEntry, when?: SQL): Statement => {
  const row = rowOf(sql`${JSON.stringify(monitoringRow(entry))}::jsonb`);
  return handle.insert(table).select(sql`select ${columns} from ${row} where ${when ?? sql`true`}`);
};

/** The same for several records. */
export const appendMonitoringRows = (handle: Db, entries: readonly MonitoringEntry[]): Statement => {
  const rows = sql`(select * from jsonb_array_elements(${JSON.stringify(entries.map(monitoringRow))}::jsonb)) as given(record)`;
  return handle.execute(insertMonitoring(rows));
};

/** Writes a record unless its object has one of this code already: for what is told at least once. */
export const appendMonitoringOnce = (
  handle: Db,
  entry: MonitoringEntry & Required<Pick<MonitoringEntry, 'object_id' | 'code'>>,
): Statement =>
  appendMonitoring(
    handle,
    entry,
    sql`not exists(select 1 from ${table} where ${and(eq(table.object_id, entry.object_id ?? ''), eq(table.code, entry.code ?? ''))})`,
  );

/** An entry as a whole row: for a statement that writes records together with what they tell of. */
export const monitoringRow = (entry: MonitoringEntry): Required<Row> => ({
  object_type: null,
  object_id: null,
  object_name: null,
  details: {},
  state: 'open',
  acknowledged_by: null,
  acknowledged_at: null,
  created_at: entry.at,
  updated_at: entry.at,
  revision: 1,
  ...entry,
  source: entry.source ?? 'portal',
  code: entry.code ?? '',
  id: newId(),
  message_key: foldName(entry.message),
});

const columns = sql.join(
  Object.values(getTableColumns(table)).map(({ name }) => sql.identifier(name)),
  sql`, `,
);
const rowOf = (json: SQL): SQL => sql`jsonb_populate_record(null::${table}, ${json})`;

/** Inserts rows that stand as JSON in the column `record` of `source`. */
export const insertMonitoring = (source: SQL): SQL =>
  sql`insert into ${table} (${columns}) select ${columns} from ${source}, ${rowOf(sql`record`)}`;
