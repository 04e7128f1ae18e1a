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

/** `npm run workers`: the portal as it is on the edge, on this machine, on a port beside that of `npm start`. */
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
  const proxy = await startNeonProxy({ databaseUrl: database.url });
  add('Neon proxy', () => proxy.close());
  const { host, port } = config;
  const variables = {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => edgeNames.includes(name))),
    // The proxy knows the database; Workers are told neither where it is nor how to log in.
    DATABASE_URL: 'postgres://worker:none@localhost/portal',
    DATABASE_DRIVER: 'neon',
    NEON_PROXY: proxy.url,
  };
  signal.throwIfAborted();
  const workers = await startLocalWorkers({ bundles, host, port, variables });
  add('Workers', () => workers.stop());
  add('schedules', startSchedules(workers, log));
  signal.throwIfAborted();
  process.stdout.write(announcement(config.baseUrl, database.kind, adminPassword));
}

/** The Workers check the key themselves, at their first requests; here the start is refused. */
async function assertKeyOf(url: string, { secretKey }: Config): Promise<void> {
  const { db, close } = connectPg({ url, maxConnections: 1 });
  await assertSecretKey(db, await createSealer(secretKey)).finally(close);
}

/** Cron triggers as on the platform, every minute, but for the first time at once. @returns what ends them */
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

/** Miniflare ends the whole process at once when its port is in use, so that nothing could be taken back. */
async function assertFree({ host, port }: Config, log: Log): Promise<void> {
  const probe = await serveNode({ fetch: () => new Response(), host, port, trustProxy: 0, log });
  await probe.close(0);
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

await orEnd(start);
