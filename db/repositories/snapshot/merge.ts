import { type SQL, type SQLChunk, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { farmParts, type PartKind } from '../../schema/snapshot/farm-parts.ts';
import { removedRows, syncRows } from '../../schema/snapshot/sync-rows.ts';
import { arrayOf } from '../records/statements.ts';
import { parts } from './parts.ts';

/** A claim of one sync on one part of a farm. Writes with an outdated `syncId` are rejected. */
export type Claim = { farmId: string; kind: PartKind; syncId: string };

/**
 * Replaces the rows of a farm with the staged rows: changed rows are written, missing rows are deleted, and rows
 * written or deleted by an action of ours since the start of the sync are kept.
 * @param rows maximum number of staged rows; each statement writes about 50,000 of them to stay within the statement
 * timeout
 * @param removed identifiers that the node reports as deleted; if absent, all rows that were not staged are deleted
 */
export function mergeRows(
  h: Db,
  claim: Claim,
  { rows, removed }: { rows: number; removed: readonly string[] | undefined },
): Statement[] {
  const isPartial = removed !== undefined;
  const slices = Math.min(maxSlices, Math.ceil(rows / rowsOfSlice));
  return [
    ...(slices > 1 ? [withoutNestedLoops(h)] : []),
    ...Array.from({ length: slices }, (_, at) => writeStaged(h, claim, sliceOf(at, slices))),
    removeGone(h, claim, removed),
    ...(isPartial && claim.kind === 'spsessions' ? [removeReplacedSessions(h, claim)] : []),
  ];
}

const rowsOfSlice = 50_000;
const maxSlices = 64;

/**
 * For this transaction only. The planner has no statistics of rows just written, and would choose nested loops for
 * many rows.
 */
const withoutNestedLoops = (h: Db): Statement =>
  h.select({ set: sql`set_config('enable_nestloop', 'off', true)` }).from(sql`(values (1)) as once`);

/** Sliced by hash, because time-ordered identifiers differ only in their last parts. */
const sliceOf = (at: number, slices: number): SQL =>
  slices === 1 ? sql`true` : sql`(uuid_hash(staged.uuid) & 1023) % ${slices}::int = ${at}::int`;

/** The condition that an action of ours has written or deleted a row of the part since the start of the sync. */
export const protectedRows = (claim: Claim): SQL => {
  const { table } = parts[claim.kind];
  return sql`(exists(select 1 from ${table} where ${table.farm_id} = ${claim.farmId} and ${table.touched_at} >= ${startOf(claim)})
    or exists(select 1 from ${removedRows} where ${removedSince(claim)}))`;
};

/**
 * By the clock of our database, which also stamps the writes of actions; never compared with the clock of the node.
 */
const startOf = ({ farmId, kind }: Claim): SQL => sql`(select ${farmParts.sync_started_at} from ${farmParts}
  where ${farmParts.farm_id} = ${farmId} and ${farmParts.kind} = ${kind})`;

const removedSince = (claim: Claim): SQL => sql`${removedRows.farm_id} = ${claim.farmId}
  and ${removedRows.kind} = ${claim.kind} and ${removedRows.removed_at} >= ${startOf(claim)}`;

/** Unchanged rows are not even locked, so that an unchanged part causes no writes. */
function writeStaged(h: Db, claim: Claim, slice: SQL): Statement {
  const { table, columns } = parts[claim.kind];
  const names = columns.map((name) => sql.identifier(name));
  const list = (of: (name: SQLChunk) => SQL) => sql.join(names.map(of), sql`, `);
  const merged = sql.join(
    columns.map((name) => agentsValue(claim.kind, name) ?? sql`fresh.${sql.identifier(name)}`),
    sql`, `,
  );
  const notTouched = (row: SQL) => sql`(${row}.touched_at is null or ${row}.touched_at < ${startOf(claim)})`;
  const written = sql`
    insert into ${table} (farm_id, uuid, ${list((name) => sql`${name}`)})
    select ${claim.farmId}::uuid, fresh.uuid, ${merged}
    from ${syncRows} staged cross join lateral jsonb_populate_record(null::${table}, staged.content) fresh
    left join ${table} kept on kept.farm_id = ${claim.farmId} and kept.uuid = staged.uuid
    where staged.sync_id = ${claim.syncId} and ${slice}
      and (kept.id is null or ${notTouched(sql`kept`)}
        and (${list((name) => sql`kept.${name}`)}) is distinct from (${merged}))
      and not exists (select 1 from ${removedRows} where ${removedSince(claim)} and ${removedRows.uuid} = staged.uuid)
    on conflict (farm_id, uuid) do update set ${list((name) => sql`${name} = excluded.${name}`)}
    where ${notTouched(sql`${table}`)}`;
  return h.execute(written);
}

/** True if an agent has reported on the workplace later than the node, within the last day. */
const isAgentNewer = sql`(kept.agent_seen_at > coalesce(fresh.agent_seen_at, '-infinity')
  and kept.agent_seen_at > now() - interval '1 day')`;

/** Data of an agent is kept until the node reports a later sign of life, at most for a day. */
function agentsValue(kind: PartKind, column: string): SQL | undefined {
  if (kind !== 'workplaces') return undefined;
  if (column === 'agent_seen_at') return sql`greatest(kept.agent_seen_at, fresh.agent_seen_at)`;
  if (column === 'agent_version')
    return sql`case when ${isAgentNewer} then coalesce(kept.agent_version, fresh.agent_version) else fresh.agent_version end`;
  if (column === 'ip') return sql`case when ${isAgentNewer} and kept.ip <> '' then kept.ip else fresh.ip end`;
  return undefined;
}

function removeGone(h: Db, claim: Claim, removed: readonly string[] | undefined): Statement {
  const { table } = parts[claim.kind];
  const named = removed && sql` and ${table.uuid} = any(${arrayOf(removed)})`;
  return h.execute(
    sql`delete from ${table} where ${table.farm_id} = ${claim.farmId}${named}
      and (${table.touched_at} is null or ${table.touched_at} < ${startOf(claim)})
      and not exists (select 1 from ${syncRows}
        where ${syncRows.sync_id} = ${claim.syncId} and ${syncRows.uuid} = ${table.uuid})`,
  );
}

/**
 * Deletes sessions reported by an agent once the node reports the session of the same user at the same workplace. The
 * identifier of the agent differs, so the node never reports it as removed. Only user names are compared, because
 * agents use other domain names.
 */
function removeReplacedSessions(h: Db, claim: Claim): Statement {
  const kept = parts.spsessions.table;
  const nameIn = (key: SQL) => sql`substr(${key}, strpos(${key}, chr(92)) + 1)`;
  return h.execute(
    sql`delete from ${kept} foretold using ${syncRows} staged
      where staged.sync_id = ${claim.syncId} and foretold.farm_id = ${claim.farmId}
      and foretold.workplace_uuid = (staged.content ->> 'workplace_uuid')::uuid
      and ${nameIn(sql`foretold.user_key`)} = ${nameIn(sql`(staged.content ->> 'user_key')`)}
      and foretold.touched_at < ${startOf(claim)}
      and not exists (select 1 from ${syncRows} named
        where named.sync_id = ${claim.syncId} and named.uuid = foretold.uuid)`,
  );
}
