import type { Connection, Db } from '../../../db/client.ts';
import type { SessionReport } from '../../../db/pg.ts';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import { createProcessMemory } from '../../../shared/context/process-memory.ts';
import { systemClock } from '../../../shared/kernel/clock.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import type { Log } from '../../../shared/kernel/observability/log.ts';
import type { Telemetry } from '../../../shared/kernel/observability/telemetry.ts';
import type { WriteMonitor } from '../../../shared/kernel/observability/write-monitor.ts';
import { createDispatchers } from '../../../shared/remotes/dispatcher/kinds.ts';
import { withDurations } from '../../../shared/remotes/http/durations.ts';
import type { NodeTransport } from '../../../shared/remotes/http/node.ts';
import type { Config } from '../../../shared/runtime/config/config.ts';
import type { SystemSampler } from '../system-sampler.ts';
import { forwardJobs, targetsOf } from './audit/forwarding.ts';
import { auditRetention } from './audit/retention.ts';
import { refusalsJob, sealJob } from './audit/sealing.ts';
import { certificateJob } from './certificates.ts';
import { cleanUp } from './clean-up.ts';
import { removeOldFiles } from './exports/removal.ts';
import { createStores } from './exports/stores.ts';
import { exportWorker, noteFailedExport } from './exports/worker.ts';
import { gatewayJob, tunnelSweepJob } from './gateways.ts';
import { keyLogOutJob } from './key-log-outs.ts';
import { maintenanceJob } from './maintenance/maintenance.ts';
import { type CachedParameters, parametersJob, readParameters } from './parameters.ts';
import { circuitJob } from './probes/circuits.ts';
import { probeJob } from './probes/probes.ts';
import { heartbeatJob } from './process/heartbeat.ts';
import { createLease, type Lease, onLeader, type Term } from './process/lease.ts';
import type { Job } from './process/loop.ts';
import { portalReportJob } from './process/portal-report.ts';
import { systemSampleJob } from './process/system-sample.ts';
import { countedJob, countedWorker, telemetryFlushJob, telemetryJob } from './process/telemetry.ts';
import { noteFailedJob } from './queue/failures.ts';
import { type LeaderQueue, runQueueWhileLeading } from './queue/leader-queue.ts';
import { outboxJob } from './queue/outbox.ts';
import { type AnyWorker, type FailedJob, startQueue } from './queue/queue.ts';
import { failingFarmsJob, newFarmsJob, snapshotJob } from './snapshot.ts';

export type JobParts = {
  jobsDb: Connection;
  snapshotDb: Connection;
  /** For the lease and the heartbeat only, so that no other query can delay them. */
  leaseDb: Connection;
  transport: NodeTransport;
  worker: { name: string; host: string };
  config: Config;
  log: Log;
  system: SystemSampler;
  telemetry: Telemetry;
  onSession: (report: SessionReport) => void;
  writes: WriteMonitor;
};

/** Creates everything that runs without a request: the periodic jobs, and the queue with its workers. */
export async function createJobs(
  parts: JobParts,
  databaseUrl: string,
  stopping: AbortSignal,
): Promise<{ jobs: Job[]; queue: LeaderQueue; lease: Lease }> {
  const { jobsDb, leaseDb, log, telemetry, worker, onSession } = parts;
  const fleet = await fleetOf(parts);
  const parameters = parametersJob(jobsDb.db);
  const workers = workersOf(parts, databaseUrl, fleet.signing, parameters);
  const noteFailure = noteFailureIn(jobsDb.db);
  const lease = createLease({ db: leaseDb.db, holder: worker.name, log, stopping });
  const { isHeld: isLeader } = lease;
  const start = ({ signal }: Term) =>
    startQueue(
      { databaseUrl, log, stopping: signal, isLeader, onSession, noteFailure },
      workers.map(counted),
    );
  const queue = runQueueWhileLeading(start, lease, log);
  const own = [lease.job, queue.job, ...ownRounds(parts, parameters)];
  const shared = [outboxJob(jobsDb.db, queue.current), ...sharedRounds(parts, fleet, parameters)];
  // Counted inside `onLeader`, so that standbys count no rounds.
  const jobs = [...own.map(countedRound), ...shared.map((job) => onLeader(lease, countedRound(job)))];
  return { jobs, queue, lease };

  function counted(worker: AnyWorker): AnyWorker {
    return countedWorker(worker, telemetry);
  }
  function countedRound(job: Job): Job {
    return countedJob(job, telemetry);
  }
}

