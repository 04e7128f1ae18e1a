import { type SQL, type SQLChunk, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { farmParts, type PartKind } from '../../schema/snapshot/farm-parts.ts';
import { removedRows, syncRows } from '../../schema/snapshot/sync-rows.ts';
import { arrayOf } from '../records/statements.ts';
import { parts } from './parts.ts';

/** One part of one farm under one sync; whoever has another `syncId` by now is refused. */
export type Claim = { farmId: string; kind: PartKind; syncId: string };

/**
 * The statements that make the staged rows those of the farm: what differs is written, what is gone removed, and what
 * an action of ours wrote or removed since the sync began stays as it is.
 * @param rows how many are staged at most; a statement writes about 50,000 of them, so that none exceeds its time limit
 * @param removed what the node says is gone; without it all is gone that was not staged
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
    ...(isPartial && claim.kind === 'spsessions' ? [removeForetold(h, claim)] : []),
  ];
}

const rowsOfSlice = 50_000;
const maxSlices = 64;

/**
 * For this transaction. The planner has no statistics of rows that were written a moment ago, and joins so many of them by
 * nested loops in the belief that there are few.
 */
const withoutNestedLoops = (h: Db): Statement =>
  h.select({ set: sql`set_config('enable_nestloop', 'off', true)` }).from(sql`(values (1)) as once`);

/** By a hash: identifiers that are made in the order of time differ in their last parts only. */
const sliceOf = (at: number, slices: number): SQL =>
  slices === 1 ? sql`true` : sql`(uuid_hash(staged.uuid) & 1023) % ${slices}::int = ${at}::int`;

/** True when an action of ours wrote or removed a row of the part since the sync began. */
export const protectedRows = (claim: Claim): SQL => {
  const { table } = parts[claim.kind];
  return sql`(exists(select 1 from ${table} where ${table.farm_id} = ${claim.farmId} and ${table.touched_at} >= ${startOf(claim)})
    or exists(select 1 from ${removedRows} where ${removedSince(claim)}))`;
};

/** By the clock of our database, which also stamps what actions write; that of the node is never compared with it. */
const startOf = ({ farmId, kind }: Claim): SQL => sql`(select ${farmParts.sync_started_at} from ${farmParts}
  where ${farmParts.farm_id} = ${farmId} and ${farmParts.kind} = ${kind})`;

const removedSince = (claim: Claim): SQL => sql`${removedRows.farm_id} = ${claim.farmId}
  and ${removedRows.kind} = ${claim.kind} and ${removedRows.removed_at} >= ${startOf(claim)}`;

/** Rows that are as they were are not even locked: an unchanged part costs no write. */
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

/** True while an agent told of the workplace later than the node did, within a day. */
const isAgentNewer = sql`(kept.agent_seen_at > coalesce(fresh.agent_seen_at, '-infinity')
  and kept.agent_seen_at > now() - interval '1 day')`;

/** What an agent told stays until the node knows of a later sign of life, or for a day. */
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
 * An agent tells of a session before its node does, by an identifier of which the node never says that it is gone. Once
 * the node tells of the session of the same person at the same workplace, that one is meant; agents know the domain by
 * names of their own.
 */
function removeForetold(h: Db, claim: Claim): Statement {
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
