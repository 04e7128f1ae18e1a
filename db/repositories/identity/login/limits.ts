import { and, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { loginLocks } from '../../../schema/identity/login-locks.ts';
import { appendMonitoring, type MonitoringEntry } from '../../monitoring/records.ts';
import { must } from '../../records/statements.ts';

/** Every account, or every network, in a row that counts for all of them. */
export const everyone = '*';

/** An account in the lock table, and the network the attempt comes from; either may be `everyone`. */
export type Attempt = { account: string; network: string };

/** Failures that a whole account, a network and all together may have: an hour the first, a minute the others. */
export type Limits = { accountPerHour: number; ipPerMinute: number; overallPerMinute: number };

/** A good login makes a network known to an account for this long: 30 days. */
const knownMs = 30 * 86_400_000;
/** Longer than anything of a row without a lock or a good login counts. */
const forgottenMs = 2 * 3_600_000;

const momentOf = (at: Date): SQL => sql`${at.toISOString()}::timestamptz`;
const before = (now: Date, ms: number): Date => new Date(now.getTime() - ms);
/** Since when a good login must have been for its network to be a known one. */
export const knownSince = (now: Date): Date => before(now, knownMs);

/** The condition that this row is in the table. */
export const isRow = ({ account, network }: Attempt): SQL | undefined =>
  and(eq(loginLocks.account, account), eq(loginLocks.network, network));

/** The condition that the row is that of the attempt, or of a wider limit that it counts to. */
export const isReached = ({ account, network }: Attempt): SQL | undefined =>
  and(inArray(loginLocks.account, [account, everyone]), inArray(loginLocks.network, [network, everyone]));

/** The condition that the row is not locked. */
export const isOpen = (now: Date): SQL =>
  sql`(${loginLocks.locked_until} is null or ${loginLocks.locked_until} <= ${momentOf(now)})`;

/**
 * The condition that the transaction itself has locked the row. Only the transaction tells its own lock from an earlier
 * one: attempts of one moment have one time.
 */
export const isLockedHere = (row: Attempt, now: Date): SQL | undefined =>
  and(isRow(row), sql`${loginLocks}.xmin = pg_current_xact_id()::xid`, gt(loginLocks.locked_until, now));

/**
 * Counts a failed attempt for its account, its network and altogether. A row comes back for each that was open: what is
 * locked is not counted further, or a flood would prolong its own lock for those it shuts out. Every batch takes the
 * rows in this order, after that of the pair, so that none waits for another in a circle.
 */
export function countFailure(h: Db, { account, network }: Attempt, now: Date, limits: Limits) {
  const at = momentOf(now);
  const rows = [
    { account, network: everyone, limit: limits.accountPerHour, period: hour },
    { account: everyone, network, limit: limits.ipPerMinute, period: minute },
    { account: everyone, network: everyone, limit: limits.overallPerMinute, period: minute },
  ];
  const limit = sql`(case when ${loginLocks.account} <> ${everyone} then ${limits.accountPerHour}::int
    when ${loginLocks.network} <> ${everyone} then ${limits.ipPerMinute}::int else ${limits.overallPerMinute}::int end)`;
  const period = sql`(case when ${loginLocks.account} <> ${everyone} then ${hour} else ${minute} end)`;
  // A count ends with its period, and with the lock that it brought.
  const isOver = sql`(${loginLocks.counted_from} <= ${at} - ${period} or ${loginLocks.locked_until} <= ${at})`;
  const failures = sql`(case when ${isOver} then 1 else ${loginLocks.failures} + 1 end)`;
  return h
    .insert(loginLocks)
    .values(
      rows.map((row) => ({
        account: row.account,
        network: row.network,
        failures: 1,
        counted_from: now,
        locked_until: row.limit <= 1 ? sql`${at} + ${row.period}` : null,
        last_failure_at: now,
      })),
    )
    .onConflictDoUpdate({
      target: [loginLocks.account, loginLocks.network],
      set: {
        failures,
        counted_from: sql`case when ${isOver} then ${at} else ${loginLocks.counted_from} end`,
        locked_until: sql`case when ${failures} >= ${limit} then ${at} + ${period} else null end`,
        last_failure_at: now,
      },
      setWhere: isOpen(now),
    })
    .returning({ account: loginLocks.account, network: loginLocks.network });
}

const hour = sql`interval '1 hour'`;
const minute = sql`interval '1 minute'`;

/** Writes the record when this batch has locked out, for a while, whoever is not known. */
export const appendFloodRecord = (h: Db, entry: MonitoringEntry): Statement =>
  appendMonitoring(
    h,
    entry,
    sql`exists(select 1 from ${loginLocks} where ${isLockedHere({ account: everyone, network: everyone }, entry.at)})`,
  );

/** Ends the batch when a wider lock or limit stands in the way, but for a network that is known to the account. */
export function mustBeOpenOrKnown(h: Db, { account, network }: Attempt, now: Date): Statement {
  const wider = and(
    isReached({ account, network }),
    or(eq(loginLocks.account, everyone), eq(loginLocks.network, everyone)),
    gt(loginLocks.locked_until, now),
  );
  const known = and(isRow({ account, network }), gt(loginLocks.last_good_at, knownSince(now)));
  return must(
    h,
    sql`not exists(select 1 from ${loginLocks} where ${wider}) or exists(select 1 from ${loginLocks} where ${known})`,
    'locked_out',
  );
}

/** The condition that a row counts for nothing any more: no lock, no recent failure, no good login of late. */
export const isForgotten = (now: Date): SQL | undefined =>
  and(
    or(isNull(loginLocks.last_failure_at), lte(loginLocks.last_failure_at, before(now, forgottenMs))),
    isOpen(now),
    or(isNull(loginLocks.last_good_at), lte(loginLocks.last_good_at, knownSince(now))),
  );
