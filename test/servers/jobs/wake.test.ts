import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNull, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectPg, type PgConnection } from '../../../db/pg.ts';
import { enqueueJob } from '../../../db/repositories/jobs/outbox.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { EmptyPayload } from '../../../shared/kernel/job-kinds.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { auditEntry } from '../../support/audit/audit.ts';
import { hasPgbouncer, startPgbouncer } from '../../support/database/pgbouncer.ts';
import { roleOf } from '../../support/monitoring/statement-counts.ts';
import { adminPassword, startPortal, type TestPortal } from '../../support/portal.ts';
import { expireLease } from '../../support/processes/leader.ts';
import { type Sidecar, secretKey, startSidecar } from '../../support/processes/sidecar-process.ts';
import { requireService } from '../../support/services.ts';

const cleanUp = { name: 'clean-up', payload: EmptyPayload, tries: 3, timeLimitS: 900, atOnce: 1 };
const patient = { timeout: 30_000 };
/** The documented time. It includes the time until the test looks. */
const atOnce = { timeout: 1_000, interval: 20 };

let portal: TestPortal;
let admin: PgConnection;
let folder: string;
let token: string;
let made = 0;
const sidecars: Sidecar[] = [];

const unsealed = () => portal.db.$count(auditEvents, isNull(auditEvents.seq));
const listeners = async () =>
  (
    await admin.query({
      text: `select pid from pg_stat_activity where application_name = 'aggregator-listener' and query like 'listen%'
        and datname = current_database()`,
    })
  ).rows.map(({ pid }) => Number(pid));

/** A write of an administrator, which is audited. */
const write = async () =>
  expect(
    (
      await portal.send('POST /api/webui/aggregator/tags', {
        token,
        body: { name: `tag${++made}` },
      })
    ).status,
  ).toBe(201);

async function start(env: Record<string, string> = {}): Promise<Sidecar> {
  const sidecar = await startSidecar({ databaseUrl: portal.database.sidecarUrl, folder }, env);
  sidecars.push(sidecar);
  return sidecar;
}

/** A sidecar that has done its first work and receives notifications. */
async function startListening(): Promise<Sidecar> {
  const sidecar = await start();
  await expect.poll(unsealed, patient).toBe(0);
  await expect.poll(listeners, patient).toHaveLength(1);
  return sidecar;
}

beforeAll(async () => {
  portal = await startPortal({ secretKeys: [secretKey] });
  admin = connectPg({ url: portal.database.superuserUrl, maxConnections: 2 });
  folder = await mkdtemp(join(tmpdir(), 'wake-'));
  token = await portal.login('admin', adminPassword);
});
afterEach(async () => {
  await Promise.all(sidecars.splice(0).map((sidecar) => sidecar.kill()));
  await expireLease(admin.db);
});
afterAll(async () => {
  await admin.close();
  await portal.close();
  await rm(folder, { recursive: true, force: true });
});

requireService('postgresql', findBinaries() !== undefined)('a sidecar with notifications', () => {
  it('seals the event of a request within a second, and those that sent no notification', async () => {
    await startListening();
    for (let n = 0; n < 8; n++) {
      await write();
      await expect.poll(unsealed, atOnce).toBe(0);
    }
  }, 60_000);

  it('runs an enqueued job at once', async () => {
    await startListening();
    const completed = async () =>
      (
        await admin.query({
          text: `select count(*)::int as n from pgboss.job where name = 'clean-up' and state = 'completed'`,
        })
      ).rows[0]?.n;
    // The worker is idle after its first job.
    for (const n of [1, 2]) {
      await enqueueJob(portal.db, cleanUp, {});
      await expect.poll(completed, { timeout: 5_000, interval: 20 }).toBe(n);
    }
  }, 60_000);

  it('replaces a lost connection, and does what was written meanwhile', async () => {
    const sidecar = await startListening();
    const [lost] = await listeners();
    await admin.query({ text: 'select pg_terminate_backend($1)', values: [lost] });
    await expect.poll(() => sidecar.errors(), patient).toContain('the connection for notifications is lost');
    await admin.db.insert(auditEvents).values(auditEntry(++made));
    await expect.poll(unsealed, { timeout: 6_000 }).toBe(0);
    await expect
      .poll(listeners, patient)
      .toSatisfy((pids: number[]) => pids.length === 1 && pids[0] !== lost);
    await write();
    await expect.poll(unsealed, { timeout: 5_000, interval: 20 }).toBe(0);
  }, 60_000);

  it('takes over the released lease of another one at once', async () => {
    const [leader] = [await startListening(), await start({ LOG_LEVEL: 'info' })];
    await expect.poll(listeners, patient).toHaveLength(2);
    expect((await leader.stop()).code).toBe(0);
    await expect
      .poll(() => sidecars[1]?.errors(), { timeout: 3_000 })
      .toContain('this sidecar has acquired the lease');
  }, 60_000);
});

requireService('pgbouncer', hasPgbouncer && findBinaries() !== undefined)(
  'a sidecar without notifications',
  () => {
    it('reports it once, and looks for work every five seconds', async () => {
      const { sidecarUrl, superuserUrl } = portal.database;
      const pooler = await startPgbouncer({ server: superuserUrl, users: [roleOf(sidecarUrl)] });
      try {
        const sidecar = await start({ DATABASE_LISTEN_URL: pooler.through(sidecarUrl) });
        await expect.poll(() => sidecar.errors(), patient).toContain('set DATABASE_LISTEN_URL');
        for (let n = 0; n < 2; n++) {
          await admin.db.execute(sql`insert into audit_events (id, at, event, category, level, result)
          values (gen_random_uuid(), now(), 'portal.UserLogin', 'auth', 'info', 'success')`);
          await expect.poll(unsealed, { timeout: 7_500 }).toBe(0);
        }
        expect(sidecar.errors().split('set DATABASE_LISTEN_URL')).toHaveLength(2);
      } finally {
        await pooler.stop();
      }
    }, 60_000);
  },
);
