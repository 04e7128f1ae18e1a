import { and, asc, eq, gt, ne, or, type SQL, sql } from 'drizzle-orm';
import { containsPattern } from '../../../../shared/kernel/text.ts';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginLocks as table } from '../../../schema/identity/login-locks.ts';
import { users } from '../../../schema/identity/users.ts';
import { must } from '../../records/statements.ts';
import { everyone } from '../login/limits.ts';

const digest = sql`encode(sha256(convert_to(${table.account} || chr(10) || ${table.network}, 'UTF8')), 'hex')`;

/** A row is identified by its account and network, which can be long. The id is a UUID of version 8 from their digest. */
const id = sql<string>`overlay(overlay(left(${digest}, 32) placing '8' from 13) placing '8' from 17)::uuid`;

const isLocked = (now: Date): SQL => gt(table.locked_until, now);
const typed = sql<string>`substr(${table.account}, 38)`;

/** What a lock refuses. */
const reach = sql<LockOutReach>`case
  when ${table.account} <> ${everyone} and ${table.network} <> ${everyone} then 'account_from_network'
  when ${table.account} <> ${everyone} then 'account'
  when ${table.network} <> ${everyone} then 'network' else 'all' end`;

type LockOutReach = 'account_from_network' | 'account' | 'network' | 'all';

export type LockOutQuery = {
  now: Date;
  limit: number;
  search?: string | undefined;
  authenticator?: string | undefined;
  reach?: string | undefined;
  sort: { key: string; descending: boolean };
  after?: { key: string; id: string } | undefined;
};

const selected = {
  id: id.as('id'),
  reach: reach.as('reach'),
  user_id: users.id,
  user: sql<string | null>`coalesce(${users.name}, nullif(${typed}, ''))`.as('user'),
  authenticator_id: authenticators.id,
  authenticator_name: authenticators.name,
  network: sql<string | null>`nullif(${table.network}, ${everyone})`.as('network'),
  locked_until: table.locked_until,
  last_failure_at: table.last_failure_at,
};

export type LockOut = Awaited<ReturnType<typeof readLockOuts>>[number];

/** Locks are few and short, so all that are in effect are compared. */
const readLockOuts = (h: Db, condition: SQL | undefined, order: SQL[], limit: number) =>
  h
    .select({ ...selected, account: table.account, key: sql<string>`${table.locked_until}::text` })
    .from(table)
    .leftJoin(authenticators, eq(sql`${authenticators.id}::text`, sql`left(${table.account}, 36)`))
    .leftJoin(users, and(eq(users.authenticator_id, authenticators.id), eq(users.name_key, typed)))
    .where(condition)
    .orderBy(...order)
    .limit(limit);

/** Lists the locks that are in effect. A query for `limit` + 1 rows shows whether there are more. */
export async function listLockOuts(db: Db, query: LockOutQuery) {
  const { now, limit, search, authenticator, reach: which, sort, after } = query;
  const start = after && sql`(${after.key}::timestamptz, ${after.id}::uuid)`;
  const position = sql`(${table.locked_until}, ${id})`;
  const pattern = search ? containsPattern(search) : undefined;
  const condition = and(
    isLocked(now),
    which === undefined ? undefined : sql`${reach} = ${which}`,
    authenticator === undefined ? undefined : eq(authenticators.id, authenticator),
    pattern === undefined
      ? undefined
      : or(sql`${typed} like ${pattern}`, sql`${table.network} like ${pattern}`),
    start && (sort.descending ? sql`${position} < ${start}` : sql`${position} > ${start}`),
  );
  const direction = sort.descending ? sql`desc` : sql`asc`;
  const order = [sql`${table.locked_until} ${direction}`, sql`${id} ${direction}`];
  const rows = await readLockOuts(db, condition, order, limit + 1);
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last && { key: last.key, id: last.id } };
}

/** @returns the lock with this id, if it is in effect */
export async function findLockOut(db: Db, wanted: string, now: Date): Promise<LockOut | undefined> {
  const [row] = await readLockOuts(db, and(isLocked(now), eq(id, wanted)), [asc(table.network)], 1);
  return row;
}

/** Ends a lock of a network or of all logins. Fails the batch with `not_found` if it has ended. */
export const liftWiderLock = (h: Db, { network }: { network: string }, now: Date): Statement[] => [
  must(
    h,
    sql`(select ${table.network} from ${table}
      where ${and(eq(table.account, everyone), eq(table.network, network), isLocked(now))} for update) is not null`,
    'not_found',
  ),
  h
    .update(table)
    .set({ failures: 0, locks: 0, locked_until: null })
    .where(and(eq(table.account, everyone), eq(table.network, network))),
];

/** The locks of an account that are in effect, the longest first. */
export const locksOfAccount = (h: Db, account: SQL, now: Date) =>
  h
    .select({
      id: id.as('id'),
      network: sql<string | null>`nullif(${table.network}, ${everyone})`.as('network'),
      locked_until: table.locked_until,
    })
    .from(table)
    .where(and(eq(table.account, account), ne(table.account, everyone), isLocked(now)))
    .orderBy(sql`${table.locked_until} desc`)
    .limit(100);
