import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asc, eq, isNull } from 'drizzle-orm';
import { Agent } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { countRefusal } from '../../../db/repositories/audit/refusals.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { jobWorkers } from '../../../db/schema/jobs/workers.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { createDispatcherState } from '../../simulator/data/seed.ts';
import type { Knobs } from '../../simulator/faults.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { verdictOf } from '../../support/audit/audit.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { addNode } from '../../support/installation.ts';
import { accessKeys, askOver, checkPath, metricsPath, token } from '../../support/monitoring/health-port.ts';
import {
  exitOf,
  launchSidecar,
  type Sidecar,
  secretKey,
  signingKey,
  startSidecar as start,
} from '../../support/processes/sidecar-process.ts';

const baseUrl = 'https://localhost:8443';
const domain = {
  authUuid: '0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11',
  authSmallName: 'CORP',
  auth: 'Corporation',
};

let database: FreshDatabase;
let admin: Connection;
let folder: string;
let agent: Agent;
const sidecars: Sidecar[] = [];
const simulators: Simulator[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  admin = connectPg({ url: database.ownerUrl, maxConnections: 2 });
  await admin.db
    .insert(systemParameters)
    .values({ name: 'aggregator.health_interval_s', value: 1, updated_at: new Date() });
  folder = await mkdtemp(join(tmpdir(), 'sidecar-'));
  const { caFile } = await ensureLocalTls(join(folder, 'tls'), []);
  agent = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') } });
});
beforeEach(() => admin.db.delete(dispatchers));
afterEach(async () => {
  await Promise.all(sidecars.splice(0).map((sidecar) => sidecar.stop()));
  await Promise.all(simulators.splice(0).map((simulator) => simulator.close()));
});
afterAll(async () => {
  await agent.destroy();
  await admin.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const place = () => ({ databaseUrl: database.sidecarUrl, folder });
const launch = (env: Record<string, string>) => launchSidecar(place(), env);

async function startSidecar(env: Record<string, string> = {}): Promise<Sidecar> {
  const sidecar = await start(place(), env);
  sidecars.push(sidecar);
  return sidecar;
}

async function simulate(
  knobs: Partial<Knobs> = {},
  certificate: 'good' | 'expired' = 'good',
): Promise<Simulator> {
  const keys = await createSigningKeys([signingKey], baseUrl);
  const simulator = await startSimulator({
    state: createDispatcherState({ name: `node-${newId()}`, domains: [domain], pools: [] }),
    jwks: async () => keys.jwks,
    issuer: baseUrl,
    knobs,
    certificate,
  });
  simulators.push(simulator);
  return simulator;
}

/** Registers a simulator as the only node of a site of its own. */
async function register(
  { url, caPem, name }: Simulator,
  given: { healthKey?: string } & Partial<typeof dispatchers.$inferInsert> = {},
): Promise<string> {
  const { healthKey, ...row } = given;
  const id = newId();
  const sealer = await createSealer([secretKey]);
  const health_key = healthKey
    ? await sealer.seal(healthKey, { table: 'dispatchers', row: id, column: 'health_key' })
    : null;
  await addNode(admin.db, { id, name, url, ca_certificate: caPem, timeout_ms: 700, health_key, ...row });
  return id;
}

async function rowOf(id: string) {
  const [row] = await admin.db.select().from(dispatchers).where(eq(dispatchers.id, id));
  if (!row) throw new Error('the node is gone');
  return row;
}

/** The row after its first probe. */
const probed = (id: string) =>
  expect.poll(() => rowOf(id), { timeout: 10_000 }).toMatchObject({ last_check_at: expect.any(Date) });

test('any number of sidecars seal the audit and write the counted refusals', async () => {
  const { db } = admin;
  const at = new Date(Date.now() - 120_000);
  const event = {
    at,
    event: 'portal.AccessRefused',
    category: 'auth',
    level: 'warning',
    result: 'failure',
  } as const;
  for (let n = 0; n < 3; n++) await countRefusal(db, 'somebody', { ...event, id: newId() });
  await Promise.all([startSidecar(), startSidecar()]);
  const unsealed = () => db.$count(auditEvents, isNull(auditEvents.seq));
  const counts = async () => (await db.select().from(auditEvents)).map(({ count }) => count).sort();
  await expect.poll(counts, { timeout: 10_000 }).toEqual([1, 2]);
  await expect.poll(unsealed, { timeout: 10_000 }).toBe(0);
  const verdict = await verdictOf(db, { from: 1, to: 10, limit: 10 });
  expect(verdict).toEqual({ checked: 2, sealedTo: 2, broken: null });
});

describe('a probe of the sidecar', () => {
  test('writes the results of each kind of node, and changes nothing else in its row', async () => {
    const good = await simulate();
    const ids = {
      healthy: await register(good, { healthKey: good.healthKey }),
      failing: await registerNew({ health: 'fail' }, { healthKey: 'health-key' }),
      refusing: await registerNew({}, { healthKey: 'another key' }),
      byDomains: await registerNew(),
      hanging: await registerNew({ hang: 'headers' }),
      expired: await register(await simulate({}, 'expired')),
      unreadable: await register(good, { name: 'unreadable', health_key: 'not.sealed.byus' }),
      disabled: await registerNew({}, { enabled: false }),
    };
    const before = await rowOf(ids.healthy);
    await startSidecar();
    for (const id of Object.values(ids).slice(0, -1)) await probed(id);
    expect(await rowOf(ids.healthy)).toEqual({
      ...before,
      status: 'pass',
      version: '1',
      last_check_at: expect.any(Date),
      response_time_ms: expect.any(Number),
      certificate: {
        subject: expect.stringContaining('CN='),
        issuer: expect.stringContaining('CN='),
        not_before: expect.stringMatching(/^\d{4}-/),
        not_after: expect.stringMatching(/^\d{4}-/),
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    expect(await rowOf(ids.failing)).toMatchObject({ status: 'fail', last_error: 'reported_fail' });
    const refusal = { status: 'unauthorized', last_error: 'upstream_refused:unauthorized' };
    expect(await rowOf(ids.refusing)).toMatchObject({ ...refusal, response_time_ms: null });
    const domains = { domains: [domain], domains_at: expect.any(Date) };
    expect(await rowOf(ids.byDomains)).toMatchObject({ status: 'pass', last_error: null, ...domains });
    expect(await rowOf(ids.hanging)).toMatchObject({ status: 'fail', last_error: 'upstream_timeout' });
    expect(await rowOf(ids.expired)).toMatchObject({
      status: 'fail',
      last_error: 'upstream_tls:expired',
      certificate: { not_after: expect.stringMatching(/^\d{4}-/) },
    });
    const unreadable = { status: 'fail', last_error: 'internal:health_key_unreadable' };
    expect(await rowOf(ids.unreadable)).toMatchObject(unreadable);
    expect(await rowOf(ids.disabled)).toMatchObject({ status: 'unknown', last_check_at: null });
  });

  test('is repeated every interval, and the health check follows', async () => {
    const simulator = await simulate();
    const id = await register(simulator);
    const { url } = await startSidecar();
    const overall = async () =>
      (await askOver(agent, `${url}${checkPath}`, { headers: token(accessKeys.check) })).status;
    await expect.poll(overall, { timeout: 10_000 }).toBe(200);
    // A new node counts as healthy until its first probe has ended.
    await expect.poll(() => rowOf(id), { timeout: 10_000 }).toMatchObject({ status: 'pass' });
    simulator.knobs.failing = 500;
    const failed = { status: 'fail', last_error: 'upstream_failed:server_error' };
    await expect.poll(() => rowOf(id), { timeout: 10_000 }).toMatchObject(failed);
    await expect.poll(overall, { timeout: 10_000 }).toBe(503);
    simulator.knobs.failing = null;
    await expect.poll(overall, { timeout: 10_000 }).toBe(200);
    expect(await rowOf(id)).toMatchObject({ status: 'pass', last_error: null, domains: [domain] });
    const records = await admin.db
      .select()
      .from(monitoringRecords)
      .where(eq(monitoringRecords.object_id, id))
      .orderBy(asc(monitoringRecords.at));
    const object_name = simulator.name;
    expect(records).toMatchObject([
      { code: 'dispatcher_fail', object_name, details: { last_error: 'upstream_failed:server_error' } },
      { code: 'dispatcher_pass', object_name, details: { last_error: null } },
    ]);
  });
});

describe('the sidecar process', () => {
  test('serves both endpoints over HTTPS, each with its key', async () => {
    const { url } = await startSidecar();
    expect(url).toMatch(/^https:\/\/localhost:\d+$/);
    const metrics = await askOver(agent, `${url}${metricsPath}`, { headers: token(accessKeys.metrics) });
    expect([metrics.status, metrics.text.includes('version_info{version="7.0"} 1.0')]).toEqual([200, true]);
    expect((await askOver(agent, `${url}${checkPath}`)).status).toBe(401);
    const check = await askOver(agent, `${url}${checkPath}`, { headers: token(accessKeys.check) });
    expect([check.status, JSON.parse(check.text).status]).toEqual([200, 'pass']);
  });

  test('may run twice concurrently, and one that ends deletes its entry and exits with 0', async () => {
    const id = await register(await simulate());
    const [first, second] = await Promise.all([startSidecar(), startSidecar()]);
    const workers = async () => (await admin.db.select().from(jobWorkers)).length;
    await expect.poll(workers, { timeout: 10_000 }).toBe(2);
    await probed(id);
    expect(await first.stop()).toEqual({ code: 0, errors: '' });
    expect(await workers()).toBe(1);
    const { text } = await askOver(agent, `${second.url}${checkPath}`, { headers: token(accessKeys.check) });
    expect(JSON.parse(text).checks['celery:connectionTest']).toHaveLength(2);
    expect(await second.stop()).toEqual({ code: 0, errors: '' });
  });

  test('ends within its time limit while a node hangs', async () => {
    const id = await registerNew({ hang: 'headers' }, { timeout_ms: 20_000 });
    const { stop } = await startSidecar();
    const [simulator] = simulators;
    await expect.poll(() => simulator?.inFlight, { timeout: 10_000 }).toBeGreaterThan(0);
    const startedAt = performance.now();
    expect((await stop()).code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    expect((await rowOf(id)).status).toBe('unknown');
  });

  test('answers within a second while every node of every site hangs', async () => {
    for (let n = 0; n < 8; n++) await registerNew({ hang: 'headers' }, { timeout_ms: 20_000 });
    const { url } = await startSidecar();
    await expect
      .poll(() => simulators.filter(({ inFlight }) => inFlight > 0).length, { timeout: 10_000 })
      .toBeGreaterThan(3);
    for (const [path, key] of [
      [checkPath, accessKeys.check],
      [metricsPath, accessKeys.metrics],
    ] as const)
      expect((await askOver(agent, `${url}${path}`, { headers: token(key) })).tookMs).toBeLessThan(1_000);
  });

  test('survives an unavailable database, and reports it', async () => {
    const { url } = await startSidecar({ DATABASE_URL: 'postgres://app:s3cret@127.0.0.1:1/app' });
    const { status, text } = await askOver(agent, `${url}${checkPath}`, { headers: token(accessKeys.check) });
    expect(status).toBe(503);
    expect(text).not.toContain('s3cret');
  });

  test('reports in one line that its port is in use, and exits with 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const child = launch({ HEALTH_PORT: String(port) });
    expect(await exitOf(child)).toBe(1);
    const expected = `HEALTH_PORT: 127.0.0.1:${port} is in use by another program; stop it, or set another port\n`;
    expect(child.errors()).toBe(expected);
    taken.close();
  });

  test('reports in one line that the URL of its database is missing', async () => {
    const child = launch({ DATABASE_URL: '' });
    expect(await exitOf(child)).toBe(1);
    expect(child.errors()).toMatch(/^DATABASE_SIDECAR_URL or DATABASE_URL: required.*\n$/);
  });
});

async function registerNew(
  knobs: Partial<Knobs> = {},
  given: Parameters<typeof register>[1] = {},
): Promise<string> {
  return register(await simulate(knobs), given);
}
