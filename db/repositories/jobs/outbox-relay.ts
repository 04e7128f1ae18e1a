import { type SQL, sql } from 'drizzle-orm';
// biome-ignore lint/correctness/noUnresolvedImports: the linter does not follow its declarations, the compiler does
import { fromDrizzle } from 'pg-boss';
import { type Db, withTransaction } from '../../client.ts';
import { type OutboxJob, takeFromOutbox } from './outbox.ts';

/** A transaction in the form in which the job queue engine runs statements. */
type EngineDatabase = ReturnType<typeof fromDrizzle>;
type Insert = (kind: string, jobs: readonly OutboxJob[], db: EngineDatabase) => Promise<unknown>;

/**
 * Moves the oldest jobs from the outbox into the queue, in one transaction, so that each job is in exactly one of
 * them.
 * @returns the kind of each moved job
 */
export const moveFromOutbox = (
  db: Db,
  kinds: readonly string[],
  limit: number,
  insert: Insert,
): Promise<string[]> =>
  withTransaction(db, async (tx) => {
    const jobs = await takeFromOutbox(tx, kinds, limit);
    const engine = fromDrizzle(
      { execute: async (query) => (await tx.execute(query as SQL)) as { rows: unknown[] } },
      sql,
    );
    for (const [kind, group] of Map.groupBy(jobs, (job) => job.kind)) await insert(kind, group, engine);
    return jobs.map(({ kind }) => kind);
  });
