import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { migrateDatabase, schemaStateOf } from '../../../db/migrate.ts';
import { orEnd } from '../../../shared/tooling/start/fatal.ts';
import { findBinaries, startThrowawayPostgres } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { newKeyVariables } from '../identity/signing-keys.ts';

/**
 * The portal of the tree in which it is started, on a database that this tree migrates as soon as that portal is ready:
 * the view of functions that are still running when the schema of the next version is applied.
 */
async function main(): Promise<void> {
  const binaries = findBinaries();
  if (!binaries) throw new Error('there is no PostgreSQL');
  const { url, stop } = await startThrowawayPostgres(binaries);
  const portal = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'functions/all.ts', '--json'],
    {
      env: {
        ...process.env,
        DATABASE_URL: url,
        ...newKeyVariables(),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => portal.kill(signal));
  const closed = once(portal, 'close');
  try {
    for await (const line of createInterface({ input: portal.stdout })) {
      if (line.startsWith('{')) await upgrade(url);
      process.stdout.write(`${line}\n`);
    }
  } finally {
    portal.kill();
    const [code] = await closed;
    await stop();
    process.exitCode = code ?? 1;
  }
}

async function upgrade(url: string): Promise<void> {
  const state = await schemaStateOf(url);
  if (state !== 'older') throw new Error(`The schema of that portal is ${state}`);
  await migrateDatabase(url);
}

await orEnd(main);
