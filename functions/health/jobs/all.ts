import type { Connection, Db } from '../../../db/client.ts';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import { systemClock } from '../../../shared/kernel/clock.ts';
import type { Log } from '../../../shared/kernel/log.ts';
import { createSealer } from '../../../shared/kernel/sealing.ts';
import { createDispatcherRemote } from '../../../shared/remotes/dispatcher/https.ts';
import type { NodeTransport } from '../../../shared/remotes/http/node.ts';
import type { Config } from '../../../shared/runtime/config.ts';
import type { SystemSampler } from '../system.ts';
import { refusalsJob, sealJob } from './audit.ts';
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

export type JobParts = {
  jobsDb: Connection;
  snapshotDb: Connection;
  transport: NodeTransport;
  worker: { name: string; host: string };
  config: Config;
  log: Log;
  system: SystemSampler;
};

/** All that runs without a request: rounds every few seconds, and the queue with its workers. */
export async function createJobs(
  { config, log, jobsDb, transport, system, worker, ...parts }: JobParts,
  databaseUrl: string,
  stopping: AbortSignal,
): Promise<{ jobs: Job[]; queue: KeptQueue }> {
  const { aggregatorJwtSslKey = '', aggregatorJwtSslKeySecond, baseUrl, secretKey } = config;
  const pems = [aggregatorJwtSslKey, ...(aggregatorJwtSslKeySecond ? [aggregatorJwtSslKeySecond] : [])];
  const parameters = parametersJob(jobsDb.db);
  const probes = {
    remote: createDispatcherRemote(transport),
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
  ];
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
  ];
  return { jobs, queue };
}

/** Who waits for the job learns of it, and who looks after the installation. */
const noteFailureIn = (db: Db) => {
  const noteInJournal = noteFailedJob(db, systemClock);
  return async (job: FailedJob): Promise<void> => {
    await noteFailedExport(db, job);
    await noteInJournal(job);
  };
};
