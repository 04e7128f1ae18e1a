import type pg from 'pg';
import { migrateDatabase } from '../../../db/migrate.ts';
import { type DatabaseServer, startDatabaseServer } from '../database/stand.ts';

/** A statement with the number of its executions. */
export type CountedStatement = { calls: number; query: string };

/** A migrated database on a server that counts the statements of clients, BEGIN and COMMIT included. */
export async function startCountingServer(): Promise<DatabaseServer> {
  const server = await startDatabaseServer({
    shared_preload_libraries: 'pg_stat_statements',
    'pg_stat_statements.track': 'top',
    'pg_stat_statements.track_utility': 'on',
  });
  await server.admin.query('create extension pg_stat_statements');
  const { ownerUrl, url, sidecarUrl } = server.address;
  await migrateDatabase(ownerUrl, { portal: roleOf(url), sidecar: roleOf(sidecarUrl) });
  return server;
}

export const roleOf = (url: string): string => new URL(url).username;

export const resetCounts = (admin: pg.Client): Promise<unknown> =>
  admin.query('select pg_stat_statements_reset()');

/** The statements of a role since the last reset, most frequent first. */
export async function countedStatements(admin: pg.Client, role: string): Promise<CountedStatement[]> {
  const { rows } = await admin.query<CountedStatement>(
    `select calls::int as calls, regexp_replace(left(query, 160), '\\s+', ' ', 'g') as query
     from pg_stat_statements where userid = $1::regrole order by calls desc`,
    [role],
  );
  return rows;
}

export const totalOf = (statements: readonly CountedStatement[]): number =>
  statements.reduce((sum, { calls }) => sum + calls, 0);
