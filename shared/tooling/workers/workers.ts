import { connectPg } from '../../../db/pg.ts';
import { createSealer } from '../../kernel/crypto/sealing.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Config } from '../../runtime/config/config.ts';
import { assertSecretKey } from '../../runtime/config/secret-key.ts';
import { edgeNames } from '../../runtime/edge/config.ts';
import { createLog } from '../../runtime/log.ts';
import { serveNode } from '../../runtime/node/server.ts';
import { createShutdown, type Shutdown } from '../../runtime/node/shutdown.ts';
import { startNeonProxy } from '../embedded/neon-proxy.ts';
import { orEnd, orShutDown } from '../start/fatal.ts';
import { loadSettings, type Settings } from '../start/settings.ts';
import { localEnvironment, prepareModules } from './local-modules.ts';
import { type LocalWorkers, startLocalWorkers } from './local-workers.ts';

/** `npm run workers`: the portal as on Workers, on this machine, on another port than `npm start`. */
async function start(): Promise<void> {
  const settings = await loadSettings(localEnvironment('8787'));
  const log = createLog({ level: settings.config.logLevel });
  for (const line of settings.misspelt) log.warn(line);
  const shutdown = createShutdown({ log });
  await orShutDown(shutdown, () => startAll(settings, log, shutdown));
}

async function startAll({ config, env }: Settings, log: Log, { add, signal }: Shutdown): Promise<void> {
  await assertFree(config, log);
  const { database, bundles, adminPassword } = await prepareModules('workers', config, add);
  await assertKeyOf(database.url, config);
  const proxyUrl = config.neonProxy ?? (await startProxy(database.url, add));
  const { host, port } = config;
  const variables = {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => edgeNames.includes(name))),
    // The proxy has the database URL; Workers need neither its address nor its login.
    DATABASE_URL: 'postgres://worker:none@localhost/portal',
    DATABASE_DRIVER: 'neon',
    NEON_PROXY: proxyUrl,
  };
  signal.throwIfAborted();
  const workers = await startLocalWorkers({ bundles, host, port, variables });
  add('Workers', () => workers.stop());
  add('schedules', startSchedules(workers, log));
  signal.throwIfAborted();
  process.stdout.write(announcement(config.baseUrl, database.kind, adminPassword));
}

async function startProxy(databaseUrl: string, add: Shutdown['add']): Promise<string> {
  const proxy = await startNeonProxy({ databaseUrl });
  add('Neon proxy', () => proxy.close());
  return proxy.url;
}

/** Workers verify the key at their first requests; here a wrong key prevents the start. */
async function assertKeyOf(url: string, { secretKey }: Config): Promise<void> {
  const { db, close } = connectPg({ url, maxConnections: 1 });
  await assertSecretKey(db, await createSealer(secretKey)).finally(close);
}

/** Cron triggers as on the platform, every minute, and once immediately. @returns a function that stops them */
function startSchedules(workers: LocalWorkers, log: Log): () => Promise<void> {
  const run = () => workers.trigger().catch((error: unknown) => log.error('a schedule failed', { error }));
  let latest = run();
  const timer = setInterval(() => {
    latest = run();
  }, 60_000);
  return () => {
    clearInterval(timer);
    return latest;
  };
}

/** Checks the port first: Miniflare exits the process if its port is in use, without a shutdown. */
async function assertFree({ host, port }: Config, log: Log): Promise<void> {
  const probe = await serveNode({ fetch: () => new Response(), host, port, trustProxy: 0, log });
  await probe.close(0);
}

/** Text, or with `--json` one line for programs. */
function announcement(baseUrl: string, database: string, adminPassword: string | undefined): string {
  if (process.argv.includes('--json'))
    return `${JSON.stringify({ base_url: baseUrl, admin_password: adminPassword, pid: process.pid })}\n`;
  const lines = [
    ['Portal', baseUrl],
    ['Database', database],
    ...(adminPassword ? [['Administrator', `admin, password ${adminPassword} (shown only once)`]] : []),
  ];
  const shown = lines.map(([name = '', value]) => `  ${name.padEnd(14)}${value}`);
  return `\nThe Workers are ready, one isolate per module.\n\n${shown.join('\n')}\n\n`;
}

await orEnd(start);
