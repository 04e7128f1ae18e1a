import type { BatchItem } from 'drizzle-orm/batch';
import type { NeonHttpDatabase } from 'drizzle-orm/neon-http';
import type { PgDatabase, PgQueryResultHKT, PgTransactionConfig } from 'drizzle-orm/pg-core';

/** A database handle of any driver, or a transaction. */
export type Db = PgDatabase<PgQueryResultHKT>;
export type Statement = BatchItem<'pg'>;

export type Connection = {
  db: Db;
  /** Closes idle connections. */
  close(): Promise<void>;
};

/**
 * Options of all drivers (`db/pg.ts`, `db/neon.ts`). Only the code that selects a driver imports it, which keeps
 * bundles small.
 */
export type ConnectOptions = {
  url: string;
  /** Name of the process in `pg_stat_activity`. */
  applicationName?: string;
  /** Statement timeout in milliseconds on the server; the client waits slightly longer. Default 10,000. */
  statementTimeoutMs?: number;
  /** Lock timeout in milliseconds. Default 3,000. */
  lockTimeoutMs?: number;
  /** Timeout of idle transactions in milliseconds. Default 15,000. */
  idleInTransactionMs?: number;
  /** Called once per round trip: a statement, a batch, or a whole transaction. */
  onRoundTrip?: () => void;
};

/**
 * Runs the statements of `build` as one atomic unit: one batch with Neon's HTTP driver, a transaction with other
 * drivers. A statement cannot use the result of an earlier one; use `must` to enforce a condition.
 * @returns one result per statement, in order
 */
export async function atomically(db: Db, build: (handle: Db) => readonly Statement[]): Promise<unknown[]> {
  if (isNeonHttp(db)) {
    const [first, ...rest] = build(db);
    return first ? db.batch([first, ...rest]) : [];
  }
  return db.transaction(async (transaction) => {
    const results: unknown[] = [];
    for (const statement of build(transaction)) {
      assertOwned(statement, transaction);
      results.push(await statement);
    }
    return results;
  });
}

/** Runs an interactive transaction, for work that decides between statements. Not for frequent requests. */
export async function withTransaction<T>(
  db: Db,
  work: (transaction: Db) => Promise<T>,
  config?: PgTransactionConfig,
): Promise<T> {
  // Every driver provides `transaction`; for Neon over HTTP, `connectNeon` adds it.
  return db.transaction(work, config);
}

/**
 * Runs the work in an interactive transaction that is always rolled back.
 * @returns the result of the work
 */
export async function dryRun<T>(db: Db, work: (transaction: Db) => Promise<T>): Promise<T> {
  const rolledBack: { result: T }[] = [];
  try {
    await withTransaction(db, async (transaction) => {
      rolledBack.push({ result: await work(transaction) });
      throw new Error('rollback of a dry run');
    });
  } catch (error) {
    const [done] = rolledBack;
    if (!done) throw error;
    return done.result;
  }
  throw new Error('a transaction was committed although its work failed');
}

const isNeonHttp = (db: Db): db is Db & NeonHttpDatabase => 'batch' in db;

/** A statement built on the outer handle would silently run outside of the transaction. */
function assertOwned(statement: unknown, transaction: unknown): void {
  const own = sessionOf(transaction);
  const used = sessionOf(statement);
  if (used !== undefined && used !== own)
    throw new Error('a statement was not built on the handle of its batch');
}

function sessionOf(owner: unknown): unknown {
  if (typeof owner !== 'object' || owner === null) return undefined;
  if ('session' in owner) return owner.session;
  if ('_' in owner && typeof owner._ === 'object' && owner._ !== null && 'session' in owner._)
    return owner._.session;
  return undefined;
}
