import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connect } from '../db/client.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { prepareInstallation } from '../shared/identity/first-start.ts';
import { createDispatcherRemote } from '../shared/remotes/dispatcher/https.ts';
import { createNodeTransport } from '../shared/remotes/http/node.ts';
import { startEmbeddedDatabase } from '../shared/runtime/cli/embedded-database.ts';
import { ensureLocalTls } from '../shared/runtime/cli/local-tls.ts';
import { loadSettings, type Settings } from '../shared/runtime/cli/settings.ts';
import type { Config } from '../shared/runtime/config.ts';
import { createLog, type Log } from '../shared/runtime/log.ts';
import { onStop, serveNode } from '../shared/runtime/node.ts';
import { createPortal, portalDeps } from './portal.ts';

const stopping: { name: string; run: () => unknown }[] = [];

try {
  await start();
} catch (error) {
  // Whoever starts the portal reads one line; the rest is for `LOG_LEVEL=debug`.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env.LOG_LEVEL === 'debug') console.error(error);
  for (const { run } of stopping) await Promise.resolve(run()).catch(() => {});
  process.exit(1);
}

async function start(): Promise<void> {
  const settings = await loadSettings();
  const { config } = settings;
  const log = createLog({ level: config.logLevel });
  onStop(stopping, { log });
  const tls = await tlsOf(config);
  const databaseUrl = await databaseOf(config, log);
  await migrateDatabase(config.databaseOwnerUrl ?? databaseUrl);
  const connection = connect({
    url: databaseUrl,
    onError: (error) => log.warn('database connection lost', { error }),
  });
  stopping.unshift({ name: 'database connections', run: () => connection.close() });
  const transport = createNodeTransport(outboundOf(config));
  stopping.unshift({ name: 'outbound connections', run: () => transport.close() });
  const deps = await portalDeps({
    db: connection.db,
    log,
    portalType: config.portalType,
    baseUrl: config.baseUrl,
    secretKeys: config.secretKey,
    signingKeys: [config.aggregatorJwtSslKey, config.aggregatorJwtSslKeySecond].filter(
      (key) => key !== undefined,
    ),
    outbound: outboundOf(config),
    dispatchers: createDispatcherRemote(transport),
    hashing: { concurrency: Math.max(1, availableParallelism() - 1) },
  });
  const adminPassword = await prepareInstallation(connection.db, deps.hasher, config.adminPassword);
  const { host, port, trustProxy } = config;
  const serving = await serveNode({
    fetch: createPortal(deps).fetch,
    host,
    port,
    trustProxy,
    log,
    ...(config.tls && { tls: { cert: tls.certPem, key: tls.keyPem } }),
  });
  stopping.unshift({ name: 'requests', run: () => serving.close(8_000) });
  const healthUrl = await startSidecar(settings, databaseUrl, tls);
  announce(config, { healthUrl, caFile: tls.caFile, adminPassword });
}

const outboundOf = (config: Config) => ({
  allowedNetworks: config.allowedPrivateNetworks,
  allowInsecure: config.allowInsecureDispatchers,
});

type Tls = { certPem: string; keyPem: string; certFile: string; keyFile: string; caFile: string | undefined };

async function tlsOf(config: Config): Promise<Tls> {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile } = config;
  if (certFile && keyFile) {
    return {
      certPem: readFileSync(certFile, 'utf8'),
      keyPem: readFileSync(keyFile, 'utf8'),
      certFile,
      keyFile,
      caFile: undefined,
    };
  }
  const folder = join(config.dataDir, 'tls');
  const own = await ensureLocalTls(folder, [config.host, new URL(config.baseUrl).hostname]);
  return { ...own, certFile: join(folder, 'localhost.pem'), keyFile: join(folder, 'localhost.key') };
}

async function databaseOf(config: Config, log: Log): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl;
  const embedded = await startEmbeddedDatabase({
    folder: join(config.dataDir, 'database'),
    onFailure: (error) => {
      log.error('the embedded database died', { error });
      process.exit(1);
    },
  });
  stopping.unshift({ name: 'embedded database', run: () => embedded.stop() });
  return embedded.url;
}

/** The sidecar is a process of its own, as it is in production. @returns its address */
async function startSidecar({ env, config }: Settings, databaseUrl: string, tls: Tls): Promise<string> {
  const main = fileURLToPath(new URL('health/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: {
      ...process.env,
      ...env,
      DATABASE_URL: databaseUrl,
      BASE_URL: config.baseUrl,
      TLS_CERT_FILE: tls.certFile,
      TLS_KEY_FILE: tls.keyFile,
      // The file was read already; what it holds is in these variables.
      CONFIG_FILE: '/dev/null',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stopping.splice(1, 0, { name: 'sidecar', run: () => stopChild(child) });
  for await (const line of createInterface({ input: child.stdout })) {
    const message: unknown = JSON.parse(line);
    if (message instanceof Object && 'health_url' in message) return String(message.health_url);
  }
  throw new Error('The sidecar did not start; its reason stands above');
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

type Started = { healthUrl: string; caFile: string | undefined; adminPassword: string | undefined };

function announce(config: Config, { healthUrl, caFile, adminPassword }: Started): void {
  const { baseUrl: base_url, healthCheckAccessKey, metricsAccessKey } = config;
  const block = {
    base_url,
    health_url: healthUrl,
    ca_file: caFile,
    admin_password: adminPassword,
    health_check_access_key: healthCheckAccessKey,
    metrics_access_key: metricsAccessKey,
    pid: process.pid,
  };
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify(block)}\n`);
    return;
  }
  const lines = [
    ['Portal', base_url],
    ['Health', `${healthUrl}/aggregator/health/check`],
    ['CA file', caFile],
    ['Administrator', adminPassword && `admin, password ${adminPassword} (shown this once)`],
    ['Settings', config.configFile],
  ];
  const shown = lines
    .filter(([, value]) => value)
    .map(([name = '', value]) => `  ${name.padEnd(14)}${value}`);
  process.stdout.write(`\nThe portal is ready.\n\n${shown.join('\n')}\n\n`);
}
