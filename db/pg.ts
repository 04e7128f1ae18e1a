import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Connection, ConnectOptions, Db } from './client.ts';
import { transactionsOn } from './pg-transaction.ts';

export type PgOptions = ConnectOptions & {
  /** Rows come and go by this many connections at most. */
  maxConnections?: number;
  /** Told of connections that ended while nobody used them. */
  onError?: (error: Error) => void;
};

/** Connects by `pg`, over sockets that are kept; nothing is sent before the first statement. */
export function connectPg({
  url,
  maxConnections = 10,
  statementTimeoutMs = 10_000,
  ...on
}: PgOptions): Connection {
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
  // So would that of a connection that ends between two statements of a transaction; the next one tells of it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  if (on.onRoundTrip) pool.on('acquire', on.onRoundTrip);
  const db: Db = drizzle({ client: pool });
  db.transaction = transactionsOn(pool);
  return { db, close: () => pool.end() };
}
