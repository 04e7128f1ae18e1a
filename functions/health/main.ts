import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '../../db/client.ts';
import { beat, retire } from '../../db/repositories/job-workers.ts';
import { systemClock } from '../../shared/kernel/clock.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { Telemetry } from '../../shared/kernel/telemetry.ts';
import type { WriteWitness } from '../../shared/kernel/write-witness.ts';
import { createNodeTransport, type NodeTransport } from '../../shared/remotes/http/node.ts';
import { orEnd } from '../../shared/runtime/cli/fatal.ts';
import { ensureLocalTls } from '../../shared/runtime/cli/local-tls.ts';
import { loadSettings } from '../../shared/runtime/cli/settings.ts';
import { type Config, ConfigError, isLoopbackHost } from '../../shared/runtime/config.ts';
import { connectDatabase } from '../../shared/runtime/database.ts';
import { createLog } from '../../shared/runtime/log.ts';
import { onStop, type Serving, serveNode } from '../../shared/runtime/node.ts';
import { telemetryInto } from '../../shared/runtime/telemetry.ts';
import { watchWrites } from '../../shared/runtime/writes.ts';
import { createHealthApp } from './app.ts';
import { createJobs } from './jobs/all.ts';
import type { KeptQueue } from './jobs/kept-queue.ts';
import { runEvery } from './jobs/loop.ts';
import { createSystemSampler, type SystemSampler } from './system.ts';

type Running = {
  stopping: AbortController;
  serving: Serving;
  loops: Promise<unknown>;
  queue: KeptQueue;
  jobsDb: Connection;
  snapshotDb: Connection;
  answersDb: Connection;
  transport: NodeTransport;
  telemetry: Telemetry;
  worker: { name: string; host: string };
};

/** The long-running process beside the functions: health, metrics and the jobs. */
async function startSidecar(): Promise<void> {
  const { config } = await loadSettings();
  const { databaseUrl } = config;
  if (!databaseUrl)
    throw new ConfigError(['DATABASE_URL: required, postgres://user:password@host:port/database']);
  const log = createLog({ level: config.logLevel });
  const onError = (error: Error) => log.warn('an idle database connection ended', { error });
  // Apart from each other, so that answers never wait for jobs, nor for longer than a moment for the database.
  const settings = { ...config, databaseUrl };
  const jobsDb = connectDatabase(settings, { maxConnections: 3, statementTimeoutMs: 5_000, onError });
  // Merges of whole farms are long, and so are exports; heartbeats and audit must not stand in line behind them.
  const snapshotDb = connectDatabase(settings, { maxConnections: 6, statementTimeoutMs: 20_000, onError });
  const answersDb = connectDatabase(settings, { maxConnections: 3, statementTimeoutMs: 2_000, onError });
  const transport = createNodeTransport({
    allowedNetworks: config.allowedPrivateNetworks,
    allowInsecure: config.allowInsecureDispatchers,
  });
  const system = createSystemSampler((error) => log.warn('the host could not be sampled', { error }));
  const host = hostname();
  const worker = { name: `${host}/${randomUUID()}`, host };
  const stopping = new AbortController();
  const writes = watchWrites(answersDb.db, log);
  const telemetry = telemetryInto(jobsDb.db, log, { writes });
  const parts = { config, log, jobsDb, snapshotDb, transport, system, worker, telemetry, writes };
  const { jobs, queue } = await createJobs(parts, databaseUrl, stopping.signal);
  // Whoever asks as soon as we are ready finds a live worker; a database that is away only costs a second.
  await Promise.all([
    system.sample(),
    Promise.race([writes.observe(() => beat(jobsDb.db, worker)).catch(() => false), delay(1_000)]),
  ]);
  const serving = await serve(config, log, databaseUrl, answersDb, system, writes);
  const loops = Promise.all(jobs.map((job) => runEvery(job, log, stopping.signal)));
  stopGracefully({ ...parts, stopping, serving, loops, queue, answersDb }, log);
  console.log(JSON.stringify({ ready: true, health_url: urlOf(config, serving.port) }));
}

async function serve(
  config: Config,
  log: Log,
  databaseUrl: string,
  answersDb: Connection,
  system: SystemSampler,
  writes: WriteWitness,
): Promise<Serving> {
  const app = createHealthApp({
    db: answersDb.db,
    databaseUrl,
    collectors: { fluentd: config.fluentdUrl, syslog: config.syslogUrl },
    clock: systemClock,
    log,
    accessKeys: { check: config.healthCheckAccessKey, metrics: config.metricsAccessKey },
    system,
    writes,
  });
  const tls = await tlsOf(config);
  return serveNode({
    fetch: (request) => app.fetch(request),
    host: config.host,
    port: config.healthPort,
    portVariable: 'HEALTH_PORT',
    trustProxy: config.trustProxy,
    log,
    ...(tls && { tls }),
  });
}

async function tlsOf(config: Config): Promise<{ cert: string; key: string } | undefined> {
  if (!config.tls) return undefined;
  const { tlsCertFile, tlsKeyFile } = config;
  if (tlsCertFile && tlsKeyFile)
    return { cert: readPem('TLS_CERT_FILE', tlsCertFile), key: readPem('TLS_KEY_FILE', tlsKeyFile) };
  const names = [config.host, new URL(config.baseUrl).hostname];
  const { certPem, keyPem } = await ensureLocalTls(join(config.dataDir, 'tls'), names);
  return { cert: certPem, key: keyPem };
}

function readPem(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError([`${variable}: a file that can be read`], { cause });
  }
}

function urlOf(config: Config, port: number): string {
  const name = isLoopbackHost(config.host) ? 'localhost' : new URL(config.baseUrl).hostname;
  return `${config.tls ? 'https' : 'http'}://${name}:${port}`;
}

/** The order matters: nothing new begins, what runs may end, and only then goes what it stands on. */
function stopGracefully({ stopping, serving, loops, queue, ...parts }: Running, log: Log): void {
  const { jobsDb, snapshotDb, answersDb, transport, telemetry, worker } = parts;
  onStop(
    [
      { name: 'jobs', run: () => stopping.abort() },
      { name: 'server', run: () => serving.close(2_000) },
      { name: 'rounds', run: () => Promise.all([Promise.race([loops, delay(3_000)]), queue.stop()]) },
      { name: 'worker entry', run: () => retire(jobsDb.db, worker.name) },
      { name: 'telemetry', run: () => telemetry.flush() },
      { name: 'database', run: () => Promise.all([jobsDb.close(), snapshotDb.close(), answersDb.close()]) },
      { name: 'connections', run: () => transport.close() },
    ],
    { log },
  );
  // A parent that was killed hard cannot pass a signal on; its closed channel is the sign.
  if (process.connected) process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
}

await orEnd(startSidecar);
