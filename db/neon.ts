import {
  Client,
  type HTTPQueryOptions,
  type NeonQueryFunction,
  neon,
  neonConfig,
} from '@neondatabase/serverless';
import { drizzle as overHttp } from 'drizzle-orm/neon-http';
import { NeonSession, NeonTransaction } from 'drizzle-orm/neon-serverless';
import { PgDialect } from 'drizzle-orm/pg-core';
import { type Connection, type ConnectOptions, type Db, setRunners } from './client.ts';
import { pgFault } from './errors.ts';
import { setFlightDriver } from './flight.ts';
import { type FlightDriver, settledOneByOne } from './flight-driver.ts';
import { type LeaseDriver, runLeasedFrame } from './leased-frame.ts';
import { type HandleOn, runBatch } from './postgres/batch.ts';
import { beginWith } from './postgres/session/limits.ts';
import { type NoSchema, runTransaction } from './postgres/transaction.ts';

export type NeonOptions = ConnectOptions & {
  /** A local proxy for Neon's protocols over plain HTTP, `http://127.0.0.1:<port>`; replaces the host of `url`. */
  proxy?: string | undefined;
};

/**
 * Connects to Neon: a statement or batch is one HTTP request, an interactive transaction is one WebSocket. No
 * connection stays open in between, because Workers must not share I/O between requests. HTTP has no start-up
 * options, so the settings of the role limit statements, and Neon cancels the statement of an aborted request.
 */
export function connectNeon({ url, proxy, onRoundTrip, ...options }: NeonOptions): Connection {
  const { statementTimeoutMs: statementMs = 10_000, lockTimeoutMs: lockMs = 3_000 } = options;
  const { idleInTransactionMs = 15_000 } = options;
  const connectionString = proxy === undefined ? url : behind(proxy, url);
  if (proxy !== undefined) neonConfig.fetchEndpoint = endpointOf;
  const answerMs = statementMs + marginMs;
  const fetchOptions = {
    // A getter, because Neon spreads the options into each request: every round trip gets its own deadline.
    get signal(): AbortSignal {
      onRoundTrip?.();
      return AbortSignal.timeout(answerMs);
    },
  };
  const sql = neon(connectionString, { fetchOptions });
  const db: Db = overHttp({ client: sql });
  setRunners(db, {
    batch: (build) => runBatch(build, handleOn, (messages) => transact(sql, messages, false)),
    frame: (frame) => runLeasedFrame(db, framesBy(sql), frame),
  });
  setFlightDriver(db, flightsBy(sql));
  // The method of the HTTP driver throws.
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
      // Not awaited: the close message is sent immediately, and a lost connection would never confirm it.
      void client.end();
    }
  };
  return { db, close: async () => undefined };
}

type Sql = NeonQueryFunction<false, false>;
/** Text, values and options, as Drizzle passes them to the driver. */
type Message = [text: string, values?: unknown[], options?: HTTPQueryOptions<false, false>];

// Drizzle uses only the method `query` of a client.
const handleOn: HandleOn<Message, unknown> = (ask) =>
  overHttp({ client: { query: (...message: Message) => ask(message) } as unknown as Sql });

const textOf = ([text]: Message): string => text;

/** One request, which Neon runs as one transaction: it commits before it answers, and rolls back after an error. */
const transact = (sql: Sql, messages: readonly Message[], readOnly: boolean): Promise<readonly unknown[]> =>
  sql.transaction(
    messages.map((message) => sql.query(...message)),
    { isolationLevel: 'ReadCommitted', readOnly },
  );

const framesBy = (sql: Sql): LeaseDriver<Message, unknown> => ({
  handleOn,
  textOf,
  read: (messages) => transact(sql, messages, true),
  write: (messages) => transact(sql, messages, false),
});

/** With `read committed`, each read of a transaction has its own view of the data. */
const flightsBy = (sql: Sql): FlightDriver<Message, unknown> => ({
  handleOn,
  textOf,
  ask: async (message) => sql.query(...message),
  send: async (messages) => {
    try {
      const results = await transact(sql, messages, true);
      return results.map((result) => ({ result }));
    } catch (error) {
      if (!pgFault(error)) throw error;
      // One of the reads has failed, and with it the transaction.
      return settledOneByOne(messages.map((message) => () => sql.query(...message)));
    }
  },
});

/** Milliseconds by which the client waits longer than the server, so that the server's error is reported. */
const marginMs = 1_000;

const behind = (proxy: string, url: string): string =>
  Object.assign(new URL(url), { host: new URL(proxy).host, search: '' }).href;

const { fetchEndpoint: ofNeon } = neonConfig;
type Endpoint = Exclude<typeof ofNeon, string>;

/** The setting is shared by all clients of the process. Only loopback addresses use the proxy; Neon has none. */
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
  // The running statement fails with the connection. Without a listener the event would end the process.
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

/** A failed WebSocket emits an event without an error; this error has the SQLSTATE. */
const unreachable = (cause: unknown): Error =>
  Object.assign(new Error('The database cannot be reached', { cause }), { code: '08001' });
