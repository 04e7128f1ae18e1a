import pg from 'pg';
import utils from 'pg/lib/utils.js';
import { GuardedClient, type PoolState } from './client.ts';
import { beginWith, refusesOptions, type Session, type Timeouts } from './limits.ts';
import { NoResponseError, Slots, withTimeout } from './slots.ts';

export type PoolOptions = {
  url: string;
  applicationName: string;
  limits: Timeouts;
  /** Maximum number of connections to the server, including those that still run an abandoned statement. */
  maxConnections: number;
  /** Idle time in milliseconds after which a connection is closed; 0 for never. */
  idleMs: number;
  /** Called for each time that the client waits for answers of the server. */
  onRoundTrip?: (() => void) | undefined;
  /** Called when an idle connection ends with an error. */
  onError?: ((error: Error) => void) | undefined;
  /** Called for the first session, and for each session whose report differs from the previous one. */
  onSession?: ((report: SessionReport) => void) | undefined;
};

/** How the limits are enforced: by start-up options, by role settings, or by `set local` per transaction. */
export type SessionReport = { limitedBy: 'session' | 'role' | 'transaction'; isPooled: boolean };

export type Query = (statement: pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;

/** A statement with its values, in the form that the server receives. */
export type Message = { statement: pg.QueryConfig; values?: unknown[] | undefined };

/** A connection that is checked out of the pool. */
export type CheckedOutConnection = {
  query: Query;
  /**
   * Sends statements in one round trip. After a failed statement of a transaction, the server rejects the others.
   * @throws the error of the first statement that failed
   */
  pipeline: (messages: readonly Message[]) => Promise<pg.QueryResult[]>;
  /** The statement that begins a transaction with the limits. */
  begin: string;
  /** Removes the connection from the pool after use. */
  discard(): void;
};

export type Pool = {
  /** Runs one statement. */
  query: Query;
  /** Checks out a connection for the duration of the work. */
  use<T>(work: (lent: CheckedOutConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** Milliseconds by which the client waits longer than the server, so that the server's error is reported. */
const marginMs = 1_000;
/** Timeout in milliseconds for a connection, idle or new. */
const patienceMs = 3_000;

/** A `pg` pool that never exceeds `maxConnections` on the server. */
export function createPool(options: PoolOptions): Pool {
  const { limits } = options;
  const { url, urlOptions } = withoutOptions(options.url);
  const slots = new Slots(options.maxConnections);
  const shared: PoolState = { limits, urlOptions, sendsOptions: true, slots, clients: new Set() };
  const pool = poolOf(url, options, shared);

  async function use<T>(work: (lent: CheckedOutConnection, client: GuardedClient) => Promise<T>): Promise<T> {
    const client = await acquire(pool, shared);
    const { lent, isUsable } = lend(client, options);
    try {
      return await work(lent, client);
    } finally {
      // A connection stays usable after a PostgreSQL error. The pool removes ended connections.
      client.release(!isUsable());
      slots.release();
    }
  }

  return {
    query: (statement, values) =>
      use(async ({ query, pipeline, begin }, { session }) =>
        session.isLimited ? query(statement, values) : limited(pipeline, begin, { statement, values }),
      ),
    use: (work) => use((lent) => work(lent)),
    close: async () => {
      for (const client of shared.clients) client.abandon();
      await pool.end();
    },
  };
}

function poolOf(url: string, options: PoolOptions, shared: PoolState): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: options.applicationName,
    max: options.maxConnections,
    idleTimeoutMillis: options.idleMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    Client: class extends GuardedClient {
      constructor(config?: pg.ClientConfig) {
        super(config ?? {}, shared);
      }
    },
  });
  // The pool replaces idle connections that end. Without a listener the event would end the process.
  pool.on('error', (error) => options.onError?.(error));
  if (options.onSession) pool.on('connect', reporter(options.onSession));
  return pool;
}

function lend(
  client: GuardedClient,
  { limits, onRoundTrip }: PoolOptions,
): { lent: CheckedOutConnection; isUsable: () => boolean } {
  let isUsable = true;
  const discard = () => {
    isUsable = false;
  };
  const query: Query = async (statement, values) => {
    onRoundTrip?.();
    try {
      return await withTimeout(client.query(statement, values), limits.statementMs + marginMs);
    } catch (error) {
      if (error instanceof NoResponseError) discard();
      throw error;
    }
  };
  const pipeline = async (messages: readonly Message[]): Promise<pg.QueryResult[]> => {
    const results: pg.QueryResult[] = [];
    const failures: unknown[] = [];
    onRoundTrip?.();
    for (const answer of sendTogether(client, messages)) {
      // The server begins a statement when the one before it has ended.
      await withTimeout(answer, limits.statementMs + marginMs).then(
        (result) => results.push(result),
        (error: unknown) => failures.push(error),
      );
      if (failures.at(-1) instanceof NoResponseError) break;
    }
    if (failures.some((error) => error instanceof NoResponseError)) discard();
    else client.pipeline = false;
    for (const failure of failures) throw failure;
    return results;
  };
  const begin = client.session.isLimited ? 'begin' : beginWith(limits);
  return { lent: { query, pipeline, discard, begin }, isUsable: () => isUsable };
}

/** Sends all messages in one packet. The values are encoded before, because a value that cannot be must stop them all. */
function sendTogether(client: GuardedClient, messages: readonly Message[]): Promise<pg.QueryResult>[] {
  const encoded = messages.map(({ statement, values = [] }) => ({
    statement,
    values: values.map(utils.prepareValue),
  }));
  const { stream } = client.connection;
  client.pipeline = true;
  stream.cork();
  const answers = encoded.map(({ statement, values }) =>
    client.query(statement, values.length === 0 ? undefined : values),
  );
  stream.uncork();
  // A failure is reported when the answers before it have arrived.
  for (const answer of answers) answer.catch(() => undefined);
  return answers;
}

/** Options in the URL would replace those set here, so they are extracted and appended. */
function withoutOptions(url: string): { url: string; urlOptions: string | undefined } {
  if (!/[?&]options=/.test(url)) return { url, urlOptions: undefined };
  const bare = new URL(url);
  const urlOptions = bare.searchParams.get('options') ?? undefined;
  bare.searchParams.delete('options');
  return { url: bare.href, urlOptions };
}

/**
 * Acquires a slot and a connection. After a timeout the slot is released only when the pending connection settles.
 */
async function acquire(pool: pg.Pool, shared: PoolState): Promise<GuardedClient & pg.PoolClient> {
  const deadline = performance.now() + patienceMs;
  await shared.slots.acquire(patienceMs);
  const connecting = connect(pool, shared);
  try {
    return await withTimeout(connecting, deadline - performance.now());
  } catch (error) {
    const giveBack = () => shared.slots.release();
    if (error instanceof NoResponseError)
      connecting
        .then(
          (client) => client.release(),
          () => undefined,
        )
        .finally(giveBack);
    else giveBack();
    throw error;
  }
}

/** Connects, and retries without start-up options if they are rejected. */
async function connect(pool: pg.Pool, shared: PoolState): Promise<GuardedClient & pg.PoolClient> {
  const { sendsOptions } = shared;
  const once = async () => {
    const client = await pool.connect();
    if (client instanceof GuardedClient) return client;
    throw new Error('the pool returned an unexpected client');
  };
  try {
    return await once();
  } catch (error) {
    if (!sendsOptions || !refusesOptions(error)) throw error;
    shared.sendsOptions = false;
    return await once().catch((again: unknown) => {
      // The first error had another reason.
      shared.sendsOptions = refusesOptions(again);
      throw again;
    });
  }
}

/** Runs a statement in its own transaction to apply the limits, in one round trip. */
async function limited(
  pipeline: CheckedOutConnection['pipeline'],
  begin: string,
  message: Message,
): Promise<pg.QueryResult> {
  const [, result] = await pipeline([
    { statement: { text: begin } },
    message,
    { statement: { text: 'commit' } },
  ]);
  if (!result) throw new Error('the statement has no result');
  return result;
}

function reporter(onSession: (report: SessionReport) => void) {
  let last = '';
  return (client: pg.ClientBase): void => {
    if (!(client instanceof GuardedClient)) return;
    const report = reportOf(client.session);
    const text = JSON.stringify(report);
    if (text !== last) onSession(report);
    last = text;
  };
}

function reportOf({ isLimited, isByOptions, isPooled }: Session): SessionReport {
  if (!isLimited) return { limitedBy: 'transaction', isPooled };
  return { limitedBy: isByOptions ? 'session' : 'role', isPooled };
}
