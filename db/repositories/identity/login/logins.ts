import { and, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { auditEvents } from '../../../schema/audit/events.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginLocks } from '../../../schema/identity/login-locks.ts';
import { users } from '../../../schema/identity/users.ts';
import { type AuditEntry, auditRow } from '../../audit/events.ts';
import { must } from '../../records/statements.ts';
import {
  type Attempt,
  everyone,
  isLockedHere,
  isOpen,
  isReached,
  isRow,
  knownSince,
  mustBeOpenOrKnown,
} from './limits.ts';
import { parameterOverrides, rolesOf } from './sessions.ts';

/** Folded identifiers of a domain as a login gives them; those not given are undefined. */
export type DomainNames = {
  id?: string | undefined;
  nameKey?: string | undefined;
  labelKey?: string | undefined;
};

/** Folded names that a typed one may mean; which of them, the type of the domain says. */
export type UserNames = { typed: string; address: string; bare: string };

/**
 * The domains that one of the identifiers names, each with the user of that name and his roles, in one statement.
 * Which of them counts, and whether anybody may log in, the caller decides.
 * @param typesNamedAsTyped types of domains whose login names are never split at `@` or `\\`
 */
export const findCandidates = (
  db: Db,
  names: DomainNames,
  user: UserNames,
  typesNamedAsTyped: readonly string[],
) =>
  db
    .select({ domain: authenticators, user: users, roles: rolesOf(users.id) })
    .from(authenticators)
    .leftJoin(
      users,
      and(eq(users.authenticator_id, authenticators.id), eq(users.name_key, keyIn(user, typesNamedAsTyped))),
    )
    .where(
      or(
        names.id === undefined ? undefined : eq(authenticators.id, names.id),
        names.nameKey === undefined ? undefined : eq(authenticators.name_key, names.nameKey),
        names.labelKey === undefined ? undefined : eq(authenticators.small_name_key, names.labelKey),
      ),
    );

const keyIn = ({ typed, address, bare }: UserNames, typesNamedAsTyped: readonly string[]): SQL => sql`case
  when ${inArray(authenticators.type, [...typesNamedAsTyped])} then ${typed}
  when lower(${authenticators.params} ->> 'user_id_attribute') in ('mail', 'userprincipalname') then ${address}
  else ${bare} end`;

/**
 * Until when the attempt is refused and by which row, whether the network is known to the account, and the system
 * parameters, in one statement. A pair that is known is refused by its own lock only.
 */
export async function findLock(db: Db, { account, network }: Attempt, now: Date) {
  const rows = await db
    .select({
      account: loginLocks.account,
      network: loginLocks.network,
      lockedUntil: loginLocks.locked_until,
      lastGoodAt: loginLocks.last_good_at,
      parameters: parameterOverrides,
    })
    .from(sql`(values (1)) as once`)
    .leftJoin(loginLocks, isReached({ account, network }));
  const own = rows.find((row) => row.account === account && row.network === network);
  const isKnown = own?.lastGoodAt != null && own.lastGoodAt > knownSince(now);
  const locks = (isKnown ? [own] : rows)
    .flatMap((row) => (row.lockedUntil && row.lockedUntil > now ? [{ ...row, until: row.lockedUntil }] : []))
    .sort((a, b) => b.until.getTime() - a.until.getTime());
  const [lock] = locks;
  return {
    lockedUntil: lock?.until ?? null,
    lockedBy: { account: lock?.account ?? account, network: lock?.network ?? network },
    isKnown,
    parameters: rows[0]?.parameters ?? null,
  };
}

export type LockRules = { maxTries: number; blockS: number };

/** Further locks double the time, up to this. */
const longestBlockS = 3_600;
/** An account that behaved for this long starts anew. */
const forgottenAfter = sql`interval '2 hours'`;

/**
 * Counts a failed attempt and locks after `maxTries` in a row. No row comes back when the account is locked already:
 * attempts that were under way when the lock fell tell their sender nothing.
 */
export function recordFailure(
  h: Db,
  { account, network }: Attempt,
  now: Date,
  { maxTries, blockS }: LockRules,
) {
  const at = sql`${now.toISOString()}::timestamptz`;
  const fresh = sql`${loginLocks.last_failure_at} < ${at} - ${forgottenAfter}`;
  const failures = sql`(case when ${fresh} then 1 else ${loginLocks.failures} + 1 end)`;
  const locks = sql`(case when ${fresh} then 0 else ${loginLocks.locks} end)`;
  const isFull = sql`${failures} >= ${maxTries}::int`;
  const lockFor = (earlier: SQL) =>
    sql`${at} + least(${longestBlockS}::int, ${blockS}::int * power(2, ${earlier})) * interval '1 second'`;
  const first = maxTries <= 1;
  return h
    .insert(loginLocks)
    .values({
      account,
      network,
      failures: first ? 0 : 1,
      locks: first ? 1 : 0,
      locked_until: first ? lockFor(sql`0`) : null,
      last_failure_at: now,
    })
    .onConflictDoUpdate({
      target: [loginLocks.account, loginLocks.network],
      set: {
        failures: sql`case when ${isFull} then 0 else ${failures} end`,
        locks: sql`case when ${isFull} then ${locks} + 1 else ${locks} end`,
        locked_until: sql`case when ${isFull} then ${lockFor(locks)} else null end`,
        last_failure_at: now,
      },
      setWhere: isOpen(now),
    })
    .returning({ lockedUntil: loginLocks.locked_until });
}

/** Writes the event of the lock that this batch has brought to a row; earlier locks have theirs. */
export const appendLockEvent = (h: Db, row: Attempt, now: Date, entry: AuditEntry): Statement =>
  h
    .insert(auditEvents)
    .select(sql`${auditRow(entry, {})} from ${loginLocks} where ${isLockedHere(row, now)}`);

/**
 * Clears the failures of the pair at a good login, and ends its batch when the pair, or for one that is not known what
 * is wider, has been locked meanwhile. What is counted more widely stays: it tells of others. The row is taken
 * first, so that no failure under way can lock it between the judgement and the clearing.
 */
export function clearFailures(h: Db, attempt: Attempt, now: Date): Statement[] {
  const { account, network } = attempt;
  return [
    // Before this login makes the network a known one.
    mustBeOpenOrKnown(h, attempt, now),
    h
      .insert(loginLocks)
      .values({ account, network, last_good_at: now })
      .onConflictDoUpdate({
        target: [loginLocks.account, loginLocks.network],
        set: { failures: 0, locks: 0, locked_until: null, last_good_at: now },
        setWhere: isOpen(now),
      }),
    must(
      h,
      sql`not exists(select 1 from ${loginLocks} where ${and(isRow(attempt), gt(loginLocks.locked_until, now))})`,
      'locked_out',
    ),
  ];
}

/** Notes a good login from a network for a further name of the account, whose failures are counted elsewhere. */
export const noteKnownNetwork = (h: Db, { account, network }: Attempt, now: Date): Statement =>
  h
    .insert(loginLocks)
    .values({ account, network, last_good_at: now })
    .onConflictDoUpdate({
      target: [loginLocks.account, loginLocks.network],
      set: { last_good_at: now },
    });

/**
 * Lifts the locks of an account for every network, and those of the account as a whole. It takes the rows in the order
 * in which a failure does, and stands before whatever else a batch writes about the user, as it does at a login.
 */
export function liftLocks(h: Db, account: string): Statement {
  const inOrder = h
    .select({ network: loginLocks.network })
    .from(loginLocks)
    .where(eq(loginLocks.account, account))
    .orderBy(sql`${loginLocks.network} = ${everyone}`, loginLocks.network)
    .for('update');
  return h
    .update(loginLocks)
    .set({ failures: 0, locks: 0, locked_until: null })
    .where(and(eq(loginLocks.account, account), sql`${loginLocks.network} in ${inOrder}`));
}

/**
 * Notes a login, and ends its batch when the password that was checked, or the user, is gone meanwhile; the user is
 * held until the session stands. His revision counts writes of administrators only.
 */
export function noteLogin(
  h: Db,
  { id, password_hash: checked }: Pick<typeof users.$inferSelect, 'id' | 'password_hash'>,
  now: Date,
  rehashed: string | undefined,
): Statement[] {
  const has = (hash: string | null) => and(eq(users.id, id), eq(users.password_hash, hash ?? ''));
  return [
    h
      .update(users)
      .set({ last_login_at: now, ...(rehashed !== undefined && { password_hash: rehashed }) })
      .where(has(checked)),
    must(h, sql`exists(select 1 from ${users} where ${has(rehashed ?? checked)})`, 'invalid_credentials'),
  ];
}
