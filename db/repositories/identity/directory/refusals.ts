import { and, eq, lte, sql } from 'drizzle-orm';
import { atomically, type Db } from '../../../client.ts';
import { directoryRefusals as table } from '../../../schema/identity/directory-refusals.ts';
import { appendMonitoring, type MonitoringEntry } from '../../monitoring/records.ts';

type Refusal = { fingerprint: string; retryAt: Date };

/** The last refusal of the account of a domain. */
export async function findRefusal(db: Db, domainId: string): Promise<Refusal | undefined> {
  const [row] = await db
    .select({ fingerprint: table.account_fingerprint, retryAt: table.retry_at })
    .from(table)
    .where(eq(table.authenticator_id, domainId));
  return row;
}

/** Takes the one attempt that is due; the next is not before `until`. @returns false when another process has it */
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

/** Seconds before the second attempt; each further wait is five times as long, up to the longest. */
const [firstWait, longestWait] = [60, 3_600];

/** Notes a refusal, with its record in the journal. */
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
