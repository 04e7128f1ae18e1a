import type { Connection, Db } from '../../../db/client.ts';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import { systemClock } from '../../../shared/kernel/clock.ts';
import type { Log } from '../../../shared/kernel/log.ts';
import { createSealer } from '../../../shared/kernel/sealing.ts';
import type { Telemetry } from '../../../shared/kernel/telemetry.ts';
import { createTurnstile } from '../../../shared/kernel/turnstile.ts';
import { createDispatcherRemote } from '../../../shared/remotes/dispatcher/https.ts';
import { takingTurns } from '../../../shared/remotes/http/measured.ts';
import type { NodeTransport } from '../../../shared/remotes/http/node.ts';
import type { Config } from '../../../shared/runtime/config.ts';
import { timed } from '../../../shared/runtime/upstream-times.ts';
import type { SystemSampler } from '../system.ts';
import { refusalsJob, sealJob } from './audit.ts';
import { certificateJob } from './certificates.ts';
import { circuitJob } from './circuits.ts';
import { cleanUp } from './clean-up.ts';
import { removeOldFiles } from './exports/removal.ts';
import { createStores } from './exports/stores.ts';
import { exportWorker, noteFailedExport } from './exports/worker.ts';
import { noteFailedJob } from './failures.ts';
import { heartbeatJob } from './heartbeat.ts';
import { type KeptQueue, keepQueue } from './kept-queue.ts';
import type { Job } from './loop.ts';
import { maintenanceJob } from './maintenance.ts';
import { onceForAll } from './once-for-all.ts';
import { outboxJob } from './outbox.ts';
import { parametersJob } from './parameters.ts';
import { portalReportJob } from './portal-report.ts';
import { probeJob } from './probes.ts';
import { type FailedJob, startQueue } from './queue.ts';
import { snapshotJob } from './snapshot.ts';
import { systemSampleJob } from './system-sample.ts';
import { countedJob, countedWorker, handOverJob, telemetryJob } from './telemetry.ts';

export type JobParts = {
  jobsDb: Connection;
  snapshotDb: Connection;
  transport: NodeTransport;
  worker: { name: string; host: string };
  config: Config;
  log: Log;
  system: SystemSampler;
  telemetry: Telemetry;
};

/** Calls of dispatchers that run at the same time, whatever they are for; the others wait for their turn. */
const upstreamAtOnce = 12;

/** All that runs without a request: rounds every few seconds, and the queue with its workers. */
export async function createJobs(
  { config, log, jobsDb, system, worker, telemetry, ...parts }: JobParts,
  databaseUrl: string,
  stopping: AbortSignal,
): Promise<{ jobs: Job[]; queue: KeptQueue }> {
  const { aggregatorJwtSslKey = '', aggregatorJwtSslKeySecond, baseUrl, secretKey } = config;
  const pems = [aggregatorJwtSslKey, ...(aggregatorJwtSslKeySecond ? [aggregatorJwtSslKeySecond] : [])];
  const parameters = parametersJob(jobsDb.db);
  const outbound = takingTurns(timed(parts.transport, telemetry), createTurnstile(upstreamAtOnce));
  const probes = {
    remote: createDispatcherRemote(outbound),
    sealer: await createSealer(secretKey),
    signing: await createSigningKeys(pems, baseUrl),
    clock: systemClock,
    log,
  };
  const fleet = { ...probes, db: jobsDb.db, dispatchers: probes.remote, signingKeys: probes.signing };
  const files = { db: parts.snapshotDb.db, stores: createStores(parts.snapshotDb.db, config.s3), log };
  const workers = [
    cleanUp(jobsDb.db, parameters, systemClock, (signal) => removeOldFiles(files, signal)),
    exportWorker({ ...files, databaseUrl, known: parameters }),
  ].map((worker) => countedWorker(worker, telemetry));
  const noteFailure = noteFailureIn(jobsDb.db);
  const queue = keepQueue(() => startQueue({ databaseUrl, log, stopping, noteFailure }, workers), log);
  const jobs = [
    queue.job,
    outboxJob(jobsDb.db, queue.current),
    heartbeatJob(jobsDb.db, worker),
    parameters.job,
    systemSampleJob(system),
    sealJob(jobsDb.db),
    refusalsJob(jobsDb.db, systemClock),
    portalReportJob(jobsDb.db, { ...config, name: config.portalName ?? worker.host, system }),
    onceForAll(jobsDb.db, probeJob(jobsDb.db, probes, parameters)),
    circuitJob(fleet, parameters),
    maintenanceJob(fleet, parameters),
    snapshotJob({ ...fleet, db: parts.snapshotDb.db }, parameters),
    onceForAll(jobsDb.db, certificateJob(jobsDb.db, systemClock)),
    handOverJob(telemetry),
    onceForAll(jobsDb.db, telemetryJob(jobsDb.db)),
  ];
  return { jobs: jobs.map((job) => countedJob(job, telemetry)), queue };
}

/** Who waits for the job learns of it, and who looks after the installation. */
const noteFailureIn = (db: Db) => {
  const noteInJournal = noteFailedJob(db, systemClock);
  return async (job: FailedJob): Promise<void> => {
    await noteFailedExport(db, job);
    await noteInJournal(job);
  };
};
