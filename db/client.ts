import type { BatchItem } from 'drizzle-orm/batch';
import type { NeonHttpDatabase } from 'drizzle-orm/neon-http';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import pg from 'pg';

/** Any of our drivers, or a transaction of one. */
export type Db = PgDatabase<PgQueryResultHKT>;
export type Statement = BatchItem<'pg'>;

export type Connection = {
  db: Db;
  /** Rows come and go by this many connections at most. */
  close(): Promise<void>;
};

export type ConnectOptions = {
  url: string;
  maxConnections?: number;
  /** Milliseconds one statement may take before it counts as a failure of the database. */
  statementTimeoutMs?: number;
  /** Called once for every round trip: a statement, or a transaction as a whole. */
  onRoundTrip?: () => void;
  onError?: (error: Error) => void;
};

/** Connects by `pg`; nothing is sent before the first statement. */
export function connect({
  url,
  maxConnections = 10,
  statementTimeoutMs = 10_000,
  ...on
}: ConnectOptions): Connection {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: 3_000,
    query_timeout: statementTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  // Idle connections that the server ends are replaced by the pool; unheard, the event would end the process.
  pool.on('error', (error) => on.onError?.(error));
  if (on.onRoundTrip) pool.on('acquire', on.onRoundTrip);
  return { db: drizzle({ client: pool }), close: () => pool.end() };
}

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
export async function withTransaction<T>(db: Db, work: (transaction: Db) => Promise<T>): Promise<T> {
  return db.transaction(work);
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
