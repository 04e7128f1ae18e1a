import { and, eq, type SQL, sql } from 'drizzle-orm';
import { foldName } from '../../../shared/kernel/text.ts';
import type { Db, Statement } from '../../client.ts';
import { monitoringRecords } from '../../schema/monitoring/records.ts';
import { farmParts, type IgnoredMember } from '../../schema/snapshot/farm-parts.ts';
import { insertMonitoring, type MonitoringEntry, monitoringRow } from '../monitoring/records.ts';
import type { Claim } from './merge.ts';
import { parts } from './parts.ts';

/**
 * Entries that a read of a list ignored. `dropped` counts rows without an identifier; null if the read contains no
 * information on rows dropped before. The list of ignored entries is appended to the message of `record`.
 */
export type IgnoredReport = { dropped: IgnoredMember[] | null; record: MonitoringEntry };

/**
 * Updates the counts of ignored entries of a part, and the monitoring record of the farm and list if they have changed.
 * Must run after the rows are written, while the part is locked.
 */
export function noteIgnored(h: Db, claim: Claim, { dropped, record }: IgnoredReport): Statement {
  const mine = sql`${and(eq(farmParts.farm_id, claim.farmId), eq(farmParts.kind, claim.kind))}`;
  const row = monitoringRow(record);
  const droppedNow = dropped === null ? sql`${farmParts.dropped}` : sql`${JSON.stringify(dropped)}::jsonb`;
  return h.execute(sql`
    with counted as (
      select ${droppedNow} as dropped, ${droppedNow} || (${ignoredInRows(claim)}) as ignored
      from ${farmParts} where ${mine}),
    news as (
      select counted.ignored, ${wordsOf(sql`counted.ignored`)} as words,
        (select coalesce(sum((entry ->> 'count')::int), 0)::int from jsonb_array_elements(counted.ignored) entry) as total
      from counted join ${farmParts} on ${mine} and ${farmParts.ignored} is distinct from counted.ignored),
    completed as (
      select ${JSON.stringify(row)}::jsonb || jsonb_build_object(
        'level', case when news.total = 0 then 'info' else ${row.level}::text end,
        'state', case when news.total = 0 then 'closed' else 'open' end,
        'message', ${row.message}::text || ': ' || news.words,
        'message_key', ${foldName(row.message)}::text || ': ' || news.words,
        'details', ${JSON.stringify(row.details)}::jsonb
          || jsonb_build_object('count', news.total, 'ignored', news.ignored)) as record, news.total
      from news),
    renewed as (
      update ${monitoringRecords} set at = fresh.at, updated_at = fresh.updated_at, level = fresh.level,
        state = fresh.state, message = fresh.message, message_key = fresh.message_key, details = fresh.details,
        object_name = fresh.object_name, acknowledged_by = null, acknowledged_at = null,
        revision = ${monitoringRecords.revision} + 1
      from completed, jsonb_populate_record(null::${monitoringRecords}, completed.record) fresh
      where ${monitoringRecords.id} = (${recordOf(record, claim)}) returning 1),
    made as (
      ${insertMonitoring(sql`(select record from completed where total > 0 and not exists (select from renewed)) as given`)})
    update ${farmParts} set dropped = counted.dropped, ignored = counted.ignored from counted where ${mine}`);
}

/** Notes are stored per row, so that an incremental read keeps the counts of unchanged rows. */
function ignoredInRows({ farmId, kind }: Claim): SQL {
  const { table } = parts[kind];
  return sql`select coalesce(jsonb_agg(jsonb_build_object('member', split_part(note, ' ', 1),
      'reason', split_part(note, ' ', 2), 'count', n) order by note collate "C"), '[]')
    from (select note, count(*)::int as n from ${table}, unnest(${table.ignored}) as note
      where ${table.farm_id} = ${farmId} and ${table.ignored} <> '{}' group by note) as notes`;
}

const wordsOf = (ignored: SQL): SQL => sql`coalesce((
  select string_agg((entry ->> 'member') || ' (' || (entry ->> 'reason') || ') ' || (entry ->> 'count'), ', ' order by n)
  from jsonb_array_elements(${ignored}) with ordinality as list (entry, n)), 'nothing any more')`;

/** The latest record of the farm and the list. */
const recordOf = ({ object_id, code }: MonitoringEntry, { kind }: Claim): SQL => sql`
  select known.id from ${monitoringRecords} known
  where known.object_id = ${object_id} and known.code = ${code} and known.details ->> 'list' = ${kind}
  order by known.at desc, known.id desc limit 1`;
