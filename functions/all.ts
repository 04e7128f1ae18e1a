import { readFileSync } from 'node:fs';
import { availableParallelism, hostname, release, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Db } from '../db/client.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { prepareInstallation } from '../shared/identity/first-start.ts';
import type { Log } from '../shared/kernel/log.ts';
import type { Telemetry } from '../shared/kernel/telemetry.ts';
import { createWakes } from '../shared/kernel/wakes.ts';
import type { WriteWitness } from '../shared/kernel/write-witness.ts';
import { createDispatcherRemote } from '../shared/remotes/dispatcher/https.ts';
import { createNodeTransport } from '../shared/remotes/http/node.ts';
import { createTcp } from '../shared/remotes/kerberos/node.ts';
import { createPeerKeyRemote } from '../shared/remotes/peer-keys/https.ts';
import { announcement } from '../shared/runtime/cli/announcement.ts';
import { ownAssets } from '../shared/runtime/cli/asset-files.ts';
import { ownDataFolder } from '../shared/runtime/cli/data-folder.ts';
import { startEmbeddedDatabase } from '../shared/runtime/cli/embedded-database.ts';
import { orEnd } from '../shared/runtime/cli/fatal.ts';
import { ensureLocalTls, type LocalTls } from '../shared/runtime/cli/local-tls.ts';
import { loadSettings } from '../shared/runtime/cli/settings.ts';
import { startSidecar } from '../shared/runtime/cli/sidecar-process.ts';
import type { Config } from '../shared/runtime/config.ts';
import { connectDatabase } from '../shared/runtime/database.ts';
import { directoriesBySockets } from '../shared/runtime/directories-by-sockets.ts';
import { createLog } from '../shared/runtime/log.ts';
import { onStop, serveNode } from '../shared/runtime/node.ts';
import { createDescriptorReader } from '../shared/runtime/node-descriptors.ts';
import { refusal } from '../shared/runtime/node-refusals.ts';
import { createSharing } from '../shared/runtime/node-sharing.ts';
import { telemetryInto } from '../shared/runtime/telemetry.ts';
import { timed } from '../shared/runtime/upstream-times.ts';
import { watchWrites } from '../shared/runtime/writes.ts';
import { createPortal, type Ingredients, type Portal, type PortalDeps, portalDeps } from './portal.ts';

const wakes = createWakes();
const sidecarMain = fileURLToPath(new URL('health/main.ts', import.meta.url));

/** What has been started, the latest first; ending goes through it in this order. */
const running: { name: string; run: () => unknown }[] = [];
const keep = (name: string, run: () => unknown): void => void running.unshift({ name, run });

/** Every module in one Node process, with the sidecar beside it. */
async function start(): Promise<void> {
  const { config, env } = await loadSettings(undefined, { makesAccessKeys: true });
  const log = createLog({ level: config.logLevel });
  onStop(running, { log });
  const folder = ownDataFolder(config.dataDir);
  keep('data folder', () => folder.release());
  const tls = await tlsOf(config);
  const serving = await listen(config, tls, log);
  const databaseUrl = config.databaseUrl ?? (await startDatabase(config, log));
  await migrateDatabase(config.databaseOwnerUrl ?? databaseUrl);
  const deps = await depsOf(config, databaseUrl, log);
  const sidecarEnv = {
    ...env,
    DATABASE_URL: databaseUrl,
    BASE_URL: config.baseUrl,
    ...(tls && { TLS_CERT_FILE: tls.certFile, TLS_KEY_FILE: tls.keyFile }),
  };
  const sidecar = await startSidecar(sidecarMain, sidecarEnv, log);
  keep('sidecar', () => sidecar.stop());
  // Last of what may fail: a password that is made here is told once.
  const adminPassword = await prepareInstallation(deps.db, deps.hasher, config.adminPassword);
  keep('requests', () => serving.close(8_000));
  // First of all, or they would be waited for.
  keep('waiting session agents', () => wakes.end());
  serving.portal = createPortal(deps);
  const started = { healthUrl: sidecar.healthUrl, caFile: tls?.caFile, adminPassword };
  process.stdout.write(announcement(config, started, process.argv.includes('--json')));
}

