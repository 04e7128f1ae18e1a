import { join } from 'node:path';
import type { Config } from '../../runtime/config/config.ts';
import type { Shutdown } from '../../runtime/node/shutdown.ts';
import type { Bundle, Platform } from '../build/bundles.ts';
import { cachedBundles } from '../build/cached-bundles.ts';
import { startEmbeddedDatabase } from '../embedded/database.ts';
import { createDatabase } from '../start/created-database.ts';
import { ownDataFolder } from '../start/data-folder.ts';
import { type DatabaseAddress, prepareDatabase } from '../start/prepared-database.ts';
import { findBinaries, startThrowawayPostgres } from '../start/throwaway-postgres.ts';

type Add = Shutdown['add'];
type LocalDatabase = DatabaseAddress & { kind: string };
export type LocalModules = {
  database: LocalDatabase;
  bundles: Bundle[];
  /** The generated password of the first administrator. */
  adminPassword: string | undefined;
};

/** The environment of separate modules on this machine: plain HTTP on a loopback address. */
export function localEnvironment(defaultPort: string): Record<string, string | undefined> {
  // Workers use Neon's driver in any case, with any database.
  const { PORT = defaultPort, DATABASE_DRIVER: _, ...env } = process.env;
  return { BASE_URL: `http://localhost:${Number(PORT) || 0}`, ...env, PORT, TLS: 'off' };
}

/** Prepares a database, that of `DATABASE_URL` or a temporary one, and the bundles of all modules. */
export async function prepareModules(platform: Platform, config: Config, add: Add): Promise<LocalModules> {
  const [database, bundles] = await Promise.all([startDatabase(config, add), cachedBundles(platform)]);
  return { database, bundles, adminPassword: await prepareDatabase(database, config.adminPassword) };
}

async function startDatabase(config: Config, add: Add): Promise<LocalDatabase> {
  const { databaseUrl: url, databaseOwnerUrl: ownerUrl, databaseSidecarUrl: sidecarUrl } = config;
  if (url && ownerUrl && sidecarUrl) return { url, ownerUrl, sidecarUrl, kind: 'DATABASE_URL' };
  const binaries = findBinaries();
  if (binaries) {
    const starting = startThrowawayPostgres(binaries);
    // A shutdown waits for the start; otherwise its folder would be left behind.
    add('PostgreSQL', () => starting.then(({ stop }) => stop()).catch(() => undefined));
    return { ...(await createDatabase((await starting).url)), kind: 'a temporary PostgreSQL' };
  }
  const folder = ownDataFolder(config.dataDir);
  add('data folder', () => folder.release());
  const embedded = await startEmbeddedDatabase({ folder: join(config.dataDir, 'database') });
  add('embedded database', () => embedded.stop());
  return { ...embedded, kind: `embedded, in ${config.dataDir}` };
}