type Fleet = Awaited<ReturnType<typeof fleetOf>>;

/** The clients and keys that calls to dispatchers require. */
async function fleetOf({ config, log, jobsDb, telemetry, transport }: JobParts) {
  const { aggregatorJwtSslKey = '', aggregatorJwtSslKeySecond, baseUrl, secretKey } = config;
  const pems = [aggregatorJwtSslKey, ...(aggregatorJwtSslKeySecond ? [aggregatorJwtSslKeySecond] : [])];
  // Each job has its own concurrency limit. With a shared limit, unresponsive nodes would delay all jobs.
  const signing = await createSigningKeys(pems, baseUrl);
  const dispatchers = createDispatchers({ transport: withDurations(transport, telemetry), signer: signing });
  const sealer = await createSealer(secretKey);
  const clock = systemClock;
  return {
    db: jobsDb.db,
    dispatchers,
    signing,
    sealer,
    clock,
    log,
    memory: createProcessMemory(),
  };
}

function workersOf(
  { config, log, jobsDb, snapshotDb }: JobParts,
  databaseUrl: string,
  signing: Fleet['signing'],
  parameters: CachedParameters,
): AnyWorker[] {
  const files = { db: snapshotDb.db, stores: createStores(snapshotDb.db, config.s3), log };
  // Read on each run. With the defaults that apply right after a start, data that must be kept could be deleted.
  const readCurrent = () => readParameters(jobsDb.db);
  return [
    cleanUp(jobsDb.db, readCurrent, systemClock, (signal) => removeOldFiles(files, signal)),
    auditRetention(jobsDb.db, signing, systemClock, readCurrent, targetsOf(config)),
    exportWorker({ ...files, databaseUrl, parameters }),
  ];
}

/** Jobs that every sidecar runs. */
function ownRounds(
  { config, jobsDb, leaseDb, system, worker, telemetry, writes }: JobParts,
  parameters: ReturnType<typeof parametersJob>,
): Job[] {
  return [
    heartbeatJob(leaseDb.db, worker, writes),
    parameters.job,
    systemSampleJob(system),
    portalReportJob(jobsDb.db, { ...config, name: config.portalName ?? worker.host, system }),
    telemetryFlushJob(telemetry),
  ];
}

/** Jobs that only the leader runs. */
function sharedRounds(
  { config, log, jobsDb, snapshotDb, worker, telemetry }: JobParts,
  fleet: Fleet,
  parameters: CachedParameters,
): Job[] {
  const { db } = jobsDb;
  return [
    sealJob(db, fleet.signing, systemClock),
    refusalsJob(db, systemClock),
    ...forwardJobs(db, config, worker.host, log),
    probeJob(db, { ...fleet, remote: fleet.dispatchers }, parameters, telemetry),
    circuitJob(fleet, parameters),
    maintenanceJob(fleet, parameters),
    snapshotJob({ ...fleet, db: snapshotDb.db }, parameters),
    failingFarmsJob({ ...fleet, db: snapshotDb.db }),
    newFarmsJob({ ...fleet, db: snapshotDb.db }),
    certificateJob(db, systemClock),
    gatewayJob(db, systemClock),
    tunnelSweepJob(db),
    keyLogOutJob(fleet),
    telemetryJob(db),
  ];
}

/** Reports a failed job in the status of its export, if there is one, and in the monitoring journal. */
const noteFailureIn = (db: Db) => {
  const noteInJournal = noteFailedJob(db, systemClock);
  return async (job: FailedJob): Promise<void> => {
    await noteFailedExport(db, job);
    await noteInJournal(job);
  };
};
