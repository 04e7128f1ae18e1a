import { sql } from 'drizzle-orm';
import { drizzle, NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres';
import { PgDialect } from 'drizzle-orm/pg-core';
import pg from 'pg';
import type { Connection, ConnectOptions, Db } from './client.ts';
import { isUnavailable, pgFault } from './errors.ts';

export type PgOptions = ConnectOptions & {
  /** Rows come and go by this many connections at most. */
  maxConnections?: number;
  /** Connections stay open while nobody uses them. */
  keepIdle?: boolean;
  /** Told of connections that ended while nobody used them. */
  onError?: (error: Error) => void;
};

/** Connects by `pg`, over sockets that are kept; nothing is sent before the first statement. */
export function connectPg({
  url,
  maxConnections = 10,
  statementTimeoutMs = 10_000,
  keepIdle = false,
  ...on
}: PgOptions): Connection {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: 3_000,
    query_timeout: statementTimeoutMs,
    idleTimeoutMillis: keepIdle ? 0 : 30_000,
    keepAlive: true,
  });
  // Idle connections that the server ends are replaced by the pool; unheard, the event would end the process.
  pool.on('error', (error) => on.onError?.(error));
  // So would that of a connection that ends between two statements of a transaction; the next one tells of it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  if (on.onRoundTrip) pool.on('acquire', on.onRoundTrip);
  const db: Db = drizzle({ client: pool });
  db.transaction = transactionsOn(pool);
  return { db, close: () => pool.end() };
}

/**
 * Interactive transactions on a connection of the pool. Drizzle's own keep the connection for ever when they cannot
 * begin, and when a statement has timed out they wait as long again for its rollback, behind that statement.
 */
const transactionsOn =
  (pool: pg.Pool): Db['transaction'] =>
  async (work, config) => {
    const client = await pool.connect();
    const transaction = onClient(client);
    try {
      await transaction.execute(sql`begin`);
      if (config) await transaction.setTransaction(config);
      const result = await work(transaction);
      await transaction.execute(sql`commit`);
      client.release();
      return result;
    } catch (error) {
      client.release(!(await isTakenBack(transaction, error)));
      throw error;
    }
  };

type Transaction = NodePgTransaction<Record<string, never>, Record<string, never>>;

function onClient(client: pg.PoolClient): Transaction {
  const dialect = new PgDialect();
  return new NodePgTransaction(dialect, new NodePgSession(client, dialect, undefined), undefined);
}

/** A connection that did not answer is no longer asked: when it ends, the server takes back what it had begun. */
async function isTakenBack(transaction: Transaction, error: unknown): Promise<boolean> {
  const isUnanswered = pgFault(error) === undefined && isUnavailable(error);
  if (isUnanswered) return false;
  return transaction.execute(sql`rollback`).then(
    () => true,
    () => false,
  );
}
