import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNull, sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectPg, type PgConnection } from '../../../db/pg.ts';
import { enqueueJob } from '../../../db/repositories/jobs/outbox.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { leases } from '../../../db/schema/jobs/leases.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { EmptyPayload } from '../../../shared/kernel/job-kinds.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { verdictOf } from '../../support/audit/audit.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { expireLease } from '../../support/processes/leader.ts';
import { type Sidecar, startSidecar } from '../../support/processes/sidecar-process.ts';
import { requireService } from '../../support/services.ts';

const cleanUp = { name: 'clean-up', payload: EmptyPayload, tries: 3, timeLimitS: 900, atOnce: 1 };
/** Twice the documented time: other tests load the machine concurrently. */
const withinTime = { timeout: 60_000 };

let database: FreshDatabase;
let admin: PgConnection;
let folder: string;
const sidecars: Sidecar[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  admin = connectPg({ url: database.superuserUrl, maxConnections: 2 });
  folder = await mkdtemp(join(tmpdir(), 'sidecar-'));
});
afterEach(async () => {
  await Promise.all(sidecars.splice(0).map((sidecar) => sidecar.kill()));
  await expireLease(admin.db);
});
afterAll(async () => {
  await admin.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const hasLed = (sidecar: Sidecar): number =>
  sidecar.errors().split('this sidecar has acquired the lease').length - 1;

/** Two sidecars, of which the first is the leader. */
async function startTwo(): Promise<{ leader: Sidecar; standby: Sidecar }> {
  const start = async () => {
    const sidecar = await startSidecar({ databaseUrl: database.sidecarUrl, folder }, { LOG_LEVEL: 'info' });
    sidecars.push(sidecar);
    return sidecar;
  };
  const leader = await start();
  await expect.poll(() => hasLed(leader), withinTime).toBe(1);
  return { leader, standby: await start() };
}

const rowsOf = async (statement: ReturnType<typeof sql>) =>
  ((await admin.db.execute(statement)) as unknown as { rows: Record<string, unknown>[] }).rows;
const jobs = () =>
  rowsOf(sql`select state::text, retry_limit - retry_count as tries_left from pgboss.job
  where name = 'clean-up' order by created_on`);
const unsealed = () => admin.db.$count(auditEvents, isNull(auditEvents.seq));
const writeEvents = (count: number) =>
  admin.db.insert(auditEvents).values(
    Array.from({ length: count }, () => ({
      id: newId(),
      at: new Date(),
      event: 'portal.UserLogin',
      category: 'auth' as const,
      level: 'info' as const,
      result: 'success' as const,
    })),
  );

/** A lock that blocks others, held by a separate client. */
async function hold(statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  // A failed test has not released it, and the database is dropped.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`begin; ${statement}`);
  return () => client.end();
}
const waiting = async (query: string) =>
  (
    await rowsOf(sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${query}`)
  ).length;

requireService('postgresql', findBinaries() !== undefined)('of two sidecars', () => {
  it('the standby runs the jobs of a frozen leader, which then becomes a standby', async () => {
    const { leader, standby } = await startTwo();
    // Frozen during a sealing statement and a job.
    const release = await hold(
      `lock table service_lists; select from guards where name = 'audit' for update`,
    );
    await Promise.all([writeEvents(20), enqueueJob(admin.db, cleanUp, {})]);
    await expect.poll(() => waiting('delete from "service_lists"%'), withinTime).toBeGreaterThan(0);
    await expect.poll(() => waiting('select seal_audit%'), withinTime).toBeGreaterThan(0);
    leader.signal('SIGSTOP');
    await release();
    // The lease expires 20 s after its last renewal, and a standby checks every two seconds.
    await expect.poll(() => hasLed(standby), { timeout: 30_000 }).toBe(1);
    await writeEvents(20);
    await expect.poll(unsealed, withinTime).toBe(0);
    // The attempt of the frozen leader does not count for the job.
    await expect.poll(jobs, withinTime).toEqual([{ state: 'completed', tries_left: cleanUp.tries - 1 }]);
    leader.signal('SIGCONT');
    await expect.poll(() => leader.errors(), withinTime).toContain('the lease of the sidecars is lost');
    await writeEvents(20);
    await expect.poll(unsealed, withinTime).toBe(0);
    expect(await jobs()).toEqual([{ state: 'completed', tries_left: cleanUp.tries - 1 }]);
    expect(await verdictOf(admin.db, { from: 1, to: 100, limit: 100 })).toEqual({
      checked: 60,
      sealedTo: 60,
      broken: null,
    });
    expect(await admin.db.$count(monitoringRecords)).toBe(0);
    expect([hasLed(leader), hasLed(standby)]).toEqual([1, 1]);
    expect(await admin.db.select({ fence: leases.fence }).from(leases)).toEqual([{ fence: 2 }]);
  }, 180_000);

  it('the standby takes over from a killed leader, and its job loses no attempt', async () => {
    const { leader, standby } = await startTwo();
    const before = (await jobs()).length;
    const release = await hold('lock table service_lists');
    await enqueueJob(admin.db, cleanUp, {});
    await expect.poll(() => waiting('delete from "service_lists"%'), withinTime).toBeGreaterThan(0);
    await leader.kill();
    await release();
    await writeEvents(5);
    const ended = { state: 'completed', tries_left: cleanUp.tries - 1 };
    await expect.poll(async () => (await jobs()).slice(before), withinTime).toEqual([ended]);
    await expect.poll(unsealed, withinTime).toBe(0);
    expect(hasLed(standby)).toBe(1);
  }, 180_000);

  it('the standby takes over at once from a leader that stops', async () => {
    const { leader, standby } = await startTwo();
    const [before] = await rowsOf(sql`select fence from leases`);
    const { code } = await leader.stop();
    expect(code).toBe(0);
    expect(
      await rowsOf(sql`select expires_at <= now() or fence > ${before?.fence} as is_free from leases`),
    ).toEqual([{ is_free: true }]);
    await expect.poll(() => hasLed(standby), { timeout: 15_000 }).toBe(1);
    await writeEvents(5);
    await expect.poll(unsealed, withinTime).toBe(0);
  }, 120_000);
});

describe('while the leader is active', () => {
  it('a standby seals nothing, runs no job, and takes no lease', async () => {
    const { leader, standby } = await startTwo();
    const completed = async () => (await jobs()).filter(({ state }) => state === 'completed').length;
    const before = await completed();
    await Promise.all([writeEvents(5), enqueueJob(admin.db, cleanUp, {})]);
    await expect.poll(unsealed, withinTime).toBe(0);
    await expect.poll(completed, withinTime).toBe(before + 1);
    // It has requested the lease a few times by then.
    const names = await rowsOf(sql`select distinct application_name from pg_stat_activity
      where datname = current_database() and application_name like 'aggregator-%' order by 1`);
    expect(names).toEqual([
      { application_name: 'aggregator-listener' },
      { application_name: 'aggregator-queue' },
      { application_name: 'aggregator-sidecar' },
    ]);
    const queues = await rowsOf(sql`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and application_name = 'aggregator-queue'`);
    expect(Number(queues[0]?.n)).toBeLessThanOrEqual(4);
    expect([hasLed(leader), hasLed(standby)]).toEqual([1, 0]);
  }, 120_000);
});
