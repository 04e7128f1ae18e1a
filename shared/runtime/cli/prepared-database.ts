import { migrateDatabase, roleOf } from '../../../db/migrate.ts';
import { connectPg } from '../../../db/pg.ts';
import type { DatabaseRoles } from '../../../db/privileges.ts';
import { prepareInstallation } from '../../identity/first-start.ts';
import { createHasher } from '../../identity/passwords.ts';

/** URLs of one database: as the portal, as the owner of the tables (migrations), and as the sidecar. */
export type DatabaseAddress = { url: string; ownerUrl: string; sidecarUrl: string };

/**
 * Brings the schema up to this version and grants the roles of the portal and the sidecar what they use.
 * @throws Error in one line that names the variable of a URL that does not work
 */
export async function prepareSchema({ url, ownerUrl, sidecarUrl }: DatabaseAddress): Promise<void> {
  const roles: DatabaseRoles = {
    portal: url === ownerUrl ? undefined : await by('DATABASE_URL', roleOf(url)),
    sidecar: sidecarUrl === ownerUrl ? undefined : await by('DATABASE_SIDECAR_URL', roleOf(sidecarUrl)),
  };
  await migrateDatabase(ownerUrl, roles);
}

const by = <T>(variable: string, work: Promise<T>): Promise<T> =>
  work.catch((cause: Error) => {
    throw new Error(`${variable}: ${cause.message}`, { cause });
  });

/**
 * Brings a database up to this version, an empty one included; once more changes nothing.
 * @param wanted the password of the first administrator, generated without it
 * @returns the generated password, the only time it is known
 */
export async function prepareDatabase(
  address: DatabaseAddress,
  wanted: string | undefined,
): Promise<string | undefined> {
  await prepareSchema(address);
  const { db, close } = connectPg({
    url: address.url,
    applicationName: 'aggregator-migrate',
    maxConnections: 1,
  });
  return prepareInstallation(db, createHasher(), wanted).finally(close);
}

/** What an operator reads when it is done. */
export const preparedLine = (password: string | undefined): string =>
  `The schema is up to date.${password ? ` First administrator: admin, password ${password}` : ''}\n`;
