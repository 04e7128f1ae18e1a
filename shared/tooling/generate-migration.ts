import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { nextStamp, readSqlFiles, readStamp, stampPath } from '../../db/migrator/files.ts';
import { orEnd } from './start/fatal.ts';

/**
 * `npm run db:generate`: makes a migration from the changes of `db/schema`, with the options of `drizzle-kit generate`, and
 * stamps the files of `db/sql` when they have changed.
 */
async function main(): Promise<void> {
  const args = ['generate', '--config', 'db/drizzle.config.ts', ...process.argv.slice(2)];
  const [code] = await once(spawn('drizzle-kit', args, { stdio: 'inherit' }), 'close');
  if (code !== 0) throw new Error(`drizzle-kit ended with ${code}`);
  const stamp = readStamp();
  const next = nextStamp(stamp, readSqlFiles(), Date.now());
  if (next === stamp) return;
  await writeFile(stampPath(), `${JSON.stringify(next, null, 2)}\n`);
  process.stdout.write(`db/sql has changed: ${new Date(next.when).toISOString()} in db/sql/stamp.json\n`);
}

await orEnd(main);
