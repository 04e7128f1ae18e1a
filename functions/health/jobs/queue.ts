import { PgBoss } from 'pg-boss';
import { handBackAttempt } from '../../../db/repositories/job-runs.ts';
import type { JobKind } from '../../../shared/kernel/job-kinds.ts';
import type { Log } from '../../../shared/kernel/log.ts';

/** One attempt at a job. */
export type JobRun = {
  id: string;
  kind: string;
  /** Earlier attempts. */
  attempt: number;
  /** Aborts when the attempt is taken away, or the sidecar stops, which costs the job no try: it is worked again. */
  signal: AbortSignal;
};

/** What this sidecar can work. */
export type WorkerOf<Payload> = {
  kind: JobKind<Payload>;
  work(payload: Payload, run: JobRun): Promise<void>;
};
/** Workers of all payloads stand in one list; each parses its own. */
export type AnyWorker = WorkerOf<unknown>;

export type Queue = {
  boss: PgBoss;
  /** Names of what it works. */
  kinds: readonly string[];
  /** Lets workers of these kinds look for jobs now and not only at their next turn. */
  wake(kinds: Iterable<string>): void;
  stop(): Promise<void>;
};

/** An attempt as the engine hands it out. */
type Attempt = { id: string; data: unknown; retryCount: number; signal: AbortSignal };

type QueueParts = {
  databaseUrl: string;
  log: Log;
  stopping: AbortSignal;
  /** Tells whoever looks after the installation; asked again when it fails, so it must know what it has told. */
  noteFailure(job: FailedJob): Promise<void>;
};

/** A job whose last attempt failed, or of whose last attempt nothing was heard any more. */
export type FailedJob = { id: string; kind: string; error: string };

/** Where jobs end whose last attempt failed. */
const failedJobs = 'failed-jobs';

/** Seconds without a sign of life after which another sidecar takes a job; the engine's least. */
const heartbeatS = 10;
const pollingS = 1;
/** Milliseconds that a job may take to give up when the sidecar stops. */
const graceMs = 5_000;

/**
 * Starts the queue in its own schema of the database, which a migration has made, and works the given kinds.
 * Each job is worked at least once: by one sidecar at a time, again after a failure with growing delays, and by
 * another one when its sidecar dies.
 * @throws Error when the database is away
 */
export async function startQueue(
  { databaseUrl, log, stopping, noteFailure }: QueueParts,
  workers: readonly AnyWorker[],
): Promise<Queue> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'aggregator-queue',
    max: 4,
    // The schema and its indexes belong to the owner of the database.
    migrate: false,
    reindex: false,
    connectionTimeoutMillis: 5_000,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  });
  boss.on('error', (error) => log.warn('the job queue', { error }));
  try {
    await boss.start();
    await startJournal(boss, noteFailure);
    const ids = new Map<string, string>();
    for (const worker of workers) ids.set(worker.kind.name, await startWorker(boss, worker, log, stopping));
    return {
      boss,
      kinds: [...ids.keys()],
      wake: (kinds) => {
        for (const kind of new Set(kinds)) wakeWorker(boss, ids.get(kind));
      },
      stop: () => boss.stop({ graceful: true, timeout: graceMs }),
    };
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw error;
  }
}

const wakeWorker = (boss: PgBoss, id: string | undefined): void => {
  if (id !== undefined) boss.notifyWorker(id);
};

async function startWorker(
  boss: PgBoss,
  { kind, work }: AnyWorker,
  log: Log,
  stopping: AbortSignal,
): Promise<string> {
  await defineKind(boss, kind.name, {
    retryLimit: kind.tries - 1,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 300,
    expireInSeconds: kind.timeLimitS,
    heartbeatSeconds: heartbeatS,
    deadLetter: failedJobs,
    ...(kind.cron !== undefined && { policy: 'exclusive' }),
  });
  if (kind.cron === undefined) await boss.unschedule(kind.name);
  else await boss.schedule(kind.name, kind.cron, {}, { tz: 'UTC' });
  const options = { pollingIntervalSeconds: pollingS, localConcurrency: kind.atOnce };
  return boss.work<unknown>(kind.name, options, async (jobs) => {
    for (const job of jobs) await attempt(job);
  });

  async function attempt({ id, data, retryCount, signal }: Attempt): Promise<void> {
    const told = { job: kind.name, id, attempt: retryCount };
    const run = { id, kind: kind.name, attempt: retryCount, signal: AbortSignal.any([signal, stopping]) };
    const handing = handedBackOn(stopping, () => handBack(boss, run, log));
    try {
      stopping.throwIfAborted();
      await work(kind.payload.parse(data), run);
    } catch (error) {
      await handing.settled();
      if (stopping.aborted) log.info('a job is handed back', told);
      else log.warn('an attempt at a job failed', { ...told, error });
      throw error;
    } finally {
      handing.forget();
    }
  }
}

/**
 * Hands a job back at the moment at which the sidecar stops, and not only when its worker gives up: a worker that does
 * not is cut off by the engine.
 */
function handedBackOn(stopping: AbortSignal, handBack: () => Promise<void>) {
  let handed: Promise<void> | undefined;
  const onStop = () => {
    handed = handBack();
  };
  if (stopping.aborted) onStop();
  else stopping.addEventListener('abort', onStop, { once: true });
  return {
    settled: async () => handed,
    forget: () => stopping.removeEventListener('abort', onStop),
  };
}

async function handBack(boss: PgBoss, run: JobRun, log: Log): Promise<void> {
  const { text, values } = handBackAttempt(run);
  try {
    await boss.getDb().executeSql(text, values);
  } catch (error) {
    // It costs the job one of its tries, no more.
    log.warn('a job could not be handed back', { job: run.kind, id: run.id, error });
  }
}

/** Works the jobs that failed for good. */
async function startJournal(boss: PgBoss, note: QueueParts['noteFailure']): Promise<void> {
  await defineKind(boss, failedJobs, { retryLimit: 1_000, retryDelay: 5, heartbeatSeconds: heartbeatS });
  const options = { pollingIntervalSeconds: pollingS, includeMetadata: true } as const;
  await boss.work(failedJobs, options, async (jobs) => {
    for (const { id, sourceId, sourceName, sourceOutput } of jobs)
      await note({ id: sourceId ?? id, kind: sourceName ?? failedJobs, error: messageOf(sourceOutput) });
  });
}

/** The engine keeps what an attempt threw as an object. */
const messageOf = (output: object | null): string =>
  output !== null && 'message' in output && typeof output.message === 'string' ? output.message : '';

/** Makes the queue of a kind, or gives the one that is there the settings of this version; only its policy is for good. */
async function defineKind(boss: PgBoss, name: string, options: Parameters<PgBoss['createQueue']>[1]) {
  await boss.createQueue(name, options);
  const { policy: _, ...rest } = options ?? {};
  if (Object.keys(rest).length > 0) await boss.updateQueue(name, rest);
}
