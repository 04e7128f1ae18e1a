import { and, eq, type SQL, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../client.ts';
import { raisedByMust } from '../../errors.ts';
import { farms } from '../../schema/sites/farms.ts';
import { type PartKind, farmParts as table } from '../../schema/snapshot/farm-parts.ts';
import { removedRows, syncRows } from '../../schema/snapshot/sync-rows.ts';
import { arrayOf, must } from '../records/statements.ts';
import { reconcileTags } from '../sites/dispatcher-tags.ts';
import { type IgnoredReport, noteIgnored } from './ignored-entries.ts';
import { type Claim, mergeRows, protectedRows } from './merge.ts';
import { lease, leaseOf, pauseOfFarm } from './schedule.ts';

/** State after the last successful read, which the next read starts from. */
export type PartState = {
  dispatcher_id: string | null;
  as_of: string | null;
  etag: string | null;
  is_incremental: boolean | null;
  /** True if the last full read is older than an hour. */
  is_full_due: boolean;
};

/** Result of a successful read; a full list if `removed` is undefined. */
export type PartRead = {
  dispatcherId: string;
  /** Number of staged rows; duplicates count. */
  rows: number;
  tookMs: number;
  asOf: string;
  /** The `since` value of the request. It is used again if rows were protected from the merge. */
  since: string | null;
  etag: string | null;
  isIncremental: boolean | null;
  removed: string[] | undefined;
  ignored: IgnoredReport;
};

const fullEveryS = 3_600;

const ofClaim = ({ farmId, kind, syncId }: Claim): SQL | undefined =>
  and(eq(table.farm_id, farmId), eq(table.kind, kind), eq(table.sync_id, syncId));
const released = { sync_id: null, sync_started_at: null, lease_until: null };

/** Makes the next run read the part, regardless of the time of the last attempt. */
export const requestRead = (h: Db, farmId: string, kind: PartKind): Statement =>
  h
    .update(table)
    .set({ tried_at: null })
    .where(and(eq(table.farm_id, farmId), eq(table.kind, kind)));

/** A part with the lease of one sync. */
export type ClaimedPart = { claim: Claim; state: PartState };

/**
 * Takes the leases on parts of farms, each for one sync; one statement. Parts of which another sync holds the lease,
 * which were tried recently, and of deleted farms, are left out. Rows are locked in order to avoid deadlocks.
 * @param minAgeS minimum age in seconds of the last attempt
 */
export async function claimParts(
  db: Db,
  farmIds: readonly string[],
  kinds: readonly PartKind[],
  minAgeS: number,
): Promise<ClaimedPart[]> {
  const held = {
    sync_id: sql`excluded.sync_id`,
    sync_started_at: sql`clock_timestamp()`,
    lease_until: leaseOf(table.farm_id),
    tried_at: sql`clock_timestamp()`,
  };
  const claimed = await db
    .insert(table)
    .select(
      sql`select ${farms.id}, part.kind, null, null, null, null, null, null, '[]'::jsonb, '[]'::jsonb, null,
        clock_timestamp(), null, gen_random_uuid(), clock_timestamp(), ${leaseOf(farms.id)}
        from ${farms}, unnest(${sql.param(`{${kinds.join(',')}}`)}::text[]) as part(kind)
        where ${farms.id} = any(${arrayOf(farmIds)}) order by 1, 2`,
    )
    .onConflictDoUpdate({
      target: [table.farm_id, table.kind],
      set: held,
      setWhere: sql`(${table.sync_id} is null or ${table.lease_until} < clock_timestamp())
        and (${table.tried_at} is null or ${table.tried_at} <= clock_timestamp()
          - greatest(make_interval(secs => ${minAgeS}), ${pauseOfFarm}))`,
    })
    .returning({
      farmId: table.farm_id,
      kind: table.kind,
      syncId: sql<string>`${table.sync_id}`,
      dispatcher_id: table.dispatcher_id,
      as_of: table.as_of,
      etag: table.etag,
      is_incremental: table.is_incremental,
      is_full_due: sql<boolean>`coalesce(${table.full_at} < clock_timestamp() - make_interval(secs => ${fullEveryS}), true)`,
    });
  return claimed.map(({ farmId, kind, syncId, ...state }) => ({ claim: { farmId, kind, syncId }, state }));
}

/** Releases parts that were claimed and not read. They are due at once. */
export async function releaseParts(db: Db, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await db.execute(sql`
    with ${heldParts(claims)}
    update ${table} p set sync_id = null, sync_started_at = null, lease_until = null, tried_at = null
    from held where p.farm_id = held.farm_id and p.kind = held.kind`);
}

/** A part that has not changed at the node, and the node's value for the next `since`, if it has one. */
export type UnchangedPart = Claim & { tookMs: number; asOf: string | null };

/** Records many unchanged parts in one statement. Parts whose lease another sync holds are left out. */
export async function finishUnchangedParts(db: Db, parts: readonly UnchangedPart[]): Promise<void> {
  if (parts.length === 0) return;
  await db.execute(sql`
    with ${heldParts(parts)}
    update ${table} p set sync_id = null, sync_started_at = null, lease_until = null, error = null,
      fetched_at = p.sync_started_at, took_ms = held."tookMs", as_of = coalesce(held."asOf", p.as_of)
    from held where p.farm_id = held.farm_id and p.kind = held.kind`);
}

/** The parts whose lease is still that of the claim, locked in order to avoid deadlocks. */
const heldParts = (claims: readonly Claim[]): SQL => sql`held as (
  select part.farm_id, part.kind, given."tookMs", given."asOf"
  from jsonb_to_recordset(${JSON.stringify(claims)}::jsonb)
    as given("farmId" uuid, kind text, "syncId" uuid, "tookMs" int, "asOf" text)
  join ${table} part on part.farm_id = given."farmId" and part.kind = given.kind and part.sync_id = given."syncId"
  order by 1, 2 for update of part)`;

/**
 * Stages a page of rows and renews the lease; one statement. If a row occurs twice, the last one is used.
 * @returns false if another sync holds the lease
 */
export async function stageRows(db: Db, claim: Claim, rows: readonly { uuid: string }[]): Promise<boolean> {
  const held = db
    .$with('held')
    .as(
      db
        .update(table)
        .set({ lease_until: lease })
        .where(ofClaim(claim))
        .returning({ sync_id: table.sync_id }),
    );
  const staged = db.$with('staged').as(
    db
      .insert(syncRows)
      .select(
        sql`select held.sync_id, (page.row ->> 'uuid')::uuid, page.row
          from held, jsonb_array_elements(${JSON.stringify(rows)}::jsonb) as page(row)`,
      )
      .onConflictDoUpdate({
        target: [syncRows.sync_id, syncRows.uuid],
        set: { content: sql`excluded.content` },
      })
      .returning({ uuid: syncRows.uuid }),
  );
  const found = await db.with(held, staged).select({ sync_id: sql`held.sync_id` }).from(held);
  return found.length > 0;
}

/** Deletes the staged rows of a sync, before it restarts with another node. */
export const unstage = (h: Db, { syncId }: Pick<Claim, 'syncId'>): Statement =>
  h.delete(syncRows).where(eq(syncRows.sync_id, syncId));

/**
 * Replaces the part of the farm with the staged rows, in one batch.
 * @returns false without changes if another sync holds the lease
 */
export function finishSync(db: Db, claim: Claim, read: PartRead): Promise<boolean> {
  return withClaim(db, claim, (h) => [
    ...mergeRows(h, claim, read),
    noteIgnored(h, claim, read.ignored),
    ...(claim.kind === 'tags' ? reconcileTags(h) : []),
    h.update(table).set(outcomeOf(claim, read)).where(ofClaim(claim)),
    unstage(h, claim),
  ]);
}

/** Records that the part has not changed at the node. @returns as `finishSync` */
export function finishUnchanged(
  db: Db,
  claim: Claim,
  { tookMs, asOf }: { tookMs: number; asOf: string | null },
): Promise<boolean> {
  const fresh = { ...released, error: null, took_ms: tookMs, fetched_at: sql`${table.sync_started_at}` };
  return withClaim(db, claim, (h) => [
    h
      .update(table)
      .set({ ...fresh, ...(asOf !== null && { as_of: asOf }) })
      .where(ofClaim(claim)),
  ]);
}

/** `error` is our error code; `ignored` is present if a list was read but is unusable. */
type Failure = { error: string; tookMs: number; ignored?: IgnoredReport };

/** Releases the lease with the reason of the failure; the existing rows are kept. */
export function failSync(db: Db, claim: Claim, { error, tookMs, ignored }: Failure): Promise<boolean> {
  return withClaim(db, claim, (h) => [
    ...(ignored ? [noteIgnored(h, claim, ignored)] : []),
    h
      .update(table)
      .set({ ...released, error, took_ms: tookMs })
      .where(ofClaim(claim)),
    unstage(h, claim),
  ]);
}

/** Deletes staged rows of aborted syncs, and removals older than any running sync; one statement. */
export async function sweepSyncs(db: Db): Promise<void> {
  await db.execute(sql`
    with outdated as (delete from ${removedRows} where removed_at < clock_timestamp() - interval '1 day')
    delete from ${syncRows} where not exists (select 1 from ${table} where ${table.sync_id} = ${syncRows.sync_id})`);
}

async function withClaim(db: Db, claim: Claim, build: (h: Db) => Statement[]): Promise<boolean> {
  const held = sql`(select ${table.sync_id} from ${table}
    where ${table.farm_id} = ${claim.farmId} and ${table.kind} = ${claim.kind} for update) = ${claim.syncId}::uuid`;
  try {
    await atomically(db, (h) => [must(h, held, 'sync_lost'), ...build(h)]);
    return true;
  } catch (error) {
    if (raisedByMust(error)?.code !== 'sync_lost') throw error;
    await unstage(db, claim);
    return false;
  }
}

/**
 * If rows were protected from the merge, a change reported by the node may have been skipped. The next read then
 * starts at the same position, or is a full one.
 */
function outcomeOf(claim: Claim, read: PartRead) {
  const left = protectedRows(claim);
  const isFull = read.removed === undefined;
  return {
    ...released,
    error: null,
    dispatcher_id: read.dispatcherId,
    took_ms: read.tookMs,
    fetched_at: sql`${table.sync_started_at}`,
    ...(isFull && { full_at: sql`${table.sync_started_at}` }),
    as_of: sql`case when ${left} then ${isFull ? null : read.since} else ${read.asOf} end::text`,
    etag: sql`case when ${left} then null else ${read.etag} end::text`,
    is_incremental: read.isIncremental,
  };
}
