import pg from 'pg';
import { networkOptions, refusesOptions } from './limits.ts';

/** A connection outside of any pool, for tools and migrations; `processID` is set by `pg` and missing in its declarations. */
export type SessionClient = pg.Client & { readonly processID: number | null };

/** Connects, without start-up options where they are refused. @throws Error when the database cannot be reached */
export async function connectSession(url: string, applicationName: string): Promise<SessionClient> {
  return connect(url, applicationName, networkOptions).catch((error: unknown) => {
    if (!refusesOptions(error)) throw error;
    return connect(url, applicationName, undefined);
  });
}

async function connect(
  url: string,
  application_name: string,
  options: string | undefined,
): Promise<SessionClient> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(options !== undefined && { options }),
  });
  // A connection that ends between two statements would end the process; the next statement fails instead.
  client.on('error', () => undefined);
  await client.connect();
  return client as SessionClient;
}

/**
 * True when a pooler gives the session of the server to another client as soon as a transaction ends, so that locks and
 * settings of a session are not kept. A pooler of sessions, or a proxy, changes the process id of the backend as well;
 * hence a second client looks whether it gets the session that the first one has just used.
 */
export async function sharesSessions(client: SessionClient, url: string): Promise<boolean> {
  const used = await pidOf(client);
  if (used === client.processID) return false;
  const other = await connectSession(url, 'aggregator-migrate');
  try {
    await other.query('begin');
    return (await pidOf(other)) === used;
  } finally {
    await other.end();
  }
}

async function pidOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
