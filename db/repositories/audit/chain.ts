import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { auditCheckpoints } from '../../schema/audit/checkpoints.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { auditHead } from '../../schema/audit/head.ts';
import type { SignedLink } from './checkpoints.ts';

/**
 * Chains up to `batch` committed events in one statement; concurrent calls run in sequence.
 * @returns the number of events
 */
export async function sealAudit(db: Db, batch: number): Promise<number> {
  const [row] = await db
    .select({ sealed: sql<number>`seal_audit(${batch}::int)` })
    .from(sql`(values (1)) as once`);
  return row?.sealed ?? 0;
}

/** A range of the chain by `seq`, inclusive; only its first `limit` positions are checked. */
export type ChainRange = { from: number; to: number; limit: number };

/**
 * The result of a verification. `sealedTo` is the `seq` of the last sealed event; `broken` is the first event that
 * was altered or is missing; `checked` includes events removed by retention. `leaning` are the checkpoints that the
 * result depends on; the caller verifies their signatures.
 */
export type Verification = {
  checked: number;
  sealedTo: number;
  broken: number | null;
  leaning: SignedLink[];
};

/**
 * Verifies a range of the chain in one statement. The text of each event is rebuilt from its columns, each hash from
 * its text, and each link is compared with the previous event. The previous event must exist, unless a checkpoint
 * declares it removed by retention. No text leaves the database.
 * @param kids identifiers of the keys whose checkpoints are valid
 */
export async function verifyAudit(
  db: Db,
  { from, to, limit }: ChainRange,
  kids: readonly string[],
): Promise<Verification> {
  // A constant bound allows the planner to use parallel workers for many events.
  const upper = Math.min(to, from + limit - 1);
  const verdict = sql`(
    with ${signedBy(kids)}, span as (
      select known.*, greatest(${from}::bigint, base_seq + 1) as first,
        least(${upper}::bigint, sealed_to) as last
      from known
    ), ${eventsBetween(from - 1, upper)}, inside as (
      select c.*, c.hash is distinct from seen.hash as differs from checkpoint c join seen on seen.seq = c.seq
    )
    select (count(judged.seq) + greatest(least(${to}::bigint, base_seq) - ${from}::bigint + 1, 0))::float8 as checked,
      max(sealed_to) as sealed_to,
      least(min(broken), (select min(seq) from inside where differs), ${cutOff}) as broken,
      (select jsonb_agg(leaning) from (
        select * from base union select * from latest
        union (select ${columns} from inside order by seq desc limit 1)) leaning) as leaning
    from span left join judged on true group by first, last, base_seq, sealed_to) as verdict`;
  const [row] = await db
    .select({
      checked: sql<number>`checked`,
      sealedTo: sql<number>`sealed_to`.mapWith(Number),
      broken: sql<number | null>`broken`.mapWith(Number),
      leaning: sql<SignedLink[] | null>`leaning`,
    })
    .from(verdict);
  if (!row) throw new Error('a verification gave no row');
  return { ...row, leaning: row.leaning ?? [] };
}

/** The ends of the chain: the head, and the valid checkpoints. */
const signedBy = (kids: readonly string[]): SQL => sql`checkpoint as materialized (
      select * from ${auditCheckpoints} where kid in (${sql.join(
        kids.map((kid) => sql`${kid}`),
        sql`, `,
      )})
    ), base as (
      select * from checkpoint order by base_seq desc, seq desc limit 1
    ), latest as (
      select * from checkpoint order by seq desc, base_seq desc limit 1
    ), known as (
      select h.head_seq, h.head, greatest(h.head_seq, (select seq from latest)) as sealed_to,
        coalesce((select base_seq from base), 0) as base_seq,
        coalesce((select base_hash from base), repeat('0', 64)) as base_hash
      from (select coalesce(max(seq), 0) as head_seq, max(hash) as head from ${auditHead}) h
    )`;

/**
 * The events of a range, each checked by itself and against the previous one. The first row is only the predecessor.
 */
const eventsBetween = (lower: number, upper: number): SQL => sql`own as materialized (
      select e.seq, e.prev_hash, e.hash, e.sealed_text = audit_text(e)
        and e.hash = encode(sha256(convert_to(e.prev_hash || e.sealed_text, 'UTF8')), 'hex') as is_own
      from ${auditEvents} e
      where e.seq between ${lower}::bigint and ${upper}::bigint
    ), seen as (
      select own.*, lag(seq) over chain as seq_before, lag(hash) over chain as hash_before
      from own window chain as (order by seq)
    ), judged as (
      select seen.*, case
        when seq > base_seq + 1 and seq_before is distinct from seq - 1 then coalesce(seq_before + 1, first)
        when is_own and prev_hash = case seq when base_seq + 1 then base_hash else hash_before end
          and (seq <> head_seq or seen.hash = head) then null
        else seq end as broken
      from seen, span where seq between first and last
    )`;

const columns = sql.join(
  Object.values(getTableColumns(auditCheckpoints)).map(({ name }) => sql.identifier(name)),
  sql`, `,
);

/** Detects missing events at the end, and events after the sealed end. */
const cutOff = sql`case
  when coalesce(max(judged.seq), first - 1) < last then coalesce(max(judged.seq) + 1, first)
  when last = sealed_to and exists (select 1 from ${auditEvents} e where e.seq > sealed_to) then sealed_to + 1 end`;
