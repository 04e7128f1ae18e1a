import type { Connection, Db } from '../../../db/client.ts';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import { systemClock } from '../../../shared/kernel/clock.ts';
import type { Log } from '../../../shared/kernel/log.ts';
import { createSealer } from '../../../shared/kernel/sealing.ts';
import type { Telemetry } from '../../../shared/kernel/telemetry.ts';
import { createTurnstile } from '../../../shared/kernel/turnstile.ts';
import type { WriteWitness } from '../../../shared/kernel/write-witness.ts';
import { createDispatcherRemote } from '../../../shared/remotes/dispatcher/https.ts';
import { takingTurns } from '../../../shared/remotes/http/measured.ts';
import type { NodeTransport } from '../../../shared/remotes/http/node.ts';
import type { Config } from '../../../shared/runtime/config.ts';
import { timed } from '../../../shared/runtime/upstream-times.ts';
import type { SystemSampler } from '../system.ts';
import { refusalsJob, sealJob } from './audit.ts';
import { auditRetention } from './audit-retention.ts';
import { certificateJob } from './certificates.ts';
import { circuitJob } from './circuits.ts';
import { cleanUp } from './clean-up.ts';
import { removeOldFiles } from './exports/removal.ts';
import { createStores } from './exports/stores.ts';
import { exportWorker, noteFailedExport } from './exports/worker.ts';
import { noteFailedJob } from './failures.ts';
import { forwardJobs, targetsOf } from './forwarding.ts';
import { gatewayJob } from './gateways.ts';
import { heartbeatJob } from './heartbeat.ts';
import { type KeptQueue, keepQueue } from './kept-queue.ts';
import type { Job } from './loop.ts';
import { maintenanceJob } from './maintenance.ts';
import { onceForAll } from './once-for-all.ts';
import { outboxJob } from './outbox.ts';
import { type KnownParameters, parametersJob, readParameters } from './parameters.ts';
import { portalReportJob } from './portal-report.ts';
import { probeJob } from './probes.ts';
import { type AnyWorker, type FailedJob, startQueue } from './queue.ts';
import { newFarmsJob, snapshotJob } from './snapshot.ts';
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
  writes: WriteWitness;
};

/** Calls of dispatchers that run at the same time, except probes, which have limits of their own; the others wait. */
const upstreamAtOnce = 12;

/** All that runs without a request: rounds every few seconds, and the queue with its workers. */
export async function createJobs(
  parts: JobParts,
  databaseUrl: string,
  stopping: AbortSignal,
): Promise<{ jobs: Job[]; queue: KeptQueue }> {
  const { jobsDb, log, telemetry } = parts;
  const fleet = await fleetOf(parts);
  const parameters = parametersJob(jobsDb.db);
  const workers = workersOf(parts, databaseUrl, fleet.signing, parameters);
  const noteFailure = noteFailureIn(jobsDb.db);
  const start = () => startQueue({ databaseUrl, log, stopping, noteFailure }, workers.map(counted));
  const queue = keepQueue(start, log);
  const rounds = [queue.job, outboxJob(jobsDb.db, queue.current), ...roundsOf(parts, fleet, parameters)];
  return { jobs: rounds.map((job) => countedJob(job, telemetry)), queue };

  function counted(worker: AnyWorker): AnyWorker {
    return countedWorker(worker, telemetry);
  }
}

type Fleet = Awaited<ReturnType<typeof fleetOf>>;

/** What speaks to dispatchers, and what vouches for us. */
async function fleetOf({ config, log, jobsDb, telemetry, transport }: JobParts) {
  const { aggregatorJwtSslKey = '', aggregatorJwtSslKeySecond, baseUrl, secretKey } = config;
  const pems = [aggregatorJwtSslKey, ...(aggregatorJwtSslKeySecond ? [aggregatorJwtSslKeySecond] : [])];
  const outbound = timed(transport, telemetry);
  const probeRemote = createDispatcherRemote(outbound);
  const remote = createDispatcherRemote(takingTurns(outbound, createTurnstile(upstreamAtOnce)));
  const signing = await createSigningKeys(pems, baseUrl);
  const sealer = await createSealer(secretKey);
  const clock = systemClock;
  return {
    db: jobsDb.db,
    probeRemote,
    dispatchers: remote,
    signing,
    signingKeys: signing,
    sealer,
    clock,
    log,
  };
}

function workersOf(
  { config, log, jobsDb, snapshotDb }: JobParts,
  databaseUrl: string,
  signing: Fleet['signing'],
  known: KnownParameters,
): AnyWorker[] {
  const files = { db: snapshotDb.db, stores: createStores(snapshotDb.db, config.s3), log };
  // Read for each run: the defaults that stand in after a start could remove what is to be kept.
  const parameters = () => readParameters(jobsDb.db);
  return [
    cleanUp(jobsDb.db, parameters, systemClock, (signal) => removeOldFiles(files, signal)),
    auditRetention(jobsDb.db, signing, systemClock, parameters, targetsOf(config)),
    exportWorker({ ...files, databaseUrl, known }),
  ];
}

function roundsOf(
  { config, log, jobsDb, snapshotDb, system, worker, telemetry, writes }: JobParts,
  fleet: Fleet,
  parameters: ReturnType<typeof parametersJob>,
): Job[] {
  const { db } = jobsDb;
  return [
    heartbeatJob(db, worker, writes),
    parameters.job,
    systemSampleJob(system),
    sealJob(db, fleet.signing, systemClock),
    refusalsJob(db, systemClock),
    ...forwardJobs(db, config, worker.host, log),
    portalReportJob(db, { ...config, name: config.portalName ?? worker.host, system }),
    onceForAll(db, probeJob(db, { ...fleet, remote: fleet.probeRemote }, parameters, telemetry)),
    circuitJob(fleet, parameters),
    maintenanceJob(fleet, parameters),
    snapshotJob({ ...fleet, db: snapshotDb.db }, parameters),
    newFarmsJob({ ...fleet, db: snapshotDb.db }),
    onceForAll(db, certificateJob(db, systemClock)),
    onceForAll(db, gatewayJob(db, systemClock)),
    handOverJob(telemetry),
    onceForAll(db, telemetryJob(db)),
  ];
}

/** Who waits for the job learns of it, and who looks after the installation. */
const noteFailureIn = (db: Db) => {
  const noteInJournal = noteFailedJob(db, systemClock);
  return async (job: FailedJob): Promise<void> => {
    await noteFailedExport(db, job);
    await noteInJournal(job);
  };
};
