import { orEnd } from './fatal.ts';
import { prepareDatabase, preparedLine } from './prepared-database.ts';
import { loadSettings } from './settings.ts';

/** `npm run db:migrate`: brings a database of `DATABASE_URL` up to this version, as `npm start` does by itself. */
async function main(): Promise<void> {
  const { config } = await loadSettings();
  const { databaseUrl: url, databaseOwnerUrl: ownerUrl = url, adminPassword } = config;
  if (!url || !ownerUrl)
    throw new Error('DATABASE_URL: required here; the embedded database migrates when it starts');
  process.stdout.write(preparedLine(await prepareDatabase({ url, ownerUrl }, adminPassword)));
}

await orEnd(main);
