import { sql } from 'drizzle-orm';
import { atomically, type Db } from '../client.ts';
import { auditEvents } from '../schema/audit-events.ts';
import { auditHead } from '../schema/audit-head.ts';
import { lockGuard } from './statements.ts';

/**
 * Chains up to `batch` committed events; two that do this at once follow one another.
 * @returns how many
 */
export async function sealAudit(db: Db, batch: number): Promise<number> {
  const [, rows] = await atomically(db, (h) => [
    // Before the function's own statement, which must see what the sealer that held the guard has written.
    lockGuard(h, 'audit'),
    h.select({ sealed: sql<number>`seal_audit(${batch}::int)` }).from(sql`(values (1)) as once`),
  ]);
  return (rows as { sealed: number }[])[0]?.sealed ?? 0;
}

/** A stretch of the chain by `seq`, both ends included; at most `limit` events of it are looked at. */
export type Stretch = { from: number; to: number; limit: number };

/** `sealedTo` is the `seq` of the last event that was sealed; `broken` the first that is not as it was sealed, or missing. */
export type Verdict = { checked: number; sealedTo: number; broken: number | null };

/**
 * Checks a stretch of the chain in one statement: each event's text is made anew from its columns, each hash from
 * its text, and each link is compared with the event before, which must be there. No text leaves the database.
 */
export async function verifyAudit(db: Db, { from, to, limit }: Stretch): Promise<Verdict> {
  const verdict = sql`(
    with span as (
      select ${from}::bigint as first, least(${to}::bigint, seq, ${from}::bigint + ${limit}::int - 1) as last,
        seq as sealed_to, hash as head
      from (select coalesce(max(seq), 0) as seq, max(hash) as hash from ${auditHead}) known
    ), seen as (
      select e.seq, e.prev_hash, e.hash, lag(e.seq) over chain as seq_before, lag(e.hash) over chain as hash_before,
        e.sealed_text = audit_text(e) and e.hash = audit_hash(e.prev_hash, e.sealed_text) as is_own
      from ${auditEvents} e
      where e.seq between (select first - 1 from span) and (select last from span)
      window chain as (order by e.seq)
    ), judged as (
      select seen.*, case
        when seq > 1 and seq_before is distinct from seq - 1 then coalesce(seq_before + 1, first)
        when is_own and prev_hash = case seq when 1 then repeat('0', 64) else hash_before end
          and (seq < sealed_to or seen.hash = head) then null
        else seq end as broken
      from seen, span where seq >= first
    )
    select count(seq)::int as checked, max(sealed_to) as sealed_to, least(min(broken), ${cutOff}) as broken
    from span left join judged on true group by first, last, sealed_to) as verdict`;
  const [row] = await db
    .select({
      checked: sql<number>`checked`,
      sealedTo: sql<number>`sealed_to`.mapWith(Number),
      broken: sql<number | null>`broken`.mapWith(Number),
    })
    .from(verdict);
  if (!row) throw new Error('a verification gave no row');
  return row;
}

/** Events that the end lacks, and those that pretend to come after it. */
const cutOff = sql`case
  when coalesce(max(seq), first - 1) < last then coalesce(max(seq) + 1, first)
  when last = sealed_to and exists (select 1 from ${auditEvents} e where e.seq > sealed_to) then sealed_to + 1 end`;
