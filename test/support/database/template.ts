import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase } from '../../../shared/tooling/start/created-database.ts';
import { prepareSchema } from '../../../shared/tooling/start/prepared-database.ts';
import { startThrowawayPostgres } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { preparedFolder } from '../runner/prepared.ts';
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
  return preparedFolder('databases', await stampOf(binaries), async (part) => {
    const server = await startThrowawayPostgres(binaries);
    try {
      await prepareSchema(await createDatabase(server.url, templateName)).finally(() =>
        server.stop({ keep: true }),
      );
      await run('cp', ['--archive', join(server.folder, 'data'), part]);
    } finally {
      await rm(server.folder, { recursive: true, force: true });
    }
  });
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
