import { eq, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { auditForwards as table } from '../../schema/audit/forwards.ts';
import { derived } from '../records/statements.ts';

export type Target = (typeof table.$inferSelect)['target'];

/** Progress of the forwarding to a collector; `checkedAgeS` is the age of the last attempt in seconds. */
export type ForwardState = {
  target: Target;
  seq: number;
  error: string | null;
  checkedAgeS: number | null;
};

export const forwardStates = (db: Db): Promise<ForwardState[]> =>
  db
    .select({
      target: table.target,
      seq: table.seq,
      error: table.error,
      checkedAgeS: sql<number | null>`extract(epoch from now() - ${table.checked_at})::float8`,
    })
    .from(table);

/** The same as a column. */
export const forwardFacts = derived<ForwardState[]>(sql`
  select coalesce(jsonb_agg(jsonb_build_object('target', ${table.target}, 'seq', ${table.seq}, 'error', ${table.error},
    'checkedAgeS', extract(epoch from now() - ${table.checked_at})::float8)), '[]') from ${table}`);

/**
 * The `seq` up to which all these collectors have received the audit. Infinite for no collectors; 0 if one has
 * received nothing.
 */
export async function forwardedTo(db: Db, targets: readonly Target[]): Promise<number> {
  const states = targets.length === 0 ? [] : await forwardStates(db);
  return Math.min(...targets.map((name) => states.find(({ target }) => target === name)?.seq ?? 0));
}

/**
 * Returns sealed events after `seq`, in order: at most `limit`, and at most `bytes` bytes of text, but at least one
 * event.
 */
export async function sealedAfter(db: Db, seq: number, { limit, bytes }: { limit: number; bytes: number }) {
  const page = db
    .select({
      seq: sql<number>`${auditEvents.seq}`.mapWith(Number).as('seq'),
      at: auditEvents.at,
      level: auditEvents.level,
      event: auditEvents.event,
      sealed_text: sql<string>`${auditEvents.sealed_text}`.as('sealed_text'),
      prev_hash: sql<string>`${auditEvents.prev_hash}`.as('prev_hash'),
      hash: sql<string>`${auditEvents.hash}`.as('hash'),
      weight: sql<number>`sum(octet_length(sealed_text)) over (order by seq)`.as('weight'),
      place: sql<number>`row_number() over (order by seq)`.as('place'),
    })
    .from(auditEvents)
    .where(sql`${auditEvents.seq} > ${seq}::bigint`)
    .orderBy(sql`${auditEvents.seq}`)
    .limit(limit)
    .as('page');
  const { weight, place, ...columns } = page._.selectedFields;
  return db
    .select(columns)
    .from(page)
    .where(sql`${weight} <= ${bytes}::int or ${place} = 1`)
    .orderBy(page.seq);
}

/**
 * Records that the collector has received all events up to `to`, unless the position has changed since `from` was
 * read.
 * @returns false if the position has changed: another sidecar forwards
 */
export async function moveForward(db: Db, target: Target, from: number, to: number): Promise<boolean> {
  const rows = await db
    .insert(table)
    .values({ target, seq: to, checked_at: sql`now()` })
    .onConflictDoUpdate({
      target: table.target,
      set: { seq: to, checked_at: sql`now()`, error: null },
      setWhere: eq(table.seq, from),
    })
    .returning({ seq: table.seq });
  return rows.length > 0;
}

/** Records the error of an attempt. */
export async function noteForwarding(db: Db, target: Target, error: string): Promise<void> {
  const set = { checked_at: sql`now()`, error };
  await db
    .insert(table)
    .values({ target, ...set })
    .onConflictDoUpdate({ target: table.target, set });
}
