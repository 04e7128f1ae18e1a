import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase } from '../../../shared/tooling/start/created-database.ts';
import { prepareSchema } from '../../../shared/tooling/start/prepared-database.ts';
import { startThrowawayPostgres } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { testCache } from '../runner/cache.ts';
import { templateName } from './database.ts';

const run = promisify(execFile);
const root = new URL('../../../', import.meta.url);

/** What the data of a migrated server depend on. */
const sources = [
  'db/migrations',
  'db/sql',
  'db/migrator',
  'db/migrate.ts',
  'db/privileges.ts',
  'db/roles.ts',
];

/**
 * Data of a stopped server with the migrated template, made once for each state of the schema, version of PostgreSQL and
 * user of this machine.
 * @param binaries folder of PostgreSQL
 */
export async function preparedData(binaries: string): Promise<string> {
  const folder = join(testCache, 'databases', await stampOf(binaries));
  if (existsSync(folder)) return folder;
  await mkdir(join(testCache, 'databases'), { recursive: true });
  const part = `${folder}.${process.pid}.part`;
  const server = await startThrowawayPostgres(binaries);
  try {
    await prepareSchema(await createDatabase(server.url, templateName)).finally(() =>
      server.stop({ keep: true }),
    );
    await run('cp', ['--archive', join(server.folder, 'data'), part]);
  } finally {
    await rm(server.folder, { recursive: true, force: true });
  }
  // A run at the same time may have been faster.
  await rename(part, folder).catch((error) => {
    if (!existsSync(folder)) throw error;
    return rm(part, { recursive: true });
  });
  await removeOthers(folder);
  return folder;
}

async function stampOf(binaries: string): Promise<string> {
  const hash = createHash('sha256');
  const { stdout: version } = await run(join(binaries, 'postgres'), ['--version']);
  hash.update(`${version} ${process.getuid?.()}`);
  for (const path of sources.flatMap(filesIn)) hash.update(path).update(readFileSync(new URL(path, root)));
  return hash.digest('hex').slice(0, 16);
}

function filesIn(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  const names = readdirSync(new URL(path, root)).filter((name) => /\.(?:sql|ts|json)$/.test(name));
  return names.sort().map((name) => `${path}/${name}`);
}

/** Data of other states of the schema; those that are being made stay. */
async function removeOthers(folder: string): Promise<void> {
  const parent = join(testCache, 'databases');
  const others = readdirSync(parent).filter(
    (name) => !name.endsWith('.part') && join(parent, name) !== folder,
  );
  for (const name of others) await rm(join(parent, name), { recursive: true, force: true });
}
