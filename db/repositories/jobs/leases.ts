import { sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { leases } from '../../schema/jobs/leases.ts';

/** The state of a lease as returned to a process: whether it holds the lease, and the row. */
export type LeaseView = { isOurs: boolean; holder: string; fence: number; renewedAt: string };

/**
 * Takes a free lease or renews it for its holder, in one statement. Times are by the clock of the database. A lease
 * that was not renewed since `seen` is also free, independent of its expiry: if the clock of the database was set
 * back, the expiry may be hours away.
 * @param seconds duration of the lease from now
 * @param seen `renewedAt` of a row that the caller has seen unchanged for longer than the duration of the lease
 */
export async function takeLease(
  db: Db,
  {
    name,
    holder,
    seconds,
    seen,
  }: { name: string; holder: string; seconds: number; seen: string | undefined },
): Promise<LeaseView> {
  const isFree = sql`(held.holder = ${holder} or held.expires_at <= now()
    or held.renewed_at = ${seen ?? null}::timestamptz)`;
  const { rows } = (await db.execute(sql`
    with taken as (
      insert into ${leases} as held (name, holder, fence, renewed_at, expires_at)
      select ${name}, ${holder}, 1, now(), now() + ${seconds}::float8 * interval '1 second'
      where not exists (select 1 from ${leases} held where name = ${name} and not ${isFree})
      on conflict (name) do update set holder = excluded.holder, renewed_at = excluded.renewed_at,
        expires_at = excluded.expires_at,
        fence = held.fence + case when held.holder = excluded.holder then 0 else 1 end
      where ${isFree}
      returning holder, fence, renewed_at
    )
    select true as is_ours, holder, fence::float8 as fence, renewed_at::text from taken
    union all
    select false, holder, fence::float8, renewed_at::text from ${leases}
    where name = ${name} and not exists (select 1 from taken)`)) as unknown as { rows: LeaseRow[] };
  const [row] = rows;
  // Another process inserted the row concurrently.
  if (!row) return { isOurs: false, holder: '', fence: 0, renewedAt: '' };
  return { isOurs: row.is_ours, holder: row.holder, fence: row.fence, renewedAt: row.renewed_at };
}

type LeaseRow = { is_ours: boolean; holder: string; fence: number; renewed_at: string };

/** Frees the lease immediately if `holder` still holds it. */
export async function releaseLease(db: Db, name: string, holder: string): Promise<void> {
  await db.execute(sql`update ${leases} set expires_at = now() where name = ${name} and holder = ${holder}`);
}
