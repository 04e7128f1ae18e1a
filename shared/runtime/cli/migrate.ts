import { migrateDatabase } from '../../../db/migrate.ts';
import { connectPg } from '../../../db/pg.ts';
import { prepareInstallation } from '../../identity/first-start.ts';
import { createHasher } from '../../identity/passwords.ts';
import { orEnd } from './fatal.ts';
import { loadSettings } from './settings.ts';

/** `npm run db:migrate`: brings a database of `DATABASE_URL` up to this version, as `npm start` does by itself. */
async function main(): Promise<void> {
  const { config } = await loadSettings();
  if (!config.databaseUrl)
    throw new Error('DATABASE_URL: required here; the embedded database migrates when it starts');
  await migrateDatabase(config.databaseOwnerUrl ?? config.databaseUrl);
  const { db, close } = connectPg({ url: config.databaseUrl, maxConnections: 1 });
  const password = await prepareInstallation(db, createHasher(), config.adminPassword).finally(close);
  process.stdout.write(
    `The schema is up to date.${password ? ` First administrator: admin, password ${password}` : ''}\n`,
  );
}

await orEnd(main);
