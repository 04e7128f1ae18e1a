import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { workChannel } from '../../postgres/work-notice.ts';
import { leases } from '../../schema/jobs/leases.ts';
import { installation } from '../../schema/settings/installation.ts';
import { beat, type Worker } from './workers.ts';

/**
 * The state of a lease as returned to a process: whether it holds the lease, and the row. `leftMs` is the time until the
 * lease expires.
 */
export type LeaseView = { isOurs: boolean; holder: string; fence: number; renewedAt: string; leftMs: number };

export type LeaseRequest = {
  name: string;
  holder: string;
  /** Duration of the lease from now, in seconds. */
  seconds: number;
  /** `renewedAt` of a row that the caller has seen unchanged for longer than the duration of the lease. */
  seen: string | undefined;
  /** The worker whose heartbeat is recorded in the same statement. */
  worker?: Worker | undefined;
};

/**
 * Takes a free lease or renews it for its holder, in one statement. Times are by the clock of the database. A lease
 * that was not renewed since `seen` is also free, independent of its expiry: if the clock of the database was set
 * back, the expiry may be hours away. The statement also notifies the caller of its heartbeat, so that a listener can
 * detect that its connection is lost.
 */
export async function takeLease(
  db: Db,
  { name, holder, seconds, seen, worker }: LeaseRequest,
): Promise<LeaseView> {
  const isFree = sql`(held.holder = ${holder} or held.expires_at <= now()
    or held.renewed_at = ${seen ?? null}::timestamptz)`;
  const { rows } = (await db.execute(sql`
    with ${worker ? sql`${beat(worker)}, ` : sql``}taken as (
      insert into ${leases} as held (name, holder, fence, renewed_at, expires_at)
      select ${name}, ${holder}, 1, now(), now() + ${seconds}::float8 * interval '1 second'
      where not exists (select 1 from ${leases} held where name = ${name} and not ${isFree})
      on conflict (name) do update set holder = excluded.holder, renewed_at = excluded.renewed_at,
        expires_at = excluded.expires_at,
        fence = held.fence + case when held.holder = excluded.holder then 0 else 1 end
      where ${isFree}
      returning holder, fence, renewed_at, expires_at
    ), view as (
      select true as is_ours, holder, fence, renewed_at, expires_at from taken
      union all
      select false, holder, fence, renewed_at, expires_at from ${leases}
      where name = ${name} and not exists (select 1 from taken)
    )
    select is_ours, holder, fence::float8 as fence, renewed_at::text,
      extract(epoch from expires_at - now())::float8 * 1000 as left_ms
      ${worker ? sql`, ${notify(beatNotice(worker.name))}` : sql``} from view`)) as unknown as {
    rows: LeaseRow[];
  };
  const [row] = rows;
  // Another process inserted the row concurrently.
  if (!row) return { isOurs: false, holder: '', fence: 0, renewedAt: '', leftMs: 0 };
  const { is_ours: isOurs, renewed_at: renewedAt, left_ms: leftMs, fence } = row;
  return { isOurs, holder: row.holder, fence, renewedAt, leftMs };
}

type LeaseRow = { is_ours: boolean; holder: string; fence: number; renewed_at: string; left_ms: number };

/** The payload of the notification with a heartbeat. */
const beatNotice = (worker: string): string => `beat ${worker}`;
/** The payload of the notification that a lease is free. */
export const freeNotice = 'free';

const notify = (payload: string): SQL => sql`pg_notify(${workChannel}, ${payload})`;

/** Sends a notification to the sidecars. */
export async function sendNotice(db: Db, payload: string): Promise<void> {
  await db.execute(sql`select ${notify(payload)}`);
}

/** The payload of the notification that the leader rests. */
export const restNotice = 'rest';

/** Records that the sidecars send no statements from now on, and notifies the standbys. */
export async function beginRest(db: Db): Promise<void> {
  await db.execute(sql`update ${installation} set resting_since = now() returning ${notify(restNotice)}`);
}

export async function endRest(db: Db): Promise<void> {
  await db.execute(sql`update ${installation} set resting_since = null where resting_since is not null`);
}

/** Frees the lease immediately if `holder` still holds it, and notifies the others. */
export async function releaseLease(db: Db, name: string, holder: string): Promise<void> {
  await db.execute(sql`update ${leases} set expires_at = now() where name = ${name} and holder = ${holder}
    returning ${notify(freeNotice)}`);
}
