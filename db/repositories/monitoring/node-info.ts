import { sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { jobWorkers } from '../../schema/jobs/workers.ts';
import { derived } from '../records/statements.ts';

/** Returns the version of the database and the number of live workers; one statement. */
export async function databaseFacts(db: Db, workerLivesS: number) {
  const lives = sql`${jobWorkers.last_seen_at} > now() - make_interval(secs => ${workerLivesS})`;
  const [facts] = await db
    .select({
      about: sql<string>`version()`,
      version: sql<string>`current_setting('server_version')`,
      workers: derived<number>(sql`select count(*)::int from ${jobWorkers} where ${lives}`),
      lastRunAt: derived<Date | null>(sql`select max(${jobWorkers.last_seen_at}) from ${jobWorkers}`).mapWith(
        jobWorkers.last_seen_at,
      ),
    })
    .from(sql`(values (1)) as once`);
  if (!facts) throw new Error('a select without a table gave no row');
  return facts;
}
