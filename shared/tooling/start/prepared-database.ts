import type { Connection } from '../../../db/client.ts';
import { migrateDatabase } from '../../../db/migrate.ts';
import { SchemaRefusal } from '../../../db/migrator/refusal.ts';
import { connectPg } from '../../../db/pg.ts';
import { currentRole } from '../../../db/roles.ts';
import { prepareInstallation } from '../../identity/first-start.ts';
import { createHasher } from '../../identity/passwords.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { databaseFault } from '../../runtime/database-faults.ts';

/** URLs of one database: for the portal, for the owner of the tables (migrations), and for the sidecar. */
export type DatabaseAddress = {
  url: string;
  ownerUrl: string;
  sidecarUrl: string;
  /** The folder of the embedded database, which has no URL in the settings. */
  folder?: string;
};

type Connect = (url: string) => Connection;

const byPg: Connect = (url) => connectPg({ url, maxConnections: 1 });

/**
 * Migrates the schema to this version, and grants the roles of portal and sidecar their privileges.
 * @param connect uses the driver of the portal; the owner always connects with `pg`
 * @throws ConfigError with one line and the variable of the failing URL
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

/** The variable that the operator must correct. Unset URLs default to others. */
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
 * Migrates a database to this version, also an empty one; idempotent.
 * @param adminPassword password of the first administrator; default: generated
 * @returns the generated password, which is not stored in clear text
 */
export async function prepareDatabase(
  address: DatabaseAddress,
  adminPassword: string | undefined,
): Promise<string | undefined> {
  await prepareSchema(address);
  const { db, close } = connectPg({
    url: address.url,
    applicationName: 'aggregator-migrate',
    maxConnections: 1,
  });
  return prepareInstallation(db, createHasher(), adminPassword).finally(close);
}

/** The message after a migration. */
export const preparedLine = (password: string | undefined): string =>
  `The schema is up to date.${password ? ` First administrator: admin, password ${password}` : ''}\n`;
