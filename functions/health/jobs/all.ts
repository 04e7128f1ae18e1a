import type { Connection, Db } from '../../../db/client.ts';
import type { SessionReport } from '../../../db/pg.ts';
import type { Replica } from '../../../db/replica/replica.ts';
import { systemClock } from '../../../shared/kernel/clock.ts';
import type { Log } from '../../../shared/kernel/observability/log.ts';
import type { Telemetry } from '../../../shared/kernel/observability/telemetry.ts';
import type { WriteMonitor } from '../../../shared/kernel/observability/write-monitor.ts';
import type { NodeTransport } from '../../../shared/remotes/http/node.ts';
import { createMailer } from '../../../shared/remotes/mail/node.ts';
import type { Config } from '../../../shared/runtime/config/config.ts';
import { isEmbeddedUrl } from '../../../shared/runtime/embedded-host.ts';
import type { SystemSampler } from '../system-sampler.ts';
import { alertTask, recipientsOf } from './alerts/task.ts';
import { forwardJobs, targetsOf } from './audit/forwarding.ts';
import { auditRetention } from './audit/retention.ts';
import { refusalsJob, sealJob } from './audit/sealing.ts';
import { certificateJob } from './certificates.ts';
import { cleanUp } from './clean-up.ts';
import { removeOldFiles } from './exports/removal.ts';
import { createStores } from './exports/stores.ts';
import { exportWorker, noteFailedExport } from './exports/worker.ts';
import { type Fleet, fleetOf } from './fleet.ts';
import { gatewayJob, tunnelSweepJob } from './gateways.ts';
import { keyLogOutJob } from './key-log-outs.ts';
import { maintenanceJob } from './maintenance/maintenance.ts';
import { type CachedParameters, parametersOf, readParameters } from './parameters.ts';
import { circuitJob } from './probes/circuits.ts';
import { probeJob } from './probes/probes.ts';
import { type Activity, createActivity } from './process/activity.ts';
import { type AgendaReader, type Task, whenDue } from './process/agenda.ts';
import type { Lease, Term } from './process/lease.ts';
import { type Job, runEvery } from './process/loop.ts';
import { portalReportJob } from './process/portal-report.ts';
import type { Rest } from './process/rest.ts';
import { systemSampleJob } from './process/system-sample.ts';
import { countedJob, countedWorker, telemetryFlushJob, telemetryJob } from './process/telemetry.ts';
import { providerCheckTask } from './providers/task.ts';
import { noteFailedJob } from './queue/failures.ts';
import { type LeaderQueue, runQueueWhileLeading } from './queue/leader-queue.ts';
import { outboxJob } from './queue/outbox.ts';
import { type AnyWorker, type FailedJob, type Queue, startQueue } from './queue/queue.ts';
import { hourlyTask, wakeTask } from './queue/tasks.ts';
import { failingFarmsJob, newFarmsJob, snapshotJob } from './snapshot/tasks.ts';
import { webhookTask } from './webhooks/delivery.ts';
import { eventTask } from './webhooks/fan-out.ts';

export type JobParts = {
  jobsDb: Connection;
  /** For events and their deliveries, which may be many. */
  eventsDb: Connection;
  snapshotDb: Connection;
  /** For the rows of exports. */
  replica?: Replica | undefined;
  /** For the lease only, so that no other query can delay it. */
  leaseDb: Connection;
  transport: NodeTransport;
  /** For webhooks, whose receivers may be in other networks. */
  webhookTransport: NodeTransport;
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
): Promise<{ run: (signal: AbortSignal) => Promise<unknown>; queue: LeaderQueue; lease: Lease; rest: Rest }> {
  const { jobsDb, log, telemetry } = parts;
  const { db } = jobsDb;
  const fleet = await fleetOf(parts);
  const activity = activityOf(parts, databaseUrl, stopping);
  const { lease, reader, rest } = activity;
  const parameters = parametersOf(reader);
  const workers = workersOf(parts, databaseUrl, fleet.signing, parameters);
  const start = (term: Term) => queueOf(parts, databaseUrl, term, { lease, reader, workers });
  const queue = runQueueWhileLeading(start, lease, log);
  const own = [queue.job, rest.job, systemSampleJob(parts.system)];
  const pausing = [reader.job, ...ownRounds(parts)];
  const tasks = [
    outboxJob(db, queue.current),
    wakeTask(reader, queue.current),
    hourlyTask(workers, queue.current, systemClock),
    ...sharedTasks(parts, fleet, parameters),
    ...eventTasks(parts, fleet, parameters),
  ];
  // Counted inside `whenDue`, so that only rounds with work are counted.
  const counted = <J extends Job>(job: J): J => countedJob(job, telemetry);
  const jobs = [
    rest.waking(counted(lease.job)),
    whenDue(lease, reader, probesOf(parts, fleet, { parameters, reader, rest })),
    ...own.map(counted),
    ...pausing.map((job) => rest.pausing(counted(job))),
    ...tasks.map((task) => rest.pausing(whenDue(lease, reader, counted(task)))),
  ];
  const run = (signal: AbortSignal) =>
    Promise.all([activity.listen(signal), ...jobs.map((job) => runEvery(job, log, signal))]);
  return { run, queue, lease, rest };
}

