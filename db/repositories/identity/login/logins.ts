import { and, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginLocks } from '../../../schema/identity/login-locks.ts';
import { users } from '../../../schema/identity/users.ts';
import { type AuditEntry, appendAuditRows, auditRow } from '../../audit/events.ts';
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

/** Folded identifiers of a domain in a login request; undefined if absent. */
export type DomainNames = {
  id?: string | undefined;
  nameKey?: string | undefined;
  labelKey?: string | undefined;
};

/** Folded forms of a typed user name; the type of the domain decides which one applies. */
export type UserNames = { typed: string; address: string; bare: string };

/**
 * Returns all domains that match one of the identifiers, each with the matching user and roles, in one statement. The
 * caller chooses the domain and decides whether the login is allowed.
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
 * Returns the end of the lock that refuses the attempt and the row that holds it, whether the network is trusted, and
 * the system parameters; one statement. An attempt from a trusted network is refused only by the lock of its own
 * pair.
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

/** Maximum duration in seconds of a lock; further locks double the duration up to it. */
const longestBlockS = 3_600;
/** The counts of an account are reset after this time without failures. */
const forgottenAfter = sql`interval '2 hours'`;

/**
 * Counts a failed attempt and locks after `maxTries` consecutive failures. Returns no row if the account is locked
 * already, so that concurrent attempts during the lock reveal nothing.
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

/** Writes the audit event of a lock that this batch has caused. Earlier locks have their own events. */
export const appendLockEvent = (h: Db, row: Attempt, now: Date, entry: AuditEntry): Statement =>
  appendAuditRows(h, sql`${auditRow(entry, {})} from ${loginLocks} where ${isLockedHere(row, now)}`);

/**
 * Resets the failures of the pair after a successful login. Fails the batch if the pair was locked meanwhile, or a
 * wider limit for an untrusted network. Wider counts are kept, because they include other accounts. The row is locked
 * first, so that no concurrent failure can lock the pair between check and reset.
 */
export function clearFailures(h: Db, attempt: Attempt, now: Date): Statement[] {
  const { account, network } = attempt;
  return [
    // Must precede the insert, which makes the network trusted.
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

/** Records a successful login for another name of the account, whose failures are counted separately. */
export const noteKnownNetwork = (h: Db, { account, network }: Attempt, now: Date): Statement =>
  h
    .insert(loginLocks)
    .values({ account, network, last_good_at: now })
    .onConflictDoUpdate({
      target: [loginLocks.account, loginLocks.network],
      set: { last_good_at: now },
    });

/**
 * Removes all locks of an account, for single networks and for the account as a whole. Rows are locked in the same
 * order as in a failed attempt, and before other rows of the user are written, as at a login.
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
 * Records a login. Fails the batch if the verified password was changed or the user was deleted meanwhile. The user
 * row stays locked until the session is stored. The revision does not change, because it counts writes of
 * administrators only.
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
