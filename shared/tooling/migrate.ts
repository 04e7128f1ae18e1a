import { parseArgs } from 'node:util';
import { defaultRoles, rolesScript } from '../../db/roles.ts';
import { orEnd } from './start/fatal.ts';
import { prepareDatabase, preparedLine } from './start/prepared-database.ts';
import { loadMigrationSettings, type MigrationSettings } from './start/settings.ts';

const usage = `usage: npm run db:migrate [-- --roles]
  migrates the schema of DATABASE_OWNER_URL (or DATABASE_URL) to this version, and grants the roles of DATABASE_URL
  and DATABASE_SIDECAR_URL their privileges
  --roles   prints the SQL that creates the database and its three roles, for an administrator of the server`;

/**
 * `npm run db:migrate`: the migration that `npm start` runs, for deployments whose processes have no privilege to
 * change the schema.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { roles: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return console.log(usage);
  const settings = loadMigrationSettings();
  process.stdout.write(values.roles ? scriptFor(settings) : await migrated(settings));
}

async function migrated(settings: MigrationSettings): Promise<string> {
  const {
    DATABASE_OWNER_URL: owner,
    DATABASE_URL: url = owner,
    DATABASE_SIDECAR_URL: sidecarUrl = url,
  } = settings;
  if (!url || !sidecarUrl)
    throw new Error(
      'DATABASE_OWNER_URL or DATABASE_URL: required here; the embedded database migrates when it starts',
    );
  const address = { url, ownerUrl: owner ?? url, sidecarUrl };
  return preparedLine(await prepareDatabase(address, settings.ADMIN_PASSWORD));
}

/** The names in the URLs, or defaults. */
function scriptFor(settings: MigrationSettings): string {
  const { DATABASE_OWNER_URL: owner, DATABASE_URL: url, DATABASE_SIDECAR_URL: sidecar } = settings;
  const [configured] = [owner, url, sidecar].filter((one) => one !== undefined);
  return rolesScript({
    database: (configured && decodeURIComponent(new URL(configured).pathname.slice(1))) || 'aggregator',
    owner: userOf(owner) ?? defaultRoles.owner,
    portal: userOf(url) ?? defaultRoles.portal,
    sidecar: userOf(sidecar) ?? defaultRoles.sidecar,
  });
}

const userOf = (url: string | undefined): string | undefined =>
  (url && decodeURIComponent(new URL(url).username)) || undefined;

await orEnd(main);
