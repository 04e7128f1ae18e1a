import { sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { must } from '../records/statements.ts';

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
 * The statement, for the engine of the queue, that hands back the active jobs that no process works: all but `worked`
 * that were begun more than `seconds` ago. They run again at once and with as many tries as before; the next attempt has
 * another number, so that the former one has no effect any more.
 */
export const handBackLost = (
  worked: readonly string[],
  seconds: number,
): { text: string; values: unknown[] } => ({
  text: `update pgboss.job set state = 'retry', retry_limit = retry_limit + 1, start_after = now()
    where state = 'active' and id <> all($1::uuid[]) and started_on <= now() - $2::float8 * interval '1 second'`,
  values: [worked, seconds],
});

/** The statement that ends the heartbeats of jobs, which an earlier version has switched on. */
export const withoutHeartbeats =
  'update pgboss.queue set heartbeat_seconds = null where heartbeat_seconds is not null';

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
