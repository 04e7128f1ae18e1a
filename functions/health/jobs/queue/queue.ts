import { PgBoss } from 'pg-boss';
import type { SessionReport } from '../../../../db/pg.ts';
import { returnAttempt, returnLostJobs, withoutHeartbeats } from '../../../../db/repositories/jobs/runs.ts';
import type { JobKind } from '../../../../shared/kernel/job-kinds.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import { connectEngine, type EngineDatabase, NotLeader } from './engine.ts';
import { returnOnStop } from './return-on-stop.ts';

/** One attempt at a job. */
export type JobRun = {
  id: string;
  kind: string;
  /** Earlier attempts. */
  attempt: number;
  /** Aborts when the attempt is no longer valid, when the sidecar stops and when it loses the lease. */
  signal: AbortSignal;
};

/** The worker of one kind of job. */
export type WorkerOf<Payload> = {
  kind: JobKind<Payload>;
  work(payload: Payload, run: JobRun): Promise<void>;
};
/** A worker with any payload; each worker parses its own. */
export type AnyWorker = WorkerOf<unknown>;

export type Queue = {
  boss: PgBoss;
  /** Kinds of jobs that the queue runs. */
  kinds: readonly string[];
  /** Makes the workers of these kinds poll immediately. */
  wake(kinds: Iterable<string>): void;
  /**
   * Returns lost jobs to the queue, for example after a lost response of the database. Must be called every few
   * seconds.
   */
  tend(): Promise<void>;
  stop(): Promise<void>;
};

/** An attempt, as the engine passes it to a worker. */
type Attempt = { id: string; data: unknown; retryCount: number; signal: AbortSignal };

type QueueParts = {
  databaseUrl: string;
  log: Log;
  /** Aborts when no further job may start and running jobs must be returned to the queue. */
  stopping: AbortSignal;
  /** False if another sidecar can be the leader; from then on, this sidecar does not access the queue. */
  isLeader(): boolean;
  prepares?: boolean;
  onSession?: (report: SessionReport) => void;
  /** The engine has executed a statement, so that another job or attempt may be due. */
  onStatement?: () => void;
  /** Seconds between polls of a worker that is not woken. */
  pollingS?: number;
  /** Reports a failed job. It is called again after an error, so it must be idempotent. */
  noteFailure(job: FailedJob): Promise<void>;
};

/** A job whose last attempt failed or was lost. */
export type FailedJob = { id: string; kind: string; error: string };

/** The dead-letter queue, for jobs whose last attempt failed. */
const failedJobs = 'failed-jobs';

/** A day: workers are woken when the agenda contains a job for them. */
const longestS = 86_400;
/** Grace period for jobs when the sidecar stops, in milliseconds. */
const graceMs = 5_000;
/** Seconds after which an active job that does not run in this process counts as lost. */
const lostS = 15;

/**
 * Starts the queue in its own database schema, which a migration creates, and runs the given workers. Only one
 * sidecar at a time, the leader, may do so: jobs that are active at the start belong to a previous leader and run
 * again. Each job runs at least once, and is retried after a failure with increasing delays.
 * @throws Error if the database is unavailable
 */
export async function startQueue(parts: QueueParts, workers: readonly AnyWorker[]): Promise<Queue> {
  const { log, stopping, isLeader, noteFailure } = parts;
  const db = connectEngine(parts);
  const worked = new Set<string>();
  const lastError: LastError = { at: undefined };
  const boss = createBoss(parts, db, lastError);
  const stop = async (graceful: boolean): Promise<void> => {
    await boss.stop({ graceful, timeout: graceMs });
    // Waits for the statements of workers that do not end within the grace period.
    void db.close();
  };
  try {
    await boss.start();
    await db.executeSql(withoutHeartbeats);
    await returnLostToQueue(db, worked, 0);
    const { pollingS = longestS } = parts;
    const context = { boss, db, log, stopping, worked, pollingS };
    const ids = new Map([[failedJobs, await startJournal(context, noteFailure)]]);
    for (const worker of workers) ids.set(worker.kind.name, await startWorker(context, worker));
    return {
      boss,
      kinds: workers.map(({ kind }) => kind.name),
      wake: (kinds) => {
        for (const kind of new Set(kinds)) wakeWorker(boss, ids.get(kind));
      },
      tend: () => returnLost(db, worked, lastError),
      stop: () => stop(isLeader()),
    };
  } catch (error) {
    await stop(false).catch(() => undefined);
    throw error;
  }
}

/** Time of the last failed statement of the engine. If its response was lost, an attempt can be lost with it. */
type LastError = { at: number | undefined };

