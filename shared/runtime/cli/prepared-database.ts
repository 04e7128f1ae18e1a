import { migrateDatabase } from '../../../db/migrate.ts';
import { connectPg } from '../../../db/pg.ts';
import { prepareInstallation } from '../../identity/first-start.ts';
import { createHasher } from '../../identity/passwords.ts';

/** `ownerUrl` is for migrations, where the functions' own role may not change the schema. */
export type DatabaseAddress = { url: string; ownerUrl: string };

/**
 * Brings a database up to this version, an empty one included; once more changes nothing.
 * @param wanted the password of the first administrator, generated without it
 * @returns the generated password, the only time it is known
 */
export async function prepareDatabase(
  { url, ownerUrl }: DatabaseAddress,
  wanted: string | undefined,
): Promise<string | undefined> {
  await migrateDatabase(ownerUrl);
  const { db, close } = connectPg({ url, maxConnections: 1 });
  return prepareInstallation(db, createHasher(), wanted).finally(close);
}

/** What an operator reads when it is done. */
export const preparedLine = (password: string | undefined): string =>
  `The schema is up to date.${password ? ` First administrator: admin, password ${password}` : ''}\n`;
