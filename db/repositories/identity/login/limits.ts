import { and, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { loginLocks } from '../../../schema/identity/login-locks.ts';
import { appendMonitoring, type MonitoringEntry } from '../../monitoring/records.ts';
import { must } from '../../records/statements.ts';

/** Stands for all accounts or all networks in a row of the lock table. */
export const everyone = '*';

/** The account and the source network of an attempt; either may be `everyone`. */
export type Attempt = { account: string; network: string };

/** Maximum numbers of failed logins: per account and hour, per network and minute, and in total per minute. */
export type LoginLimits = { accountPerHour: number; ipPerMinute: number; overallPerMinute: number };

/** A successful login makes a network trusted for the account for 30 days. */
const knownMs = 30 * 86_400_000;
/** Age in milliseconds after which a row without a lock or a successful login has no effect. */
const forgottenMs = 2 * 3_600_000;

const momentOf = (at: Date): SQL => sql`${at.toISOString()}::timestamptz`;
const before = (now: Date, ms: number): Date => new Date(now.getTime() - ms);
/** The earliest last successful login of a trusted network. */
export const knownSince = (now: Date): Date => before(now, knownMs);

/** The condition that selects this row. */
export const isRow = ({ account, network }: Attempt): SQL | undefined =>
  and(eq(loginLocks.account, account), eq(loginLocks.network, network));

/** The condition that selects the row of the attempt and the rows of wider limits. */
export const isReached = ({ account, network }: Attempt): SQL | undefined =>
  and(inArray(loginLocks.account, [account, everyone]), inArray(loginLocks.network, [network, everyone]));

/** The condition that the row is not locked. */
export const isOpen = (now: Date): SQL =>
  sql`(${loginLocks.locked_until} is null or ${loginLocks.locked_until} <= ${momentOf(now)})`;

/**
 * The condition that the current transaction has locked the row. Concurrent attempts can have the same timestamp, so
 * the transaction id distinguishes the locks.
 */
export const isLockedHere = (row: Attempt, now: Date): SQL | undefined =>
  and(isRow(row), sql`${loginLocks}.xmin = pg_current_xact_id()::xid`, gt(loginLocks.locked_until, now));

/**
 * Counts a failed attempt for its account, its network and in total. Returns a row for each limit that was not
 * locked: attempts during a lock are not counted, so that a flood cannot prolong the lock. All batches lock the rows
 * in this order, after the row of the pair, which avoids deadlocks.
 */
export function countFailure(h: Db, { account, network }: Attempt, now: Date, limits: LoginLimits) {
  const at = momentOf(now);
  const rows = [
    { account, network: everyone, limit: limits.accountPerHour, period: hour },
    { account: everyone, network, limit: limits.ipPerMinute, period: minute },
    { account: everyone, network: everyone, limit: limits.overallPerMinute, period: minute },
  ];
  const limit = sql`(case when ${loginLocks.account} <> ${everyone} then ${limits.accountPerHour}::int
    when ${loginLocks.network} <> ${everyone} then ${limits.ipPerMinute}::int else ${limits.overallPerMinute}::int end)`;
  const period = sql`(case when ${loginLocks.account} <> ${everyone} then ${hour} else ${minute} end)`;
  // A count ends with its period, and with the lock that it caused.
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

/** Writes the monitoring record if this batch has locked out all untrusted networks. */
export const appendFloodRecord = (h: Db, entry: MonitoringEntry): Statement =>
  appendMonitoring(
    h,
    entry,
    sql`exists(select 1 from ${loginLocks} where ${isLockedHere({ account: everyone, network: everyone }, entry.at)})`,
  );

/** Fails the batch if a wider limit is locked, unless the network is trusted for the account. */
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

/** The condition that a row has no effect any more: no lock, no recent failure, no recent successful login. */
export const isObsoleteLock = (now: Date): SQL | undefined =>
  and(
    or(isNull(loginLocks.last_failure_at), lte(loginLocks.last_failure_at, before(now, forgottenMs))),
    isOpen(now),
    or(isNull(loginLocks.last_good_at), lte(loginLocks.last_good_at, knownSince(now))),
  );
