import { and, eq, lte, sql } from 'drizzle-orm';
import { atomically, type Db } from '../../../client.ts';
import { directoryRefusals as table } from '../../../schema/identity/directory-refusals.ts';
import { appendMonitoring, type MonitoringEntry } from '../../monitoring/records.ts';

type Refusal = { fingerprint: string; retryAt: Date };

/** Returns the last refusal of the search account of a domain. */
export async function findRefusal(db: Db, domainId: string): Promise<Refusal | undefined> {
  const [row] = await db
    .select({ fingerprint: table.account_fingerprint, retryAt: table.retry_at })
    .from(table)
    .where(eq(table.authenticator_id, domainId));
  return row;
}

/** Takes the retry if it is due; the next one is due at `until`. @returns false if another process has taken it */
export async function takeRetry(
  db: Db,
  domainId: string,
  fingerprint: string,
  { now, until }: { now: Date; until: Date },
): Promise<boolean> {
  const taken = await db
    .update(table)
    .set({ retry_at: until })
    .where(
      and(
        eq(table.authenticator_id, domainId),
        eq(table.account_fingerprint, fingerprint),
        lte(table.retry_at, now),
      ),
    )
    .returning({ id: table.authenticator_id });
  return taken.length > 0;
}

/** Back-off in seconds: before the second attempt, and the maximum. Each wait is five times the previous one. */
const [firstWait, longestWait] = [60, 3_600];

/** Stores a refusal and its monitoring record. */
export async function noteRefused(
  db: Db,
  domainId: string,
  fingerprint: string,
  entry: MonitoringEntry & { at: Date },
): Promise<void> {
  const at = sql`${entry.at.toISOString()}::timestamptz`;
  const count = sql<number>`case when ${table.account_fingerprint} = ${fingerprint} then ${table.refusals} + 1 else 1 end`;
  const wait = sql`least(${firstWait} * power(5, least(${count}, 10) - 1), ${longestWait}) * interval '1 second'`;
  await atomically(db, (h) => [
    h
      .insert(table)
      .values({
        authenticator_id: domainId,
        account_fingerprint: fingerprint,
        refusals: 1,
        refused_at: entry.at,
        retry_at: new Date(entry.at.getTime() + firstWait * 1_000),
      })
      .onConflictDoUpdate({
        target: table.authenticator_id,
        set: {
          account_fingerprint: fingerprint,
          refusals: count,
          refused_at: entry.at,
          retry_at: sql`${at} + ${wait}`,
        },
      }),
    appendMonitoring(h, entry),
  ]);
}

export const forgetRefusal = (db: Db, domainId: string): PromiseLike<unknown> =>
  db.delete(table).where(eq(table.authenticator_id, domainId));
