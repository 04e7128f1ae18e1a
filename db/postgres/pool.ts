import pg from 'pg';
import { GuardedClient, type Shared } from './client.ts';
import { beginWith, type Limits, refusesOptions, type Session } from './limits.ts';
import { Slots, Unanswered, within } from './slots.ts';

export type PoolOptions = {
  url: string;
  applicationName: string;
  limits: Limits;
  /** Connections of the server, those included that still run a statement which was given up. */
  maxConnections: number;
  /** Milliseconds after which a connection that is not used is closed; 0: never. */
  idleMs: number;
  /** Called when a connection ends that is not in use. */
  onError?: ((error: Error) => void) | undefined;
  /** Called with the first session, and with each one whose report differs from the one before. */
  onSession?: ((report: SessionReport) => void) | undefined;
};

/** How the limits are in force: by start-up options, by settings of the role, or by `set local` in each transaction. */
export type SessionReport = { limitedBy: 'session' | 'role' | 'transaction'; isPooled: boolean };

export type Query = (statement: pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;

/** A connection while it is in use. */
export type Lent = {
  query: Query;
  /** The statement that begins a transaction with the limits. */
  begin: string;
  /** Keeps the connection from being used again. */
  discard(): void;
};

export type Pool = {
  /** Runs one statement. */
  query: Query;
  /** Lends a connection to the work. */
  use<T>(work: (lent: Lent) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** Milliseconds by which the client waits longer than the server, whose error is the better answer. */
const marginMs = 1_000;
/** Milliseconds for a connection, free or new. */
const patienceMs = 3_000;

/** Connections by `pg` that never exceed `maxConnections` on the server. */
export function createPool(options: PoolOptions): Pool {
  const { limits } = options;
  const { url, urlOptions } = withoutOptions(options.url);
  const slots = new Slots(options.maxConnections);
  const shared: Shared = { limits, urlOptions, sendsOptions: true, slots, clients: new Set() };
  const pool = poolOf(url, options, shared);

  async function use<T>(work: (lent: Lent, client: GuardedClient) => Promise<T>): Promise<T> {
    const client = await acquire(pool, shared);
    const { lent, isUsable } = lend(client, limits);
    try {
      return await work(lent, client);
    } finally {
      // After an error of PostgreSQL a connection can be used again; the pool drops one that has ended.
      client.release(!isUsable());
      slots.release();
    }
  }

  return {
    query: (statement, values) =>
      use((lent, client) =>
        client.session.isLimited
          ? lent.query(statement, values)
          : alone(client, lent, () => lent.query(statement, values)),
      ),
    use: (work) => use((lent) => work(lent)),
    close: async () => {
      for (const client of shared.clients) client.abandon();
      await pool.end();
    },
  };
}

function poolOf(url: string, options: PoolOptions, shared: Shared): pg.Pool {
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
  // The pool replaces idle connections that end; without a listener the event would end the process.
  pool.on('error', (error) => options.onError?.(error));
  if (options.onSession) pool.on('connect', reporter(options.onSession));
  return pool;
}

function lend(client: GuardedClient, limits: Limits): { lent: Lent; isUsable: () => boolean } {
  let isUsable = true;
  const discard = () => {
    isUsable = false;
  };
  const query: Query = async (statement, values) => {
    try {
      return await within(client.query(statement, values), limits.statementMs + marginMs);
    } catch (error) {
      if (error instanceof Unanswered) discard();
      throw error;
    }
  };
  const begin = client.session.isLimited ? 'begin' : beginWith(limits);
  return { lent: { query, discard, begin }, isUsable: () => isUsable };
}

/** The options of a URL would take the place of ours. */
function withoutOptions(url: string): { url: string; urlOptions: string | undefined } {
  if (!/[?&]options=/.test(url)) return { url, urlOptions: undefined };
  const bare = new URL(url);
  const urlOptions = bare.searchParams.get('options') ?? undefined;
  bare.searchParams.delete('options');
  return { url: bare.href, urlOptions };
}

/** A slot, and a connection in it. It gives up after a while, and the slot is released when there is an answer. */
async function acquire(pool: pg.Pool, shared: Shared): Promise<GuardedClient & pg.PoolClient> {
  const deadline = performance.now() + patienceMs;
  await shared.slots.acquire(patienceMs);
  const connecting = connect(pool, shared);
  try {
    return await within(connecting, deadline - performance.now());
  } catch (error) {
    const giveBack = () => shared.slots.release();
    if (error instanceof Unanswered)
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

/** Connects without start-up options once they were refused. */
async function connect(pool: pg.Pool, shared: Shared): Promise<GuardedClient & pg.PoolClient> {
  const { sendsOptions } = shared;
  const once = async () => {
    const client = await pool.connect();
    if (client instanceof GuardedClient) return client;
    throw new Error('a pool gave a connection of another kind');
  };
  try {
    return await once();
  } catch (error) {
    if (!sendsOptions || !refusesOptions(error)) throw error;
    shared.sendsOptions = false;
    return await once().catch((again: unknown) => {
      // Something else was refused.
      shared.sendsOptions = refusesOptions(again);
      throw again;
    });
  }
}

/** Runs a statement in a transaction of its own, to which the limits belong: three messages in one round trip. */
async function alone(
  client: GuardedClient,
  { query, begin }: Lent,
  run: () => Promise<pg.QueryResult>,
): Promise<pg.QueryResult> {
  const { stream } = client.connection;
  client.pipeline = true;
  stream.cork();
  const answers = [query({ text: begin }), run(), query({ text: 'commit' })] as const;
  stream.uncork();
  // After an error of the statement `commit` rolls back and reports none.
  const [begun, answer, ended] = await Promise.allSettled(answers);
  client.pipeline = false;
  for (const { reason } of [begun, answer, ended].filter((one) => one.status === 'rejected')) throw reason;
  if (answer.status === 'rejected') throw answer.reason;
  return answer.value;
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
