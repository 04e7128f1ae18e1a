import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { newId } from '../../../shared/kernel/ids.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { ResourceType } from '../../../shared/resources.ts';
import type { Db, Statement } from '../../client.ts';
import { monitoringRecords as table } from '../../schema/monitoring/records.ts';

type Row = typeof table.$inferInsert;
/** What the system has to say of an object. */
export type MonitoringEntry = Pick<Row, 'at' | 'level' | 'source' | 'code' | 'message'> &
  Partial<Pick<Row, 'object_id' | 'object_name' | 'details'>> & { object_type?: ResourceType | null };

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
