import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { atomically, type Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { enqueueJob } from '../../../db/repositories/jobs/outbox.ts';
import { mustBeCurrent } from '../../../db/repositories/jobs/runs.ts';
import { must } from '../../../db/repositories/records/statements.ts';
import { deleteExpired, expiredRows } from '../../../db/repositories/settings/clean-up.ts';
import { loginLocks } from '../../../db/schema/identity/login-locks.ts';
import { jobOutbox } from '../../../db/schema/jobs/outbox.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { cleanUp } from '../../../functions/health/jobs/clean-up.ts';
import { runEvery } from '../../../functions/health/jobs/process/loop.ts';
import { noteFailedJob } from '../../../functions/health/jobs/queue/failures.ts';
import { outboxJob } from '../../../functions/health/jobs/queue/outbox.ts';
import {
  type AnyWorker,
  type JobRun,
  type Queue,
  startQueue,
} from '../../../functions/health/jobs/queue/queue.ts';
import type { JobKind } from '../../../shared/kernel/job-kinds.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { slowKind } from '../../support/processes/slow-job.ts';
import { programVariables } from '../../support/program-variables.ts';

let database: FreshDatabase;
let connection: Connection;
const log = createLog({ level: 'error' });
const running: { queue: Queue; stopping: AbortController }[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  connection = connectPg({ url: database.sidecarUrl, maxConnections: 6 });
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const { queue, stopping } of running.splice(0)) {
    stopping.abort();
    await queue.stop();
  }
  await connection.db.delete(jobOutbox);
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});

const kind = (name: string, given: Partial<JobKind<{ n: number }>> = {}): JobKind<{ n: number }> => ({
  name,
  payload: z.strictObject({ n: z.int() }),
  tries: 2,
  timeLimitS: 600,
  atOnce: 4,
  ...given,
});

/** A queue with the outbox in front of it, as in a sidecar. */
async function start(workers: readonly AnyWorker[]): Promise<Queue> {
  const stopping = new AbortController();
  const parts = {
    databaseUrl: database.sidecarUrl,
    log,
    stopping: stopping.signal,
    isLeader: () => true,
    pollingS: 1,
    noteFailure: noteFailedJob(connection.db, () => new Date()),
  };
  const queue = await startQueue(parts, workers);
  running.push({ queue, stopping });
  void runEvery(
    outboxJob(connection.db, () => queue),
    log,
    stopping.signal,
  );
  return queue;
}

describe('an enqueued job', () => {
  it('is executed once when its batch is committed, and not at all otherwise', async () => {
    const worked: number[] = [];
    const counted = kind('counted');
    await start([{ kind: counted, work: async ({ n }) => void worked.push(n) }]);
    const { db } = connection;
    await atomically(db, (h) => [enqueueJob(h, counted, { n: 1 }), enqueueJob(h, counted, { n: 2 })]);
    const refused = atomically(db, (h) => [
      enqueueJob(h, counted, { n: 3 }),
      must(h, sql`false`, 'invalid_state'),
    ]);
    await expect(refused).rejects.toThrow();
    await enqueueJob(db, counted, { n: 4 });
    await expect.poll(() => [...worked].sort(), { timeout: 20_000 }).toEqual([1, 2, 4]);
    expect(await db.$count(jobOutbox)).toBe(0);
  });

  it('waits for a sidecar that supports its kind', async () => {
    const known = kind('known');
    const worked: number[] = [];
    await start([{ kind: known, work: async ({ n }) => void worked.push(n) }]);
    const { db } = connection;
    await enqueueJob(db, kind('of-a-later-version'), { n: 1 });
    await enqueueJob(db, known, { n: 2 });
    await expect.poll(() => worked, { timeout: 20_000 }).toEqual([2]);
    expect(await db.select({ kind: jobOutbox.kind }).from(jobOutbox)).toEqual([
      { kind: 'of-a-later-version' },
    ]);
  });

  it('is retried after a failure, with one journal entry after the last attempt', async () => {
    const attempts: number[] = [];
    const broken = kind('broken');
    await start([
      {
        kind: broken,
        work: async (_, { attempt }) => {
          attempts.push(attempt);
          throw new Error('it does not work');
        },
      },
    ]);
    const { db } = connection;
    await enqueueJob(db, broken, { n: 1 });
    const journal = () =>
      db
        .select({ name: monitoringRecords.object_name, details: monitoringRecords.details })
        .from(monitoringRecords)
        .where(eq(monitoringRecords.code, 'job_failed'));
    await expect
      .poll(journal, { timeout: 30_000 })
      .toEqual([{ name: 'broken', details: { error: 'it does not work' } }]);
    expect(attempts).toEqual([0, 1]);
    const [{ id } = { id: '' }] = await db
      .select({ id: monitoringRecords.object_id })
      .from(monitoringRecords)
      .where(eq(monitoringRecords.code, 'job_failed'));
    await noteFailedJob(db, () => new Date())({ id: id ?? '', kind: 'broken', error: 'told again' });
    expect(await journal()).toHaveLength(1);
  }, 40_000);

  it('has no effect by an outdated attempt', async () => {
    const { db } = connection;
    const fenced = kind('fenced');
    const runs: JobRun[] = [];
    const effects = () => db.$count(monitoringRecords, eq(monitoringRecords.code, 'effect'));
    const effect = (run: JobRun) =>
      atomically(db, (h) => [
        mustBeCurrent(h, run),
        h.insert(monitoringRecords).values({
          id: run.id,
          at: new Date(),
          level: 'info',
          code: 'effect',
          message: 'effect',
          message_key: 'effect',
        }),
      ]);
    await start([
      {
        kind: fenced,
        work: async (_, run) => {
          runs.push(run);
          if (run.attempt === 0) throw new Error('taken for dead');
          await expect(effect({ ...run, attempt: 0 })).rejects.toThrow();
          await effect(run);
        },
      },
    ]);
    await enqueueJob(db, fenced, { n: 1 });
    await expect.poll(effects, { timeout: 30_000 }).toBe(1);
    expect(runs.map(({ attempt }) => attempt)).toEqual([0, 1]);
  }, 40_000);
});

