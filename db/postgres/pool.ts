import pg from 'pg';
import { type CheckedOutConnection, Checkout, type Query } from './checkout.ts';
import { GuardedClient, type PoolState } from './client.ts';
import { PreparedStatements, type PrepareReport } from './prepared.ts';
import { refusesOptions, type Session, type Timeouts } from './session/limits.ts';
import { withSystemRoots } from './session/system-roots.ts';
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
  /** False to send all statements without names. */
  prepares: boolean;
  /** Called when prepared statements are refused. */
  onPrepare?: ((report: PrepareReport) => void) | undefined;
};

/** How the limits are enforced: by start-up options, by role settings, or by `set local` per transaction. */
export type SessionReport = { limitedBy: 'session' | 'role' | 'transaction'; isPooled: boolean };

export type Pool = {
  /** Runs one statement. */
  query: Query;
  /** Checks out a connection for the duration of the work. */
  use<T>(work: (lent: CheckedOutConnection) => Promise<T>): Promise<T>;
  /** The same for work that gets the next free connection, before all that waits. */
  urgent: Pick<Pool, 'query' | 'use'>;
  close(): Promise<void>;
};

/** Timeout in milliseconds for a connection, idle or new. */
const patienceMs = 3_000;

/** A `pg` pool that never exceeds `maxConnections` on the server. */
export function createPool(options: PoolOptions): Pool {
  const { limits, onRoundTrip } = options;
  const { url, urlOptions } = withoutOptions(options.url);
  const slots = new Slots(options.maxConnections);
  const shared: PoolState = { limits, urlOptions, sendsOptions: true, slots, clients: new Set() };
  const pool = poolOf(url, options, shared);
  const prepared = new PreparedStatements(options.prepares, options.onPrepare);

  async function use<T>(work: (checkout: Checkout) => Promise<T>, isUrgent = false): Promise<T> {
    const client = await acquire(pool, shared, isUrgent);
    const checkout = new Checkout({ client, limits, prepared, onRoundTrip });
    try {
      const result = await work(checkout);
      slots.noteAnswer();
      return result;
    } finally {
      // A connection stays usable after a PostgreSQL error. The pool removes ended connections.
      client.release(!checkout.isUsable);
      slots.release();
    }
  }

  return {
    query: (statement, values) => use(({ single }) => single(statement, values)),
    use: (work) => use(work),
    urgent: {
      query: (statement, values) => use(({ single }) => single(statement, values), true),
      use: (work) => use(work, true),
    },
    close: async () => {
      for (const client of shared.clients) client.abandon();
      await pool.end();
    },
  };
}

function poolOf(url: string, options: PoolOptions, shared: PoolState): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSystemRoots(url),
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
async function acquire(
  pool: pg.Pool,
  shared: PoolState,
  isUrgent: boolean,
): Promise<GuardedClient & pg.PoolClient> {
  const deadline = performance.now() + patienceMs;
  await shared.slots.acquire(patienceMs, isUrgent);
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