function createBoss({ log, isLeader }: QueueParts, db: EngineDatabase, lastError: LastError): PgBoss {
  const boss = new PgBoss({
    db,
    // The owner of the database owns the schema and its indexes.
    migrate: false,
    reindex: false,
    // Workers enforce the time limits of jobs, a new leader returns the jobs of the former one to the queue, and the
    // hourly jobs order themselves and remove old ones.
    schedule: false,
    supervise: false,
    queueCacheIntervalSeconds: longestS,
  });
  boss.on('error', (error) => {
    lastError.at = performance.now();
    if (isLeader()) log.warn('the job queue reported an error', { error });
  });
  return boss;
}

async function returnLost(
  db: EngineDatabase,
  worked: ReadonlySet<string>,
  lastError: LastError,
): Promise<void> {
  const { at } = lastError;
  if (at === undefined || performance.now() - at < lostS * 1000) return;
  await returnLostToQueue(db, worked, lostS);
  if (lastError.at === at) lastError.at = undefined;
}

/** Shared state of the workers of a queue. `worked` contains the ids of the jobs that this process runs. */
type Context = {
  boss: PgBoss;
  db: EngineDatabase;
  log: Log;
  stopping: AbortSignal;
  worked: Set<string>;
  pollingS: number;
};

async function returnLostToQueue(
  db: EngineDatabase,
  worked: ReadonlySet<string>,
  seconds: number,
): Promise<void> {
  const { text, values } = returnLostJobs([...worked], seconds);
  await db.executeSql(text, values);
}

const wakeWorker = (boss: PgBoss, id: string | undefined): void => {
  if (id !== undefined) boss.notifyWorker(id);
};

async function startWorker(context: Context, { kind, work }: AnyWorker): Promise<string> {
  const { boss, log, stopping, worked, pollingS } = context;
  await defineKind(boss, kind.name, {
    retryLimit: kind.tries - 1,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 300,
    expireInSeconds: kind.timeLimitS,
    deadLetter: failedJobs,
    ...(kind.hourlyAt !== undefined && { policy: 'exclusive' }),
  });
  // An earlier version has used the schedules of the engine.
  await boss.unschedule(kind.name);
  const options = { pollingIntervalSeconds: pollingS, localConcurrency: kind.atOnce };
  return boss.work<unknown>(kind.name, options, async (jobs) => {
    for (const job of jobs) await attempt(job);
  });

  async function attempt({ id, data, retryCount, signal }: Attempt): Promise<void> {
    const logFields = { job: kind.name, id, attempt: retryCount };
    const run = { id, kind: kind.name, attempt: retryCount, signal: AbortSignal.any([signal, stopping]) };
    const stopHandler = returnOnStop(stopping, () => returnToQueue(context, run));
    worked.add(id);
    try {
      stopping.throwIfAborted();
      await work(kind.payload.parse(data), run);
    } catch (error) {
      await stopHandler.settled();
      if (stopping.aborted) log.info('a job is returned to the queue', logFields);
      else log.warn('an attempt of a job failed', { ...logFields, error });
      throw error;
    } finally {
      worked.delete(id);
      stopHandler.forget();
    }
  }
}

async function returnToQueue({ db, log }: Context, run: JobRun): Promise<void> {
  const { text, values } = returnAttempt(run);
  try {
    await db.executeSql(text, values);
  } catch (error) {
    // The next leader returns all jobs to the queue. Without a new leader, the job loses one of its attempts.
    if (!(error instanceof NotLeader))
      log.warn('a job could not be returned to the queue', { job: run.kind, id: run.id, error });
  }
}

/** Reports the jobs in the dead-letter queue. */
async function startJournal(
  { boss, worked, pollingS }: Context,
  note: QueueParts['noteFailure'],
): Promise<string> {
  await defineKind(boss, failedJobs, { retryLimit: 1_000, retryDelay: 5 });
  const options = { pollingIntervalSeconds: pollingS, includeMetadata: true } as const;
  return boss.work(failedJobs, options, async (jobs) => {
    for (const { id, sourceId, sourceName, sourceOutput } of jobs) {
      worked.add(id);
      await note({
        id: sourceId ?? id,
        kind: sourceName ?? failedJobs,
        error: messageOf(sourceOutput),
      }).finally(() => worked.delete(id));
    }
  });
}

/** The engine stores the error of an attempt as an object. */
const messageOf = (output: object | null): string =>
  output !== null && 'message' in output && typeof output.message === 'string' ? output.message : '';

/**
 * Creates the queue of a kind of job, or updates its settings to those of this version. The policy of an existing
 * queue cannot change.
 */
async function defineKind(boss: PgBoss, name: string, options: Parameters<PgBoss['createQueue']>[1]) {
  await boss.createQueue(name, options);
  const { policy: _, ...rest } = options ?? {};
  if (Object.keys(rest).length > 0) await boss.updateQueue(name, rest);
}
