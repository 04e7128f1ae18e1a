import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { newId } from '../../../shared/kernel/ids.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { ResourceType } from '../../../shared/resources.ts';
import type { Db, Statement } from '../../client.ts';
import { monitoringRecords as table } from '../../schema/monitoring/records.ts';

type Row = typeof table.$inferInsert;
/** An entry of the monitoring journal. */
export type MonitoringEntry = Pick<Row, 'at' | 'level' | 'source' | 'code' | 'message'> &
  Partial<Pick<Row, 'object_id' | 'object_name' | 'details'>> & { object_type?: ResourceType | null };

/**
 * Returns the insert statement of a record; it belongs in the batch of the change that it describes.
 * @param when optional condition for the insert
 */
export const appendMonitoring = (handle: Db, entry: MonitoringEntry, when?: SQL): Statement => {
  const row = rowOf(sql`${JSON.stringify(monitoringRow(entry))}::jsonb`);
  return handle.insert(table).select(sql`select ${columns} from ${row} where ${when ?? sql`true`}`);
};

/** Like `appendMonitoring`, for several records. */
export const appendMonitoringRows = (handle: Db, entries: readonly MonitoringEntry[]): Statement => {
  const rows = sql`(select * from jsonb_array_elements(${JSON.stringify(entries.map(monitoringRow))}::jsonb)) as given(record)`;
  return handle.execute(insertMonitoring(rows));
};

/** Inserts a record unless its object already has one with this code, for callers that may run several times. */
export const appendMonitoringOnce = (
  handle: Db,
  entry: MonitoringEntry & Required<Pick<MonitoringEntry, 'object_id' | 'code'>>,
): Statement =>
  appendMonitoring(
    handle,
    entry,
    sql`not exists(select 1 from ${table} where ${and(eq(table.object_id, entry.object_id ?? ''), eq(table.code, entry.code ?? ''))})`,
  );

/** A change of a state, with a record if the change, an insert or update without RETURNING, has written a row. */
export const changeWithRecord = (h: Db, change: SQL, entry: MonitoringEntry): Statement =>
  h.execute(
    sql`with changed as (${change} returning 1) ${insertMonitoring(
      sql`(select ${JSON.stringify(monitoringRow(entry))}::jsonb as record from changed) as given`,
    )}`,
  );

/** An entry as a complete row, for statements that insert records together with a change. */
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

/** Inserts records from the JSON column `record` of `source`. */
export const insertMonitoring = (source: SQL): SQL =>
  sql`insert into ${table} (${columns}) select ${columns} from ${source}, ${rowOf(sql`record`)}`;
