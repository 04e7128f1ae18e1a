import { PgBoss } from 'pg-boss';
import type { SessionReport } from '../../../../db/pg.ts';
import { handBackAttempt, handBackLost, withoutHeartbeats } from '../../../../db/repositories/jobs/runs.ts';
import type { JobKind } from '../../../../shared/kernel/job-kinds.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import { connectEngine, type EngineDatabase, NotLeader } from './engine.ts';

/** One attempt at a job. */
export type JobRun = {
  id: string;
  kind: string;
  /** Earlier attempts. */
  attempt: number;
  /** Aborts when the attempt counts no more, and when the sidecar stops or is not the leader any more. */
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
  /** To be called every few seconds: hands back jobs whose attempt was lost with an answer of the database. */
  tend(): Promise<void>;
  stop(): Promise<void>;
};

/** An attempt as the engine hands it out. */
type Attempt = { id: string; data: unknown; retryCount: number; signal: AbortSignal };

type QueueParts = {
  databaseUrl: string;
  log: Log;
  /** Aborts when no further job may begin, and those under way are to be handed back. */
  stopping: AbortSignal;
  /** False when another sidecar may be the leader: from then on the queue is not touched. */
  isLeader(): boolean;
  onSession?: (report: SessionReport) => void;
  /** Tells whoever looks after the installation; asked again when it fails, so it must know what it has told. */
  noteFailure(job: FailedJob): Promise<void>;
};

/** A job whose last attempt failed, or of whose last attempt nothing was heard any more. */
export type FailedJob = { id: string; kind: string; error: string };

/** Where jobs end whose last attempt failed. */
const failedJobs = 'failed-jobs';

const pollingS = 1;
/** Seconds between checks for jobs that exceed their time limit; workers keep to it by themselves. */
const superviseS = 300;
/** Milliseconds that a job may take to give up when the sidecar stops. */
const graceMs = 5_000;
/** Seconds after which a job that is active but not worked here is taken to be lost. */
const lostS = 15;

/**
 * Starts the queue in its own schema of the database, which a migration has made, and works the given kinds. To be run
 * by one sidecar at a time, the leader: jobs that are active at the start belonged to a former one, and run again.
 * Each job is worked at least once, and again after a failure with growing delays.
 * @throws Error when the database is away
 */
export async function startQueue(parts: QueueParts, workers: readonly AnyWorker[]): Promise<Queue> {
  const { log, stopping, isLeader, noteFailure } = parts;
  const db = connectEngine(parts);
  const worked = new Set<string>();
  const trouble: Trouble = { at: undefined };
  const boss = createBoss(parts, db, trouble);
  const stop = async (graceful: boolean): Promise<void> => {
    await boss.stop({ graceful, timeout: graceMs });
    // Waits for the statements of workers that did not give up.
    void db.close();
  };
  try {
    await boss.start();
    await db.executeSql(withoutHeartbeats);
    await handBackOthers(db, worked, 0);
    const context = { boss, db, log, stopping, worked };
    await startJournal(context, noteFailure);
    const ids = new Map<string, string>();
    for (const worker of workers) ids.set(worker.kind.name, await startWorker(context, worker));
    return {
      boss,
      kinds: [...ids.keys()],
      wake: (kinds) => {
        for (const kind of new Set(kinds)) wakeWorker(boss, ids.get(kind));
      },
      tend: () => tend(db, worked, trouble),
      stop: () => stop(isLeader()),
    };
  } catch (error) {
    await stop(false).catch(() => undefined);
    throw error;
  }
}

/** When a statement of the engine last failed; with its answer an attempt may be lost. */
type Trouble = { at: number | undefined };

function createBoss({ log, isLeader }: QueueParts, db: EngineDatabase, trouble: Trouble): PgBoss {
  const boss = new PgBoss({
    db,
    // The schema and its indexes belong to the owner of the database.
    migrate: false,
    reindex: false,
    superviseIntervalSeconds: superviseS,
    monitorIntervalSeconds: superviseS,
  });
  boss.on('error', (error) => {
    trouble.at = performance.now();
    if (isLeader()) log.warn('the job queue', { error });
  });
  return boss;
}

async function tend(db: EngineDatabase, worked: ReadonlySet<string>, trouble: Trouble): Promise<void> {
  const { at } = trouble;
  if (at === undefined || performance.now() - at < lostS * 1000) return;
  await handBackOthers(db, worked, lostS);
  if (trouble.at === at) trouble.at = undefined;
}

/** What the workers of a queue share; `worked` are the ids of the jobs that this process works. */
type Context = { boss: PgBoss; db: EngineDatabase; log: Log; stopping: AbortSignal; worked: Set<string> };

async function handBackOthers(
  db: EngineDatabase,
  worked: ReadonlySet<string>,
  seconds: number,
): Promise<void> {
  const { text, values } = handBackLost([...worked], seconds);
  await db.executeSql(text, values);
}

const wakeWorker = (boss: PgBoss, id: string | undefined): void => {
  if (id !== undefined) boss.notifyWorker(id);
};

async function startWorker(context: Context, { kind, work }: AnyWorker): Promise<string> {
  const { boss, log, stopping, worked } = context;
  await defineKind(boss, kind.name, {
    retryLimit: kind.tries - 1,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 300,
    expireInSeconds: kind.timeLimitS,
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
    const handing = handedBackOn(stopping, () => handBack(context, run));
    worked.add(id);
    try {
      stopping.throwIfAborted();
      await work(kind.payload.parse(data), run);
    } catch (error) {
      await handing.settled();
      if (stopping.aborted) log.info('a job is returned to the queue', told);
      else log.warn('an attempt at a job failed', { ...told, error });
      throw error;
    } finally {
      worked.delete(id);
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

async function handBack({ db, log }: Context, run: JobRun): Promise<void> {
  const { text, values } = handBackAttempt(run);
  try {
    await db.executeSql(text, values);
  } catch (error) {
    // The next leader hands back every job; otherwise it costs the job one of its tries.
    if (!(error instanceof NotLeader))
      log.warn('a job could not be returned to the queue', { job: run.kind, id: run.id, error });
  }
}

/** Works the jobs that failed for good. */
async function startJournal({ boss, worked }: Context, note: QueueParts['noteFailure']): Promise<void> {
  await defineKind(boss, failedJobs, { retryLimit: 1_000, retryDelay: 5 });
  const options = { pollingIntervalSeconds: pollingS, includeMetadata: true } as const;
  await boss.work(failedJobs, options, async (jobs) => {
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

/** The engine keeps what an attempt threw as an object. */
const messageOf = (output: object | null): string =>
  output !== null && 'message' in output && typeof output.message === 'string' ? output.message : '';

/** Makes the queue of a kind, or gives the one that is there the settings of this version; only its policy is for good. */
async function defineKind(boss: PgBoss, name: string, options: Parameters<PgBoss['createQueue']>[1]) {
  await boss.createQueue(name, options);
  const { policy: _, ...rest } = options ?? {};
  if (Object.keys(rest).length > 0) await boss.updateQueue(name, rest);
}
