import { availableParallelism, hostname, release, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Db } from '../db/client.ts';
import { prepareInstallation } from '../shared/identity/first-start.ts';
import { createNotifier } from '../shared/kernel/concurrency/notifier.ts';
import { ConfigError } from '../shared/kernel/config-error.ts';
import type { Log } from '../shared/kernel/observability/log.ts';
import type { Telemetry } from '../shared/kernel/observability/telemetry.ts';
import type { WriteMonitor } from '../shared/kernel/observability/write-monitor.ts';
import type { Host } from '../shared/kernel/version.ts';
import { withDurations } from '../shared/remotes/http/durations.ts';
import { createNodeTransport } from '../shared/remotes/http/node.ts';
import { createTcp } from '../shared/remotes/kerberos/node.ts';
import { createKdcRemote } from '../shared/remotes/kerberos/transport.ts';
import { createPeerKeyRemote } from '../shared/remotes/peer-keys/https.ts';
import type { Config } from '../shared/runtime/config/config.ts';
import { assertSecretKey } from '../shared/runtime/config/secret-key.ts';
import { connectDatabase, connectReplica, loggedConnections } from '../shared/runtime/database.ts';
import { namingDatabase } from '../shared/runtime/database-faults.ts';
import { directoriesByPooledSockets } from '../shared/runtime/edge/directories-by-sockets.ts';
import { createLog } from '../shared/runtime/log.ts';
import { nodeChanges } from '../shared/runtime/node/changes.ts';
import { createCompression } from '../shared/runtime/node/compression.ts';
import { createDescriptorReader } from '../shared/runtime/node/descriptors.ts';
import { rejectionResponse } from '../shared/runtime/node/refusals.ts';
import { serveNode } from '../shared/runtime/node/server.ts';
import { serverSettings } from '../shared/runtime/node/settings.ts';
import { createShutdown, type Shutdown } from '../shared/runtime/node/shutdown.ts';
import { createSingleFlight } from '../shared/runtime/node/single-flight.ts';
import { telemetryInto } from '../shared/runtime/telemetry.ts';
import { monitorWrites } from '../shared/runtime/write-monitor.ts';
import { ownAssets } from '../shared/tooling/build/asset-files.ts';
import { startEmbeddedDatabase } from '../shared/tooling/embedded/database.ts';
import { announcement } from '../shared/tooling/start/announcement.ts';
import { ownDataFolder } from '../shared/tooling/start/data-folder.ts';
import { orEnd, orShutDown } from '../shared/tooling/start/fatal.ts';
import { type DatabaseAddress, prepareSchema } from '../shared/tooling/start/prepared-database.ts';
import { loadSettings } from '../shared/tooling/start/settings.ts';
import { startSidecar } from '../shared/tooling/start/sidecar-process.ts';
import { ensureLocalTls, type LocalTls } from '../shared/tooling/start/tls/local-tls.ts';
import { readTlsFiles } from '../shared/tooling/start/tls/tls-files.ts';
import { createPortal, type Ingredients, type Portal, type PortalDeps, portalDeps } from './portal.ts';

const notifier = createNotifier();
/** True if standard output is one line of JSON. */
const isForPrograms = process.argv.includes('--json');
const sidecarMain = fileURLToPath(new URL('health/main.ts', import.meta.url));

type Start = { config: Config; env: Record<string, string>; log: Log; shutdown: Shutdown };

/** Starts all modules in one Node process, and the sidecar as a separate process. */
async function start(): Promise<void> {
  const { config, env, misspelt } = await loadSettings(undefined, { makesAccessKeys: true });
  const log = createLog({ level: config.logLevel });
  for (const line of misspelt) log.warn(line);
  if (!isForPrograms && process.stdout.isTTY)
    process.stdout.write('Starting the portal; the first start takes longest …\n');
  const shutdown = createShutdown({ log });
  await orShutDown(shutdown, () => startAll({ config, env, log, shutdown }));
}