type Tls = Omit<LocalTls, 'caFile'> & { caFile: string | undefined };

async function tlsOf(config: Config): Promise<Tls | undefined> {
  if (!config.tls) return undefined;
  const { tlsCertFile: certFile, tlsKeyFile: keyFile } = config;
  if (!certFile || !keyFile) {
    return ensureLocalTls(join(config.dataDir, 'tls'), [config.host, new URL(config.baseUrl).hostname]);
  }
  const [certPem, keyPem] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')];
  return { certPem, keyPem, certFile, keyFile, caFile: undefined };
}

async function startDatabase(config: Config, log: Log): Promise<string> {
  const onFailure = (error: Error): never => {
    log.error('the embedded database died', { error });
    process.exit(1);
  };
  const embedded = await startEmbeddedDatabase({ folder: join(config.dataDir, 'database'), onFailure });
  keep('embedded database', () => embedded.stop());
  return embedded.url;
}

async function depsOf(config: Config, databaseUrl: string, log: Log): Promise<PortalDeps> {
  const onError = (error: Error) => log.warn('a database connection was lost', { error });
  const connection = connectDatabase({ ...config, databaseUrl }, { onError });
  keep('database connections', () => connection.close());
  const writes = watchWrites(connection.db, log);
  const telemetry = keptTelemetry(connection.db, log, writes);
  const outbound: Ingredients['outbound'] = {
    allowedNetworks: config.allowedPrivateNetworks,
    allowInsecure: config.allowInsecureDispatchers,
  };
  const transport = createNodeTransport(outbound);
  keep('outbound connections', () => transport.close());
  return portalDeps({
    db: connection.db,
    log,
    portalType: config.portalType,
    baseUrl: config.baseUrl,
    host: hostOf(config),
    assets: ownAssets(),
    secretKeys: config.secretKey,
    signingKeys: signingKeysIn(config),
    outbound,
    s3: config.s3,
    rdpSigning: config.rdpSigning,
    dispatchers: createDispatcherRemote(timed(transport, telemetry)),
    ...directoriesBySockets(outbound),
    openTcp: createTcp(outbound),
    peerKeys: createPeerKeyRemote(transport),
    share: createSharing(),
    wakes,
    telemetry,
    writes,
    readDescriptors: createDescriptorReader(),
    // One core stays free for everybody else while logins are being checked, and one of the four threads that libuv
    // has for hashing, looking up names and reading files.
    hashing: { concurrency: Math.min(3, Math.max(1, availableParallelism() - 1)) },
  });
}

const hostOf = ({ portalName }: Config): Ingredients['host'] => ({
  name: portalName ?? hostname(),
  runtime: 'node',
  os: `${type()} ${release()}`,
  startedAt: new Date(),
});

const signingKeysIn = ({ aggregatorJwtSslKey, aggregatorJwtSslKeySecond }: Config): string[] =>
  [aggregatorJwtSslKey, aggregatorJwtSslKeySecond].filter((key) => key !== undefined);

/** Counts that are handed over every five seconds, and when the process ends. */
function keptTelemetry(db: Db, log: Log, writes: WriteWitness): Telemetry {
  const telemetry = telemetryInto(db, log, { writes });
  const handingOver = setInterval(() => void telemetry.flush(), 5_000).unref();
  keep('telemetry', () => {
    clearInterval(handingOver);
    return telemetry.flush();
  });
  return telemetry;
}

/** Takes the port at once, so that one in use is told at once; what comes before the portal is ready gets 503. */
async function listen({ host, port, trustProxy }: Config, tls: Tls | undefined, log: Log) {
  const state: { portal?: Portal } = {};
  const serving = await serveNode({
    fetch: (request, invocation) =>
      state.portal?.fetch(request, invocation) ?? refusal('database_unavailable', 'The portal is starting'),
    host,
    port,
    trustProxy,
    log,
    ...(tls && { tls: { cert: tls.certPem, key: tls.keyPem } }),
  });
  return Object.assign(state, { close: serving.close });
}

await orEnd(start, async () => {
  for (const { run } of running) await run();
});
