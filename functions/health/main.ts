import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '../../db/client.ts';
import { recordHeartbeat, removeWorker } from '../../db/repositories/jobs/workers.ts';
import { systemClock } from '../../shared/kernel/clock.ts';
import { ConfigError } from '../../shared/kernel/config-error.ts';
import type { Log } from '../../shared/kernel/observability/log.ts';
import { createNodeTransport } from '../../shared/remotes/http/node.ts';
import type { Config } from '../../shared/runtime/config/config.ts';
import { isLoopbackHost } from '../../shared/runtime/config/values.ts';
import { connectDatabase, connectReplica, loggedConnections } from '../../shared/runtime/database.ts';
import { createLog } from '../../shared/runtime/log.ts';
import { type RunningServer, serveNode } from '../../shared/runtime/node/server.ts';
import { serverSettings } from '../../shared/runtime/node/settings.ts';
import { createShutdown, type Shutdown } from '../../shared/runtime/node/shutdown.ts';
import { telemetryInto } from '../../shared/runtime/telemetry.ts';
import { monitorWrites } from '../../shared/runtime/write-monitor.ts';
import { orEnd, orShutDown } from '../../shared/tooling/start/fatal.ts';
import { loadSettings } from '../../shared/tooling/start/settings.ts';
import { attachedFlag } from '../../shared/tooling/start/sidecar-process.ts';
import { ensureLocalTls } from '../../shared/tooling/start/tls/local-tls.ts';
import { readTlsFiles } from '../../shared/tooling/start/tls/tls-files.ts';
import { createHealthApp } from './app.ts';
import { verifyDatabase } from './database-check.ts';
import type { HealthDeps } from './deps.ts';
import { createJobs } from './jobs/all.ts';
import { createSystemSampler, type SystemSampler } from './system-sampler.ts';

type Start = { config: Config; databaseUrl: string; log: Log; shutdown: Shutdown };

const isAttached = process.argv.includes(attachedFlag);

/** The long-running process that complements the functions: health, metrics and jobs. */
async function startSidecar(): Promise<void> {
  const { config, misspelt } = await loadSettings();
  const { databaseSidecarUrl: databaseUrl } = config;
  if (!databaseUrl)
    throw new ConfigError([
      'DATABASE_SIDECAR_URL or DATABASE_URL: required, postgres://user:password@host:port/database',
    ]);
  const log = createLog({ level: config.logLevel });
  // The portal, which started this process with the same environment, has already logged them.
  if (!isAttached) for (const line of misspelt) log.warn(line);
  const shutdown = createShutdown({ log });
  endWithParent(shutdown);
  await orShutDown(shutdown, () => startAll({ config, databaseUrl, log, shutdown }));
}

/** A parent that is killed cannot forward a signal; the closed IPC channel shows that it has ended. */
function endWithParent({ exit }: Shutdown): void {
  if (!isAttached) return;
  process.once('disconnect', () => exit(0));
  if (!process.connected) void exit(0);
}

async function startAll(start: Start): Promise<void> {
  const { config, databaseUrl, log, shutdown } = start;
  const transports = createTransports(start);
  const pools = connectAll(start);
  const { jobsDb, leaseDb } = pools;
  const system = createSystemSampler((error) =>
    log.warn('the metrics of the host could not be read', { error }),
  );
  const host = hostname();
  const worker = { name: `${host}/${randomUUID()}`, host };
  const writes = monitorWrites(pools.answersDb.db, log, config.databaseMaySuspend);
  const telemetry = telemetryInto(jobsDb.db, log, { writes });
  shutdown.add('telemetry', () => telemetry.flush());
  const parts = { config, log, ...pools, ...transports, system, worker, telemetry, writes };
  const { run, queue, lease, rest } = await createJobs(parts, databaseUrl, shutdown.signal);
  const verified = verifyDatabase({ config, db: jobsDb.db, log }, shutdown.signal);
  const registered = verified.then(() =>
    writes.observe(() => recordHeartbeat(leaseDb.db, worker)).catch(() => false),
  );
  shutdown.add('worker entry', () => removeWorker(leaseDb.db, worker.name));
  shutdown.add('lease', () => lease.release());
  // With a worker entry, the first health check finds a live worker. If the database is unavailable, the wait ends
  // after one second.
  await Promise.all([system.sample(), Promise.race([registered, delay(1_000)])]);
  const loops = verified.then(() => run(shutdown.signal));
  // Reading a certificate cannot be interrupted; its result is discarded.
  shutdown.add('rounds', () => Promise.all([Promise.race([loops, delay(3_000)]), queue.stop()]));
  const { answersDb, replica } = pools;
  const serving = await serve({ config, log, databaseUrl, answersDb, replica, system, writes, rest });
  shutdown.add('server', () => serving.close(2_000));
  shutdown.signal.throwIfAborted();
  console.log(JSON.stringify({ ready: true, health_url: urlOf(config, serving.port) }));
  await verified;
}