async function startAll({ config, env, log, shutdown }: Start): Promise<void> {
  const folder = ownDataFolder(config.dataDir);
  shutdown.add('data folder', () => folder.release());
  const tls = await tlsOf(config, log);
  const serving = await listen(config, tls, log);
  const database = databaseOf(config) ?? (await startDatabase(config, log, shutdown));
  await prepareSchema(database, (databaseUrl) => connectDatabase({ ...config, databaseUrl }));
  const deps = await depsOf(config, database.url, log, shutdown);
  const named = namingDatabase(database.folder === undefined ? 'DATABASE_URL' : 'DATA_DIR', database.url);
  await assertSecretKey(deps.db, deps.sealer).catch(named);
  const sidecarEnv = {
    ...env,
    // The sidecar receives only its own database role. An empty variable counts as absent.
    DATABASE_URL: '',
    DATABASE_SIDECAR_URL: database.sidecarUrl,
    DATABASE_READ_URL: '',
    DATABASE_SIDECAR_READ_URL: config.databaseSidecarReadUrl ?? '',
    DATABASE_OWNER_URL: '',
    ADMIN_PASSWORD: '',
    BASE_URL: config.baseUrl,
    ...(tls && { TLS_CERT_FILE: tls.certFile, TLS_KEY_FILE: tls.keyFile }),
  };
  const { healthUrl } = await startSidecar(sidecarMain, sidecarEnv, log, shutdown);
  // Must be the last step that can fail, because a generated password is printed only once.
  const adminPassword = await prepareInstallation(deps.db, deps.hasher, config.adminPassword).catch(named);
  shutdown.signal.throwIfAborted();
  shutdown.add('requests', () => serving.close(8_000));
  // Must run first: closing the server waits for requests, and session agents hold requests open.
  shutdown.add('waiting session agents', () => notifier.end());
  shutdown.add('streams of changes', () => deps.changes?.end());
  serving.portal = createPortal(deps);
  const started = { healthUrl, caFile: tls?.caFile, adminPassword };
  process.stdout.write(announcement(config, started, isForPrograms));
}

type Tls = Omit<LocalTls, 'caFile'> & { caFile: string | undefined };

async function tlsOf(config: Config, log: Log): Promise<Tls | undefined> {
  if (!config.tls) return undefined;
  const tlsFiles = readTlsFiles(config);
  if (!tlsFiles) {
    return ensureLocalTls(join(config.dataDir, 'tls'), [config.host, new URL(config.baseUrl).hostname]);
  }
  if (tlsFiles.warning) log.warn(tlsFiles.warning);
  return { ...tlsFiles, caFile: undefined };
}

function databaseOf(config: Config): DatabaseAddress | undefined {
  const { databaseUrl: url, databaseOwnerUrl: ownerUrl, databaseSidecarUrl: sidecarUrl } = config;
  if (url && ownerUrl && sidecarUrl) return { url, ownerUrl, sidecarUrl };
  if (sidecarUrl)
    throw new ConfigError([
      'DATABASE_URL: required with DATABASE_SIDECAR_URL, postgres://user:password@host:port/database',
    ]);
  return undefined;
}

async function startDatabase(config: Config, log: Log, shutdown: Shutdown): Promise<DatabaseAddress> {
  const onFailure = (error: Error): never => {
    log.error('the embedded database died', { error });
    process.exit(1);
  };
  const embedded = await startEmbeddedDatabase({ folder: join(config.dataDir, 'database'), onFailure });
  shutdown.add('embedded database', () => embedded.stop());
  return embedded;
}

