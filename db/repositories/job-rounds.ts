import { and, eq, sql } from 'drizzle-orm';
import { newId } from '../../shared/kernel/ids.ts';
import type { Db } from '../client.ts';
import { jobRounds as table } from '../schema/job-rounds.ts';

/** After this time somebody who has not ended his round is taken to be dead. */
const lease = sql`60 * interval '1 second'`;

/**
 * Claims the next round of a job for whoever asks, when it is due: of several sidecars one runs it. The clock is the
 * database's.
 * @param intervalMs from the start of one round to the start of the next
 * @returns the id of the round, or undefined when it is somebody else's
 */
export async function claimRound(db: Db, job: string, intervalMs: number): Promise<string | undefined> {
  const runId = newId();
  // A round that is a little early is due: clocks of two processes never tick together. What began in the future did
  // so before the clock was put back, and must not keep the job from running until then.
  const due = sql`${table.started_at} not between now() - ${intervalMs * 0.9}::float8 * interval '1 millisecond' and now()`;
  const isFree = sql`(${table.ended_at} is not null or ${table.started_at} not between now() - ${lease} and now() + ${lease})`;
  const rows = await db
    .insert(table)
    .values({ job, run_id: runId, started_at: sql`now()` })
    .onConflictDoUpdate({
      target: table.job,
      set: { run_id: runId, started_at: sql`now()`, ended_at: null },
      setWhere: sql`${due} and ${isFree}`,
    })
    .returning({ id: table.run_id });
  return rows[0]?.id;
}

/** Ends a round, unless it has passed to somebody else meanwhile. */
export async function endRound(db: Db, job: string, runId: string): Promise<void> {
  await db
    .update(table)
    .set({ ended_at: sql`now()` })
    .where(and(eq(table.job, job), eq(table.run_id, runId)));
}
