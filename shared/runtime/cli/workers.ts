import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '../../../db/migrate.ts';
import { connectPg } from '../../../db/pg.ts';
import { prepareInstallation } from '../../identity/first-start.ts';
import { createHasher } from '../../identity/passwords.ts';
import type { Log } from '../../kernel/log.ts';
import type { Config } from '../config.ts';
import { edgeNames } from '../edge-config.ts';
import { createLog } from '../log.ts';
import { onStop, serveNode } from '../node.ts';
import { type Bundle, bundleAll } from './bundles.ts';
import { ownDataFolder } from './data-folder.ts';
import { startEmbeddedDatabase } from './embedded-database.ts';
import { orEnd } from './fatal.ts';
import { startLocalWorkers } from './local-workers.ts';
import { startNeonProxy } from './neon-proxy.ts';
import { loadSettings } from './settings.ts';
import { findBinaries, startThrowawayPostgres } from './throwaway-postgres.ts';

/** What has been started, the latest first; ending goes through it in this order. */
const running: { name: string; run: () => unknown }[] = [];
const keep = (name: string, run: () => unknown): void => void running.unshift({ name, run });

/** `npm run workers`: the portal as it is on the edge, on this machine. */
async function start(): Promise<void> {
  const { config, env } = await loadSettings(localEnvironment());
  const log = createLog({ level: config.logLevel });
  onStop(running, { log });
  await assertFree(config, log);
  const [database, bundles] = await Promise.all([startDatabase(config), makeBundles()]);
  const adminPassword = await prepare(config, database);
  const proxy = await startNeonProxy({ databaseUrl: database.url });
  keep('Neon proxy', () => proxy.close());
  const { host, port } = config;
  const variables = {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => edgeNames.includes(name))),
    // The proxy knows the database; Workers are told neither where it is nor how to log in.
    DATABASE_URL: 'postgres://worker:none@localhost/portal',
    DATABASE_DRIVER: 'neon',
    NEON_PROXY: proxy.url,
  };
  const workers = await startLocalWorkers({ bundles, host, port, variables });
  keep('Workers', () => workers.stop());
  process.stdout.write(announcement(config.baseUrl, database.kind, adminPassword));
}

/** Miniflare ends the whole process at once when its port is in use, so that nothing could be taken back. */
async function assertFree({ host, port }: Config, log: Log): Promise<void> {
  const probe = await serveNode({ fetch: () => new Response(), host, port, trustProxy: 0, log });
  await probe.close(0);
}

/** Plain HTTP on loopback; a port beside that of `npm start`. */
function localEnvironment(): Record<string, string | undefined> {
  // Workers go through Neon's driver whatever it says, and any database will do for them.
  const { PORT = '8787', DATABASE_DRIVER: _, ...given } = process.env;
  return { BASE_URL: `http://localhost:${Number(PORT) || 0}`, ...given, PORT, TLS: 'off' };
}

type Database = { url: string; ownerUrl: string; kind: string };

async function startDatabase(config: Config): Promise<Database> {
  const { databaseUrl: url, databaseOwnerUrl: ownerUrl } = config;
  if (url && ownerUrl) return { url, ownerUrl, kind: 'that of DATABASE_URL' };
  const binaries = findBinaries();
  if (binaries) {
    const { url, stop } = await startThrowawayPostgres(binaries);
    keep('PostgreSQL', () => stop());
    return { url, ownerUrl: url, kind: 'a throwaway PostgreSQL' };
  }
  const folder = ownDataFolder(config.dataDir);
  keep('data folder', () => folder.release());
  const embedded = await startEmbeddedDatabase({ folder: join(config.dataDir, 'database') });
  keep('embedded database', () => embedded.stop());
  return { url: embedded.url, ownerUrl: embedded.url, kind: `the embedded one in ${config.dataDir}` };
}

/** In a folder of this process: a build beside it may be writing to `dist`. */
async function makeBundles(): Promise<Bundle[]> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-workers-'));
  keep('bundles', () => rm(folder, { recursive: true, force: true }));
  return bundleAll('workers', folder);
}

/** @returns the generated password of the first administrator */
async function prepare({ adminPassword }: Config, { url, ownerUrl }: Database): Promise<string | undefined> {
  await migrateDatabase(ownerUrl);
  const { db, close } = connectPg({ url, maxConnections: 1 });
  return prepareInstallation(db, createHasher(), adminPassword).finally(close);
}

/** For people, or with `--json` one line for programs. */
function announcement(baseUrl: string, database: string, adminPassword: string | undefined): string {
  if (process.argv.includes('--json'))
    return `${JSON.stringify({ base_url: baseUrl, admin_password: adminPassword, pid: process.pid })}\n`;
  const lines = [
    ['Portal', baseUrl],
    ['Database', database],
    ...(adminPassword ? [['Administrator', `admin, password ${adminPassword} (shown this once)`]] : []),
  ];
  const shown = lines.map(([name = '', value]) => `  ${name.padEnd(14)}${value}`);
  return `\nThe Workers are ready, each module an isolate of its own.\n\n${shown.join('\n')}\n\n`;
}

await orEnd(start, async () => {
  for (const { run } of running) await run();
});
