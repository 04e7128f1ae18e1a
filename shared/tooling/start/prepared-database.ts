import type { Connection } from '../../../db/client.ts';
import { migrateDatabase, SchemaRefusal } from '../../../db/migrate.ts';
import { connectPg } from '../../../db/pg.ts';
import { currentRole } from '../../../db/roles.ts';
import { prepareInstallation } from '../../identity/first-start.ts';
import { createHasher } from '../../identity/passwords.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { databaseFault } from '../../runtime/database-faults.ts';

/** URLs of one database: as the portal, as the owner of the tables (migrations), and as the sidecar. */
export type DatabaseAddress = {
  url: string;
  ownerUrl: string;
  sidecarUrl: string;
  /** The folder of the embedded database, which no URL of the settings names. */
  folder?: string;
};

type Connect = (url: string) => Connection;

const byPg: Connect = (url) => connectPg({ url, maxConnections: 1 });

/**
 * Brings the schema up to this version and grants the roles of the portal and the sidecar what they use.
 * @param connect by the driver of the portal; the owner connects by `pg` always
 * @throws ConfigError in one line that names the variable of a URL that does not work
 */
export async function prepareSchema(address: DatabaseAddress, connect: Connect = byPg): Promise<void> {
  const { url, ownerUrl, sidecarUrl } = address;
  const variableOf = variablesOf(address);
  const roleOf = (of: string) =>
    of === ownerUrl ? undefined : currentRoleOf(connect(of)).catch(refuse(variableOf(of), of));
  await migrateDatabase(ownerUrl, { portal: await roleOf(url), sidecar: await roleOf(sidecarUrl) }).catch(
    refuse(variableOf(ownerUrl), ownerUrl),
  );
}

/** The variable that an operator has to correct; URLs that are not set are those of others. */
function variablesOf({ url, sidecarUrl, folder }: DatabaseAddress): (of: string) => string {
  if (folder !== undefined) return () => 'DATA_DIR';
  return (of) => {
    if (of === url) return 'DATABASE_URL';
    return of === sidecarUrl ? 'DATABASE_SIDECAR_URL' : 'DATABASE_OWNER_URL';
  };
}

const refuse =
  (variable: string, url: string) =>
  (cause: unknown): never => {
    if (cause instanceof SchemaRefusal) throw new ConfigError([`${variable}: ${cause.message}`], { cause });
    throw databaseFault(variable, url, cause);
  };

const currentRoleOf = ({ db, close }: Connection): Promise<string> => currentRole(db).finally(close);

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
