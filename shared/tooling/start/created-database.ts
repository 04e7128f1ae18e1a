import pg from 'pg';
import { defaultRoles, rolesSql } from '../../../db/roles.ts';
import type { DatabaseAddress } from './prepared-database.ts';

/**
 * Creates a database with its three roles on a server without passwords, using the SQL for deployments.
 * @param admin URL of the server with a role that has CREATEROLE and CREATEDB
 */
export async function createDatabase(admin: string, database = 'aggregator'): Promise<DatabaseAddress> {
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  try {
    for (const statement of rolesSql({ database, ...defaultRoles })) await client.query(statement);
  } finally {
    await client.end();
  }
  return addressIn(admin, database);
}

/** The URLs of a database for the three roles. */
export function addressIn(server: string, database: string): DatabaseAddress {
  const as = (username: string) =>
    Object.assign(new URL(server), { username, pathname: `/${encodeURIComponent(database)}` }).href;
  return {
    url: as(defaultRoles.portal),
    ownerUrl: as(defaultRoles.owner),
    sidecarUrl: as(defaultRoles.sidecar),
  };
}
