import pg from 'pg';
import { defaultRoles, rolesSql } from '../../../db/roles.ts';
import type { DatabaseAddress } from './prepared-database.ts';

/**
 * Makes a database with its three roles on a server that asks for no passwords, by the same SQL that an administrator
 * runs for a deployment.
 * @param admin URL of the server as a role with CREATEROLE and CREATEDB
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
