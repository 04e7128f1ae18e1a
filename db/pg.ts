import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Connection, ConnectOptions } from './client.ts';

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
  return { db: drizzle({ client: pool }), close: () => pool.end() };
}