describe('a sidecar that stops', () => {
  it.each([
    ['gives up', (signal: AbortSignal) => once(signal, 'abort').then(() => signal.throwIfAborted())],
    ['does not notice', () => new Promise<void>(() => undefined)],
  ])(
    'releases its job, even at its only attempt, to another one: its worker %s',
    async (how, ending) => {
      const { db } = connection;
      const only = kind(`only-${how.replaceAll(' ', '-')}`, { tries: 1 });
      const attempts: number[] = [];
      const stopped = await start([
        {
          kind: only,
          work: (_, { attempt, signal }) => {
            attempts.push(attempt);
            return ending(signal);
          },
        },
      ]);
      await enqueueJob(db, only, { n: 1 });
      await expect.poll(() => attempts, { timeout: 20_000 }).toEqual([0]);
      for (const { stopping } of running.splice(0)) stopping.abort();
      await stopped.stop();
      await start([{ kind: only, work: async (_, { attempt }) => void attempts.push(attempt) }]);
      await expect.poll(() => attempts, { timeout: 30_000 }).toEqual([0, 1]);
      expect(await db.$count(monitoringRecords, eq(monitoringRecords.object_name, only.name))).toBe(0);
    },
    60_000,
  );

  it('starts no further job, and uses up none of its attempts', async () => {
    const late = kind('late', { tries: 1 });
    const attempts: number[] = [];
    const work = async (_: unknown, { attempt }: JobRun) => void attempts.push(attempt);
    const stopped = await start([{ kind: late, work }]);
    const [{ stopping } = { stopping: undefined }] = running;
    stopping?.abort();
    await stopped.boss.send(late.name, { n: 1 });
    const limits = async () =>
      (await stopped.boss.findJobs(late.name)).map(({ state, retryLimit }) => [state, retryLimit]);
    await expect.poll(limits, { timeout: 20_000 }).toEqual([['retry', 1]]);
    await stopped.stop();
    running.length = 0;
    await start([{ kind: late, work }]);
    await expect.poll(() => attempts, { timeout: 30_000 }).toEqual([1]);
  }, 60_000);
});

describe('two sidecars', () => {
  it('execute a job with one visible effect, also when the active one is killed', async () => {
    const { db } = connection;
    const first = await startProcess('first');
    await start([]);
    await relay();
    await enqueueJob(db, slowKind, { holder: 'first' }, {});
    const told = (code: string) =>
      db
        .select({ by: monitoringRecords.object_name })
        .from(monitoringRecords)
        .where(eq(monitoringRecords.code, code));
    await expect.poll(() => told('began'), { timeout: 20_000 }).toEqual([{ by: 'first' }]);
    await startProcess('second');
    first.kill('SIGKILL');
    await expect.poll(() => told('done'), { timeout: 60_000 }).toEqual([{ by: 'second' }]);
    expect(await told('began')).toEqual([{ by: 'first' }, { by: 'second' }]);
  }, 90_000);
});

/** Moves enqueued jobs of the slow kind without executing them. */
async function relay(): Promise<void> {
  const [{ queue, stopping } = {}] = running;
  if (!queue || !stopping) throw new Error('no queue runs');
  void runEvery(
    outboxJob(connection.db, () => ({ ...queue, kinds: [slowKind.name] })),
    log,
    stopping.signal,
  );
}

async function startProcess(name: string): Promise<ChildProcess> {
  const path = fileURLToPath(new URL('../../support/processes/queue-process.ts', import.meta.url));
  const child = spawn(process.execPath, [path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...programVariables, DATABASE_URL: database.sidecarUrl, AS: name },
  });
  children.push(child);
  if (child.stdout) await once(child.stdout, 'data');
  return child;
}

describe('expired rows', () => {
  it('are deleted, and no others', async () => {
    const { db } = connection;
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
    await db.insert(loginLocks).values([
      { account: 'failed long ago', network: 'a', last_failure_at: ago(2) },
      { account: 'failed lately', network: 'a', last_failure_at: ago(0) },
      { account: 'good last week', network: 'a', last_failure_at: ago(2), last_good_at: ago(7) },
      { account: 'locked still', network: 'a', last_failure_at: ago(2), locked_until: ago(-1) },
    ]);
    for (const leftover of expiredRows(parametersFrom(null), new Date()))
      await deleteExpired(db, leftover, new AbortController().signal);
    const left = await db.select({ account: loginLocks.account }).from(loginLocks);
    expect(left.map(({ account }) => account).sort()).toEqual([
      'failed lately',
      'good last week',
      'locked still',
    ]);
  });

  it('are deleted even if others cannot be, and the job is retried', async () => {
    const { db } = connection;
    await db.insert(loginLocks).values({ account: 'forgotten', network: 'a', last_failure_at: new Date(0) });
    const { work } = cleanUp(
      db,
      async () => parametersFrom(null),
      () => new Date(),
      () => Promise.reject(new Error('the object store is away')),
    );
    const run = { id: '', kind: 'clean-up', attempt: 0, signal: new AbortController().signal };
    await expect(work({}, run)).rejects.toThrow('away');
    expect(await db.$count(loginLocks, eq(loginLocks.account, 'forgotten'))).toBe(0);
  });
});