async function depsOf(
  config: Config,
  databaseUrl: string,
  log: Log,
  shutdown: Shutdown,
): Promise<PortalDeps> {
  const databases = connectAll(config, databaseUrl, log, shutdown);
  const writes = monitorWrites(databases.db, log, config.databaseMaySuspend);
  const telemetry = flushedTelemetry(telemetryOf(config, databases.db, log, writes), shutdown);
  const outbound = outboundOf(config);
  const transport = createNodeTransport(outbound);
  shutdown.add('outbound connections', () => transport.close());
  return portalDeps({
    ...databases,
    log,
    portalType: config.portalType,
    baseUrl: config.baseUrl,
    host: hostOf(config),
    assets: ownAssets(),
    secretKeys: config.secretKey,
    signingKeys: signingKeysIn(config),
    outbound,
    webhookNetworks: config.webhookNetworks,
    s3: config.s3,
    rdpSigning: config.rdpSigning,
    dispatcherTransport: withDurations(transport, telemetry),
    ...directoriesByPooledSockets(outbound),
    kdcs: createKdcRemote(createTcp(outbound)),
    peerKeys: createPeerKeyRemote(transport),
    singleFlight: createSingleFlight(),
    notifier,
    telemetry,
    compression: createCompression(),
    writes,
    readDescriptors: createDescriptorReader(),
    hashing: { concurrency: hashesAtOnce },
  });
}

/** Connects to the database and to its replica, if there is one. */
function connectAll(
  config: Config,
  databaseUrl: string,
  log: Log,
  shutdown: Shutdown,
): Pick<Ingredients, 'db' | 'replica' | 'createChanges'> {
  const { databasePoolSize: maxConnections } = config;
  const options = { applicationName: 'aggregator-portal', maxConnections, ...loggedConnections(log) };
  const { db, close } = connectDatabase({ ...config, databaseUrl }, options);
  shutdown.add('database connections', close);
  const reading = connectReplica(config, config.databaseReadUrl, log, options);
  if (reading) shutdown.add('replica connections', reading.close);
  return { db, replica: reading?.replica, createChanges: nodeChanges(config, databaseUrl) };
}

/**
 * Maximum concurrent password hashes. Leaves one core to other requests, and one of the four threads of libuv to name
 * lookups and file access.
 */
const hashesAtOnce = Math.min(3, Math.max(1, availableParallelism() - 1));

const outboundOf = (config: Config): Ingredients['outbound'] => ({
  allowedNetworks: config.allowedPrivateNetworks,
  allowInsecure: config.allowInsecureDispatchers,
});

const hostOf = ({ portalName }: Config): Host => ({
  name: portalName ?? hostname(),
  runtime: 'node',
  os: `${type()} ${release()}`,
  startedAt: new Date(),
});

const signingKeysIn = ({ aggregatorJwtSslKey, aggregatorJwtSslKeySecond }: Config): string[] =>
  [aggregatorJwtSslKey, aggregatorJwtSslKeySecond].filter((key) => key !== undefined);

const telemetryOf = ({ databaseMaySuspend }: Config, db: Db, log: Log, writes: WriteMonitor): Telemetry =>
  telemetryInto(db, log, { writes, ...(databaseMaySuspend && { isDeferred: isOfMonitor }) });

const isOfMonitor = ([, operation]: readonly string[]): boolean =>
  operation === 'liveness.get' || operation === 'readiness.get';

/** Counts are flushed when they are due, and when the process ends. */
function flushedTelemetry(telemetry: Telemetry, shutdown: Shutdown): Telemetry {
  const flushing = setInterval(() => telemetry.isDue() && void telemetry.flush(), 1_000).unref();
  shutdown.add('telemetry', () => {
    clearInterval(flushing);
    return telemetry.flush();
  });
  return telemetry;
}

/**
 * Binds the port first, so that a port in use is reported immediately. Requests before the portal is ready receive
 * 503.
 */
async function listen(config: Config, tls: Tls | undefined, log: Log) {
  const state: { portal?: Portal } = {};
  const serving = await serveNode({
    fetch: (request, invocation) =>
      state.portal?.fetch(request, invocation) ??
      rejectionResponse('database_unavailable', { detail: 'The portal is starting' }),
    ...serverSettings(config),
    port: config.port,
    log,
    ...(tls && { tls: { cert: tls.certPem, key: tls.keyPem } }),
  });
  return Object.assign(state, { close: serving.close });
}

await orEnd(start);
