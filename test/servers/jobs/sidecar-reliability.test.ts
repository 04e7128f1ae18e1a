import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, isNull, sql } from 'drizzle-orm';
import pg from 'pg';
import { Agent } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { enqueueJob } from '../../../db/repositories/jobs/outbox.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { jobOutbox } from '../../../db/schema/jobs/outbox.ts';
import { maintenanceTemplates } from '../../../db/schema/maintenance/templates.ts';
import { maintenanceWindows } from '../../../db/schema/maintenance/windows.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { farms } from '../../../db/schema/sites/farms.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { EmptyPayload } from '../../../shared/kernel/job-kinds.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { type FreezableProxy, startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { addFarm, addSite } from '../../support/installation.ts';
import { accessKeys, askOver, checkPath, token } from '../../support/monitoring/health-port.ts';
import { expireLease } from '../../support/processes/leader.ts';
import { type Sidecar, startSidecar } from '../../support/processes/sidecar-process.ts';

const patient = { timeout: 60_000 };
const cleanUp = { name: 'clean-up', payload: EmptyPayload, tries: 3, timeLimitS: 900, atOnce: 1 };

let database: FreshDatabase;
let admin: Connection;
let proxy: FreezableProxy;
let folder: string;
let agent: Agent;
const sidecars: Sidecar[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  admin = connectPg({ url: database.superuserUrl, maxConnections: 2 });
  proxy = await startFreezableProxy(database.sidecarUrl);
  folder = await mkdtemp(join(tmpdir(), 'sidecar-'));
  const { caFile } = await ensureLocalTls(join(folder, 'tls'), []);
  agent = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') } });
});
afterEach(async () => {
  await Promise.all(sidecars.splice(0).map((sidecar) => sidecar.kill()));
  await expireLease(admin.db);
  // A test that failed early leaves the connection to the database unchanged.
  proxy.thaw();
  proxy.restore();
});
afterAll(async () => {
  await agent.destroy();
  await proxy.close();
  await admin.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function start(databaseUrl = database.sidecarUrl): Promise<Sidecar> {
  const sidecar = await startSidecar({ databaseUrl, folder });
  sidecars.push(sidecar);
  return sidecar;
}

const check = ({ url }: Sidecar) =>
  askOver(agent, `${url}${checkPath}`, { headers: token(accessKeys.check) });
const overall = async (sidecar: Sidecar) => (await check(sidecar)).status;

const states = async () => {
  const { rows } = (await admin.db.execute(
    sql`select state::text from pgboss.job where name = 'clean-up' order by created_on`,
  )) as { rows: { state: string }[] };
  return rows.map(({ state }) => state);
};

/** An event for the sealer, and a job for the queue. */
async function leaveWork(): Promise<void> {
  const event = { event: 'portal.UserLogin', category: 'auth', level: 'info', result: 'success' } as const;
  await admin.db.insert(auditEvents).values({ ...event, id: newId(), at: new Date() });
  await enqueueJob(admin.db, cleanUp, {});
}
const leftWork = async () => [
  await admin.db.$count(auditEvents, isNull(auditEvents.seq)),
  await admin.db.$count(jobOutbox),
  (await states()).filter((state) => state !== 'completed').length,
];

describe('an outage of the database', () => {
  it.each([
    ['does not answer', () => proxy.freeze(), () => proxy.thaw()],
    ['refuses every connection', () => proxy.cut(), () => proxy.restore()],
  ])(
    'is reported by health within a second, and jobs resume afterwards: it %s',
    async (_, leave, comeBack) => {
      const sidecar = await start(proxy.url);
      await leaveWork();
      await expect.poll(leftWork, patient).toEqual([0, 0, 0]);
      await expect.poll(() => overall(sidecar), patient).toBe(200);
      leave();
      const { status, tookMs, text } = await check(sidecar);
      expect([status, JSON.parse(text).checks['database:responseTime'][0].status]).toEqual([503, 'fail']);
      // Its own limit is shorter than a second; the rest is for a busy machine.
      expect(tookMs).toBeLessThan(2_500);
      await leaveWork();
      // Long enough for failed runs, and for the queue to detect the outage.
      await expect.poll(() => sidecar.errors(), patient).toContain('"message":"a scheduled task failed"');
      comeBack();
      await expect.poll(() => overall(sidecar), patient).toBe(200);
      await expect.poll(leftWork, patient).toEqual([0, 0, 0]);
    },
    120_000,
  );
});

describe('a sidecar', () => {
  it('ends on SIGTERM during a job, which another one executes', async () => {
    const holder = new pg.Client({ connectionString: database.ownerUrl });
    await holder.connect();
    await holder.query('begin; lock table service_lists in access exclusive mode');
    const sidecar = await start();
    await enqueueJob(admin.db, cleanUp, {});
    const blocked = async () => {
      const { rows } = (await admin.db.execute(
        sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from "service_lists"%'`,
      )) as { rows: unknown[] };
      return rows.length;
    };
    await expect.poll(blocked, patient).toBeGreaterThan(0);
    const { code, errors } = await sidecar.stop();
    expect(code).toBe(0);
    // It ended by itself, and was not killed after its ten seconds.
    expect(errors).not.toContain('the shutdown was not finished in time');
    await holder.end();
    await start();
    await expect.poll(leftWork, patient).toEqual([0, 0, 0]);
    const { rows } = (await admin.db.execute(
      sql`select max(retry_limit - retry_count) as left_over from pgboss.job where name = 'clean-up' and retry_count > 0`,
    )) as { rows: unknown[] };
    // The number of attempts of a new job.
    expect(rows).toEqual([{ left_over: cleanUp.tries - 1 }]);
  }, 120_000);

  it('that is killed loses no end of a maintenance: another one ends it once', async () => {
    const { db } = admin;
    const [template_id, siteId] = [newId(), (await addSite(db)).id];
    const names = { name: template_id, name_key: template_id, message: 'Soon back' };
    const hour = 3_600_000;
    await db.insert(maintenanceTemplates).values({
      ...names,
      id: template_id,
      start_at: new Date(Date.now() - hour),
      end_at: new Date(Date.now() + hour),
    });
    const farm = await addFarm(db, siteId, { maintenance: true, maintenance_template_id: template_id });
    const journal = async () =>
      (await db.select().from(monitoringRecords).where(eq(monitoringRecords.object_id, farm)))
        .map(({ code }) => code)
        .toSorted();
    const first = await start(proxy.url);
    await expect.poll(journal, patient).toEqual(['maintenance_began']);
    // It is killed during its statements: it is unknown whether they were executed.
    proxy.freeze();
    await db
      .update(maintenanceTemplates)
      .set({ end_at: new Date() })
      .where(eq(maintenanceTemplates.id, template_id));
    await proxy.held();
    await first.kill();
    proxy.thaw();
    await Promise.all([start(), start()]);
    const isKept = async () =>
      (await db.select().from(farms).where(eq(farms.id, farm))).some(({ maintenance }) => maintenance);
    await expect.poll(isKept, patient).toBe(false);
    expect(await journal()).toEqual(['maintenance_began', 'maintenance_ended']);
    expect(await db.$count(maintenanceWindows)).toBe(0);
    expect(await db.$count(auditEvents, eq(auditEvents.object_id, farm))).toBe(1);
  }, 120_000);
});
