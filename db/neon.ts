import { Client, neon, neonConfig } from '@neondatabase/serverless';
import { drizzle as overHttp } from 'drizzle-orm/neon-http';
import { NeonSession, NeonTransaction } from 'drizzle-orm/neon-serverless';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Connection, ConnectOptions, Db } from './client.ts';
import { pgFault } from './errors.ts';
import { beginWith } from './postgres/limits.ts';
import { type NoSchema, runTransaction } from './postgres/transaction.ts';

export type NeonOptions = ConnectOptions & {
  /**
   * A local proxy that speaks Neon's protocols by plain HTTP, `http://127.0.0.1:<port>`; takes the place of the
   * host in `url`.
   */
  proxy?: string | undefined;
};

/**
 * Connects to Neon: a statement or a batch is one HTTP request, an interactive transaction a WebSocket of its own.
 * Nothing is open between them, as a Worker must share nothing between its requests. HTTP has no start-up options: the
 * settings of the role limit its statements, and Neon cancels the statement of a request that is given up.
 */
export function connectNeon({ url, proxy, onRoundTrip, ...options }: NeonOptions): Connection {
  const { statementTimeoutMs: statementMs = 10_000, lockTimeoutMs: lockMs = 3_000 } = options;
  const { idleInTransactionMs = 15_000 } = options;
  const connectionString = proxy === undefined ? url : behind(proxy, url);
  if (proxy !== undefined) neonConfig.fetchEndpoint = endpointOf;
  const answerMs = statementMs + marginMs;
  const fetchOptions = {
    // Neon spreads these options into those of each request, so this runs once a round trip: each has its own deadline.
    get signal(): AbortSignal {
      onRoundTrip?.();
      return AbortSignal.timeout(answerMs);
    },
  };
  const db: Db = overHttp({ client: neon(connectionString, { fetchOptions }) });
  // The method of the HTTP driver only throws.
  db.transaction = async (work, config) => {
    onRoundTrip?.();
    const client = await openSession(connectionString, answerMs, proxy !== undefined);
    const dialect = new PgDialect();
    const session = new NeonSession<NoSchema, NoSchema>(client, dialect, undefined);
    const transaction = new NeonTransaction<NoSchema, NoSchema>(dialect, session, undefined);
    const begin = beginWith({ statementMs, lockMs, idleInTransactionMs });
    try {
      return await runTransaction(transaction, { begin, work, config, onUncertain: () => undefined });
    } finally {
      // Closing is sent at once; a connection that is gone already would never confirm it.
      void client.end();
    }
  };
  return { db, close: async () => undefined };
}

/** Milliseconds by which the client waits longer than the server, whose error is the better answer. */
const marginMs = 1_000;

const behind = (proxy: string, url: string): string =>
  Object.assign(new URL(url), { host: new URL(proxy).host, search: '' }).href;

const { fetchEndpoint: ofNeon } = neonConfig;
type Endpoint = Exclude<typeof ofNeon, string>;

/** All clients of a process share this setting; it is told apart by the address, which no host of Neon has. */
const endpointOf: Endpoint = (host, port, options) => {
  if (/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)) return `http://${host}:${port}/sql`;
  return typeof ofNeon === 'string' ? ofNeon : ofNeon(host, port, options);
};

async function openSession(connectionString: string, answerMs: number, isProxied: boolean): Promise<Client> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: 3_000,
    query_timeout: answerMs,
  });
  // The statement under way fails with the connection; unheard, the event itself would end the process.
  client.on('error', () => undefined);
  if (isProxied) {
    client.neonConfig.useSecureWebSocket = false;
    client.neonConfig.wsProxy = (host, port) => `${host}:${port}/v2`;
  }
  await client.connect().catch((cause: unknown) => {
    throw pgFault(cause) ? cause : unreachable(cause);
  });
  return client;
}

/** A WebSocket fails with an event that is no error and says nothing; this one has the SQLSTATE of what happened. */
const unreachable = (cause: unknown): Error =>
  Object.assign(new Error('The database cannot be reached', { cause }), { code: '08001' });
