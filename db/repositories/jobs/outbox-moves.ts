import { type SQL, sql } from 'drizzle-orm';
// biome-ignore lint/correctness/noUnresolvedImports: the linter does not follow its declarations, the compiler does
import { fromDrizzle } from 'pg-boss';
import { type Db, withTransaction } from '../../client.ts';
import { type OutboxJob, takeFromOutbox } from './outbox.ts';

/** A transaction of ours, as the engine of the job queue runs statements in it. */
type EngineDatabase = ReturnType<typeof fromDrizzle>;
type Insert = (kind: string, jobs: readonly OutboxJob[], db: EngineDatabase) => Promise<unknown>;

/**
 * Moves the oldest wanted jobs into the queue: at any moment each of them is in one of the two.
 * @returns their kinds, one for each
 */
export const moveWanted = (
  db: Db,
  kinds: readonly string[],
  limit: number,
  insert: Insert,
): Promise<string[]> =>
  withTransaction(db, async (tx) => {
    const wanted = await takeFromOutbox(tx, kinds, limit);
    const engine = fromDrizzle(
      { execute: async (query) => (await tx.execute(query as SQL)) as { rows: unknown[] } },
      sql,
    );
    for (const [kind, jobs] of Map.groupBy(wanted, (job) => job.kind)) await insert(kind, jobs, engine);
    return wanted.map(({ kind }) => kind);
  });
