import { eq, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { jobWorkers } from '../../schema/jobs/workers.ts';

/** One running sidecar; `name` is its own, `host` may be shared. */
export type Worker = { name: string; host: string };

/**
 * Writes that a worker is alive, and forgets those that have been silent for a day. The clock is the database's,
 * so that hosts whose clocks differ agree on who lives.
 */
export async function beat(db: Db, { name, host }: Worker): Promise<void> {
  await db.execute(sql`
    with forgotten as (delete from ${jobWorkers} where last_seen_at < now() - interval '1 day' and name <> ${name})
    insert into ${jobWorkers} (name, host, started_at, last_seen_at) values (${name}, ${host}, now(), now())
    on conflict (name) do update set last_seen_at = excluded.last_seen_at`);
}

/** A worker that ends says so: its entry must not linger until it counts as dead. */
export async function retire(db: Db, name: string): Promise<void> {
  await db.delete(jobWorkers).where(eq(jobWorkers.name, name));
}