const activityOf = (
  { config, jobsDb, leaseDb, log, worker, writes }: JobParts,
  databaseUrl: string,
  stopping: AbortSignal,
): Activity =>
  createActivity({
    jobsDb: jobsDb.db,
    leaseDb: leaseDb.db,
    worker,
    observe: writes.observe,
    stopping,
    listenUrl: config.databaseListenUrl ?? databaseUrl,
    isEmbedded: isEmbeddedUrl(databaseUrl),
    maySuspend: config.databaseMaySuspend,
    log,
  });

const queueOf = (
  { config, jobsDb, log, onSession, telemetry }: JobParts,
  databaseUrl: string,
  { signal: stopping }: Term,
  { lease, reader, workers }: { lease: Lease; reader: AgendaReader; workers: readonly AnyWorker[] },
): Promise<Queue> => {
  const { isHeld: isLeader } = lease;
  const noteFailure = noteFailureIn(jobsDb.db);
  const onStatement = reader.refresh;
  const { databasePrepare: prepares } = config;
  return startQueue(
    { databaseUrl, prepares, log, stopping, isLeader, onSession, onStatement, noteFailure },
    workers.map((one) => countedWorker(one, telemetry)),
  );
};

function workersOf(
  { config, log, jobsDb, snapshotDb, replica: reads }: JobParts,
  databaseUrl: string,
  signing: Fleet['signing'],
  parameters: CachedParameters,
): AnyWorker[] {
  const { databaseSidecarReadUrl: url } = config;
  const replica = reads && url !== undefined ? { url, reads } : undefined;
  const files = { db: snapshotDb.db, stores: createStores(snapshotDb.db, config.s3), log };
  // Read on each run. With the defaults that apply right after a start, data that must be kept could be deleted.
  const readCurrent = () => readParameters(jobsDb.db);
  return [
    cleanUp(jobsDb.db, readCurrent, systemClock, (signal) => removeOldFiles(files, signal)),
    auditRetention(jobsDb.db, signing, systemClock, readCurrent, targetsOf(config)),
    exportWorker({ ...files, databaseUrl, replica, parameters }),
  ];
}

/** Jobs that every sidecar runs. */
function ownRounds({ config, jobsDb, system, worker, telemetry }: JobParts): Job[] {
  return [
    portalReportJob(jobsDb.db, { ...config, name: config.portalName ?? worker.host, system }),
    telemetryFlushJob(telemetry),
  ];
}

/** Probes go on during a rest. */
const probesOf = (
  { jobsDb, telemetry }: JobParts,
  fleet: Fleet,
  state: { parameters: CachedParameters; reader: AgendaReader; rest: Rest },
): Task => probeJob(jobsDb.db, { ...fleet, remote: fleet.dispatchers }, { ...state, telemetry });

/** Tasks that only the leader runs. */
function sharedTasks(
  { config, log, jobsDb, snapshotDb, worker }: JobParts,
  fleet: Fleet,
  parameters: CachedParameters,
): Task[] {
  const { db } = jobsDb;
  return [
    sealJob(db, fleet.signing, systemClock),
    refusalsJob(db, systemClock),
    ...forwardJobs(db, config, worker.host, log),
    circuitJob(fleet, parameters),
    maintenanceJob(fleet, parameters),
    snapshotJob({ ...fleet, db: snapshotDb.db }, parameters),
    failingFarmsJob({ ...fleet, db: snapshotDb.db }),
    newFarmsJob({ ...fleet, db: snapshotDb.db }),
    certificateJob(db, systemClock),
    gatewayJob(db, systemClock),
    tunnelSweepJob(db),
    keyLogOutJob(fleet),
    providerCheckTask({ ...fleet, parameters }),
    telemetryJob(db),
  ];
}

/** Tasks of the leader that pass events on. Deliveries have their own connections to the database. */
function eventTasks(
  { config, eventsDb, log, telemetry, webhookTransport: transport }: JobParts,
  { clock, sealer }: Fleet,
  parameters: CachedParameters,
): Task[] {
  const { smtpUrl, smtpFrom, baseUrl } = config;
  const { db } = eventsDb;
  const mailer = smtpUrl && smtpFrom ? createMailer(smtpUrl, smtpFrom) : undefined;
  const mails = () => mailer !== undefined && recipientsOf(parameters).length > 0;
  return [
    eventTask({ db, clock, mails }),
    webhookTask({ db, clock, sealer, transport, log, telemetry, random: Math.random }),
    ...(mailer ? [alertTask({ db, mailer, baseUrl, parameters, clock, log, telemetry })] : []),
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
