import { sql } from 'drizzle-orm';
import type { Db, Statement } from '../client.ts';
import { must } from './statements.ts';

/** An attempt at a queued job. */
export type JobAttempt = { id: string; kind: string; attempt: number };

/**
 * The statement, for the engine of the queue, that gives an attempt its try back: whoever works the job next has as
 * many as this one had. The attempt still ends as one that failed, so that the fence tells it from the next.
 */
export const handBackAttempt = ({ id, kind, attempt }: JobAttempt): { text: string; values: unknown[] } => ({
  text: `update pgboss.job set retry_limit = retry_limit + 1
    where name = $1 and id = $2::uuid and state = 'active' and retry_count = $3::int`,
  values: [kind, id, attempt],
});

/**
 * Ends its batch with `job_lost` unless the attempt is still the one that counts: whoever was taken for dead, and is
 * not, has no effect any more. Until the batch ends nobody else takes the job.
 */
export const whileOurs = (h: Db, { id, kind, attempt }: JobAttempt): Statement =>
  must(
    h,
    sql`exists(select 1 from pgboss.job where name = ${kind} and id = ${id}::uuid and state = 'active'
      and retry_count = ${attempt}::int for share)`,
    'job_lost',
  );
