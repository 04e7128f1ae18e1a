import type { BatchItem } from 'drizzle-orm/batch';
import type { NeonHttpDatabase } from 'drizzle-orm/neon-http';
import type { PgDatabase, PgQueryResultHKT, PgTransactionConfig } from 'drizzle-orm/pg-core';

/** Any of our drivers, or a transaction of one. */
export type Db = PgDatabase<PgQueryResultHKT>;
export type Statement = BatchItem<'pg'>;

export type Connection = {
  db: Db;
  /** Ends what is kept open between statements. */
  close(): Promise<void>;
};

/** The options of every driver (`db/pg.ts`, `db/neon.ts`). Only what chooses a driver imports it: bundles stay small. */
export type ConnectOptions = {
  url: string;
  /** Name of the process in `pg_stat_activity`. */
  applicationName?: string;
  /** Milliseconds after which the server ends a statement, and a little later the client gives it up. Default 10,000. */
  statementTimeoutMs?: number;
  /** Milliseconds that a statement waits for a lock. Default 3,000. */
  lockTimeoutMs?: number;
  /** Milliseconds that a transaction may be idle. Default 15,000. */
  idleInTransactionMs?: number;
  /** Called once for every round trip: a statement, a batch, or a transaction as a whole. */
  onRoundTrip?: () => void;
};

/**
 * Runs the statements that `build` makes on its handle as one atomic unit: one batch on Neon's HTTP driver, a
 * transaction elsewhere. No statement can use the result of an earlier one; end with `must` to demand a condition.
 * @returns one result a statement, in order
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

/** Interactive transaction, for what must decide between statements; never on a request's common path. */
export async function withTransaction<T>(
  db: Db,
  work: (transaction: Db) => Promise<T>,
  config?: PgTransactionConfig,
): Promise<T> {
  // Each driver brings its own way: Neon's, which has none over HTTP, is given one where it is made.
  return db.transaction(work, config);
}

/**
 * Runs the work in an interactive transaction that is always taken back.
 * @returns what the work gave
 */
export async function rehearse<T>(db: Db, work: (transaction: Db) => Promise<T>): Promise<T> {
  const rehearsed: { result: T }[] = [];
  try {
    await withTransaction(db, async (transaction) => {
      rehearsed.push({ result: await work(transaction) });
      throw new Error('a rehearsal ends here');
    });
  } catch (error) {
    const [done] = rehearsed;
    if (!done) throw error;
    return done.result;
  }
  throw new Error('a transaction was committed although its work failed');
}

const isNeonHttp = (db: Db): db is Db & NeonHttpDatabase => 'batch' in db;

/** A statement built on the outer handle would escape the transaction without a sound. */
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
