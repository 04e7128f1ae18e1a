import { sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { must } from '../records/statements.ts';

/** An attempt of a queued job. */
export type JobAttempt = { id: string; kind: string; attempt: number };

/**
 * SQL for the queue engine that does not count the current attempt against the limit. The attempt still ends as
 * failed, so that the next one gets a new number and the fence works.
 */
export const returnAttempt = ({ id, kind, attempt }: JobAttempt): { text: string; values: unknown[] } => ({
  text: `update pgboss.job set retry_limit = retry_limit + 1
    where name = $1 and id = $2::uuid and state = 'active' and retry_count = $3::int`,
  values: [kind, id, attempt],
});

/**
 * SQL for the queue engine that returns active jobs without a worker to the queue: all jobs except `worked` that
 * began more than `seconds` ago. They are due immediately, and the attempt does not count against the limit. The next
 * attempt has a new number, so that the former one can no longer write.
 */
export const returnLostJobs = (
  worked: readonly string[],
  seconds: number,
): { text: string; values: unknown[] } => ({
  text: `update pgboss.job set state = 'retry', retry_limit = retry_limit + 1, start_after = now()
    where state = 'active' and id <> all($1::uuid[]) and started_on <= now() - $2::float8 * interval '1 second'`,
  values: [worked, seconds],
});

/** Disables job heartbeats, which an earlier version has enabled. */
export const withoutHeartbeats =
  'update pgboss.queue set heartbeat_seconds = null where heartbeat_seconds is not null';

/**
 * Fails the batch with `job_lost` unless the attempt is the current one, so that a worker that was presumed dead
 * cannot write. The job row stays locked until the batch ends.
 */
export const mustBeCurrent = (h: Db, { id, kind, attempt }: JobAttempt): Statement =>
  must(
    h,
    sql`exists(select 1 from pgboss.job where name = ${kind} and id = ${id}::uuid and state = 'active'
      and retry_count = ${attempt}::int for share)`,
    'job_lost',
  );