/** Receivers of webhooks may be in other networks than dispatchers. */
function createTransports({ config, shutdown }: Start) {
  const transport = createNodeTransport({
    allowedNetworks: config.allowedPrivateNetworks,
    allowInsecure: config.allowInsecureDispatchers,
  });
  const webhookTransport = createNodeTransport({
    allowedNetworks: config.webhookNetworks,
    allowInsecure: false,
  });
  shutdown.add('connections', () => Promise.all([transport.close(), webhookTransport.close()]));
  return { transport, webhookTransport };
}

/**
 * Separate pools: responses and the lease never wait for jobs, and short jobs never wait for the merge of whole farms
 * or for files.
 */
function connectAll({ config, databaseUrl, log, shutdown }: Start) {
  const logged = loggedConnections(log);
  const connect = (maxConnections: number, statementTimeoutMs: number): Connection => {
    const connection = connectDatabase(
      { ...config, databaseUrl },
      { applicationName: 'aggregator-sidecar', maxConnections, statementTimeoutMs, ...logged },
    );
    shutdown.add('database', () => connection.close());
    return connection;
  };
  const options = { applicationName: 'aggregator-sidecar', maxConnections: 2, statementTimeoutMs: 2_000 };
  const reading = connectReplica(config, config.databaseSidecarReadUrl, log, { ...options, ...logged });
  shutdown.add('replica', async () => reading?.close());
  return {
    replica: reading?.replica,
    jobsDb: connect(3, 15_000),
    eventsDb: connect(2, 15_000),
    snapshotDb: connect(6, 60_000),
    answersDb: connect(3, 2_000),
    leaseDb: connect(1, 3_000),
    onSession: logged.onSession,
  };
}

type Serving = Pick<Start, 'config' | 'log' | 'databaseUrl'> &
  Pick<HealthDeps, 'writes' | 'rest' | 'replica'> & { answersDb: Connection; system: SystemSampler };

async function serve({
  config,
  log,
  databaseUrl,
  answersDb,
  replica,
  system,
  writes,
  rest,
}: Serving): Promise<RunningServer> {
  const app = createHealthApp({
    db: answersDb.db,
    replica,
    databaseUrl,
    collectors: { fluentd: config.fluentdUrl, syslog: config.syslogUrl },
    clock: systemClock,
    log,
    accessKeys: {
      check: config.healthCheckAccessKey,
      metrics: config.metricsAccessKey,
      url: config.healthCheckUrlKey,
    },
    baseUrl: config.baseUrl,
    system,
    writes,
    rest,
  });
  const tls = await tlsOf(config);
  return serveNode({
    fetch: (request, invocation) => app.fetch(request, invocation),
    errorPages: config.baseUrl,
    ...serverSettings(config),
    port: config.healthPort,
    portVariable: 'HEALTH_PORT',
    log,
    ...(tls && { tls }),
  });
}

async function tlsOf(config: Config): Promise<{ cert: string; key: string } | undefined> {
  if (!config.tls) return undefined;
  const names = [config.host, new URL(config.baseUrl).hostname];
  const { certPem, keyPem } =
    readTlsFiles(config) ?? (await ensureLocalTls(join(config.dataDir, 'tls'), names));
  return { cert: certPem, key: keyPem };
}

function urlOf(config: Config, port: number): string {
  const name = isLoopbackHost(config.host) ? 'localhost' : new URL(config.baseUrl).hostname;
  return `${config.tls ? 'https' : 'http'}://${name}:${port}`;
}

await orEnd(startSidecar);
