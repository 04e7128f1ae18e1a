import pg from 'pg';
import { basicOptions, refusesOptions } from './limits.ts';
import { withSystemRoots } from './system-roots.ts';

/** A connection outside of any pool, for tools and migrations. `processID` is missing in the declarations of `pg`. */
export type SessionClient = pg.Client & { readonly processID: number | null };

/** Connects, without start-up options if they are rejected. @throws Error if the database is unreachable */
export async function connectSession(url: string, applicationName: string): Promise<SessionClient> {
  return connect(url, applicationName, basicOptions).catch((error: unknown) => {
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
    connectionString: withSystemRoots(url),
    connectionTimeoutMillis: 5_000,
    application_name,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(options !== undefined && { options }),
  });
  // Without a listener, a connection that ends while idle would end the process. The next statement fails instead.
  client.on('error', () => undefined);
  await client.connect();
  return client as SessionClient;
}

/**
 * True if a pooler assigns the server session to another client after each transaction, so that session locks and
 * settings are lost. Session poolers and proxies also change the process id, so a second client checks whether it
 * gets the session that the first one has just used.
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
