import type { Connection } from '../../../db/client.ts';
import { migrateDatabase } from '../../../db/migrate.ts';
import { connectPg } from '../../../db/pg.ts';
import { currentRole } from '../../../db/roles.ts';
import { prepareInstallation } from '../../identity/first-start.ts';
import { createHasher } from '../../identity/passwords.ts';

/** URLs of one database: as the portal, as the owner of the tables (migrations), and as the sidecar. */
export type DatabaseAddress = { url: string; ownerUrl: string; sidecarUrl: string };

type Connect = (url: string) => Connection;

const byPg: Connect = (url) => connectPg({ url, maxConnections: 1 });

/**
 * Brings the schema up to this version and grants the roles of the portal and the sidecar what they use.
 * @param connect by the driver of the portal; the owner connects by `pg` always
 * @throws Error in one line that names the variable of a URL that does not work
 */
export async function prepareSchema(
  { url, ownerUrl, sidecarUrl }: DatabaseAddress,
  connect: Connect = byPg,
): Promise<void> {
  const roleOf = (variable: string, of: string) =>
    of === ownerUrl ? Promise.resolve(undefined) : roleBehind(variable, connect(of));
  await migrateDatabase(ownerUrl, {
    portal: await roleOf('DATABASE_URL', url),
    sidecar: await roleOf(sidecarUrl === url ? 'DATABASE_URL' : 'DATABASE_SIDECAR_URL', sidecarUrl),
  });
}

async function roleBehind(variable: string, { db, close }: Connection): Promise<string> {
  try {
    return await currentRole(db);
  } catch (error) {
    // Drizzle's own message is the statement.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${variable}: The database cannot be reached: ${reason}`, { cause });
  } finally {
    await close();
  }
}

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
