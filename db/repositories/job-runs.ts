import { sql } from 'drizzle-orm';
import type { Db, Statement } from '../client.ts';
import { must } from './statements.ts';

/** An attempt at a queued job. */
export type JobAttempt = { id: string; kind: string; attempt: number };

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
