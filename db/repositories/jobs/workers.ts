import { eq, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { jobWorkers } from '../../schema/jobs/workers.ts';

/** A running sidecar. `name` is unique; several sidecars may share a `host`. */
export type Worker = { name: string; host: string };

/**
 * Records a heartbeat of a worker, and deletes workers without one for a day. Uses the clock of the database, because
 * the clocks of hosts may differ.
 */
export async function recordHeartbeat(db: Db, worker: Worker): Promise<void> {
  await db.execute(sql`with ${beat(worker)} select`);
}

/** The same as parts of a `with` clause. */
export const beat = ({ name, host }: Worker): SQL => sql`forgotten as (
    delete from ${jobWorkers} where last_seen_at < now() - interval '1 day' and name <> ${name}
  ), beaten as (
    insert into ${jobWorkers} (name, host, started_at, last_seen_at) values (${name}, ${host}, now(), now())
    on conflict (name) do update set last_seen_at = excluded.last_seen_at
  )`;

/** Deletes the row of a worker that shuts down, so that it is not reported as failed. */
export async function removeWorker(db: Db, name: string): Promise<void> {
  await db.delete(jobWorkers).where(eq(jobWorkers.name, name));
}
