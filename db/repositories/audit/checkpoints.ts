import { desc, inArray, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { auditCheckpoints as table } from '../../schema/audit/checkpoints.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { auditHead } from '../../schema/audit/head.ts';

export type Checkpoint = typeof table.$inferSelect;
/** The content of a checkpoint and its signature. */
export type SignedLink = Pick<Checkpoint, 'seq' | 'hash' | 'base_seq' | 'base_hash' | 'jws'>;
/** Position and hash of an event of the chain. */
export type ChainLink = { seq: number; hash: string };

/** Returns the end of the sealed audit; `seq` is 0 before the first event. */
export async function findHead(db: Db): Promise<ChainLink> {
  const [head] = await db.select({ seq: auditHead.seq, hash: auditHead.hash }).from(auditHead);
  if (!head) throw new Error('the audit has no head');
  return head;
}

/** Of the checkpoints signed with these keys: the latest one, and the one with the highest base of removed events. */
export async function findAnchors(
  db: Db,
  kids: readonly string[],
): Promise<{ latest: Checkpoint | undefined; base: Checkpoint | undefined }> {
  const known = inArray(table.kid, [...kids]);
  const latest = db.select().from(table).where(known).orderBy(desc(table.seq), desc(table.base_seq)).limit(1);
  const base = db.select().from(table).where(known).orderBy(desc(table.base_seq), desc(table.seq)).limit(1);
  const rows = await latest.unionAll(base);
  const [first, second = first] = rows;
  if (!first || !second) return { latest: undefined, base: undefined };
  // A union has no order.
  const [low, high] = first.seq <= second.seq ? [first, second] : [second, first];
  return { latest: high, base: low.base_seq >= high.base_seq ? low : high };
}

/** Stores a checkpoint. If several sidecars sign the same position, the first one is kept. */
export async function addCheckpoint(db: Db, checkpoint: Checkpoint): Promise<void> {
  await db.execute(sql`select add_audit_checkpoint(${JSON.stringify(checkpoint)}::jsonb)`);
}

/**
 * Returns the last event between `after` and `upTo` that precedes the first event younger than `days`, by the clock
 * of the database.
 * @returns undefined if the first event of the range is younger
 */
export async function lastExpired(
  db: Db,
  after: number,
  upTo: number,
  days: number,
): Promise<ChainLink | undefined> {
  const stretch = sql`seq > ${after}::bigint and seq <= ${upTo}::bigint`;
  const firstYoung = sql`(select seq from ${auditEvents} where ${stretch}
    and at >= now() - ${days}::int * interval '1 day' order by seq limit 1)`;
  const [last] = await db
    .select({ seq: sql<number>`${auditEvents.seq}`.mapWith(Number), hash: sql<string>`${auditEvents.hash}` })
    .from(auditEvents)
    .where(sql`${stretch} and seq = coalesce(${firstYoung} - 1, ${upTo}::bigint)`);
  return last;
}

/** Events per statement, so that no statement holds its locks for long. */
const batchSize = 5_000;

/**
 * Deletes the events up to `baseSeq`, which a checkpoint declares removed, and the outdated checkpoints.
 * @returns the number of deleted events
 */
export async function removeExpired(db: Db, baseSeq: number, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (let last = batchSize; last === batchSize && !signal.aborted; removed += last) {
    const [row] = await db
      .select({ removed: sql<number>`remove_outlived_audit(${baseSeq}::bigint, ${batchSize}::int)` })
      .from(sql`(values (1)) as once`);
    last = row?.removed ?? 0;
  }
  await db.execute(sql`select remove_outlived_checkpoints(${baseSeq}::bigint)`);
  return removed;
}
