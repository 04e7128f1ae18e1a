import { createServer } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { recordHeartbeat, removeWorker } from '../../../db/repositories/jobs/workers.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { type FreezableProxy, startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { addDispatcher, addFarm, addNode, addSite } from '../../support/installation.ts';
import {
  accessKeys,
  checkPath,
  type HealthPort,
  metricsPath,
  portalUrl,
  startHealthPort,
  token,
} from '../../support/monitoring/health-port.ts';
import { startPortal } from '../../support/portal.ts';

let database: FreshDatabase;
let admin: Connection;
let proxy: FreezableProxy;
let port: HealthPort;

beforeAll(async () => {
  database = await freshDatabase();
  admin = connectPg({ url: database.ownerUrl, maxConnections: 2 });
  proxy = await startFreezableProxy(database.sidecarUrl);
  port = await startHealthPort(proxy.url);
});
beforeEach(async () => {
  await admin.db.execute(sql`truncate sites, system_parameters, job_workers cascade`);
  await recordHeartbeat(admin.db, { name: 'host-a/1', host: 'host-a' });
});
afterAll(async () => {
  await port.close();
  await proxy.close();
  await admin.close();
  await database.drop();
});

const check = async (from = port) => {
  const answer = await from.ask(checkPath, { headers: token(accessKeys.check) });
  return { ...answer, report: JSON.parse(answer.text) };
};
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const passing = { status: 'pass', last_check_at: new Date() } as const;
const setParameter = (name: string, value: number | boolean) =>
  admin.db.execute(
    sql`insert into system_parameters values (${name}, ${JSON.stringify(value)}::jsonb, now())`,
  );

describe('the health keys', () => {
  test.each([
    ['no header', {}, 'unauthenticated'],
    ['another scheme', { authorization: `Bearer ${accessKeys.check}` }, 'unauthenticated'],
    ['a wrong key', token('wrong'), 'invalid_token'],
    ['the key of the other endpoint', token(accessKeys.metrics), 'invalid_token'],
    ['a session token', { 'x-auth-token': accessKeys.check }, 'unauthenticated'],
  ])('reject %s with 401 and a problem document', async (_title, headers, code) => {
    const answer = await port.ask(checkPath, { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.headers['www-authenticate']).toBe('Token realm="aggregator health check"');
    expect(JSON.parse(answer.text)).toMatchObject({
      code,
      status: 401,
      instance: answer.headers['x-request-id'],
    });
  });

  test('are named in the 401 when missing, with a resolvable type URI', async () => {
    const refusal = async (path: string, headers = {}) => {
      const answer = await port.ask(path, { headers });
      return { realm: answer.headers['www-authenticate'], text: answer.text, ...JSON.parse(answer.text) };
    };
    const missing = await refusal(checkPath);
    expect(missing).toMatchObject({
      type: `${portalUrl}/api/errors/unauthenticated`,
      detail: 'Send the header `Authorization: Token <key>` with the value of HEALTH_CHECK_ACCESS_KEY as key',
    });
    const wrong = await refusal(metricsPath, token('wrong'));
    expect(wrong).toMatchObject({
      type: `${portalUrl}/api/errors/invalid_token`,
      realm: 'Token realm="aggregator metrics"',
      detail: 'The key in the header Authorization is not the value of METRICS_ACCESS_KEY',
    });
    for (const { text } of [missing, wrong]) expect(text).not.toMatch(/session/i);
    expect((await refusal('/nowhere')).type).toBe(`${portalUrl}/api/errors/not_found`);
  });

  test('of the check do not open the metrics', async () => {
    expect((await port.ask(metricsPath, { headers: token(accessKeys.check) })).status).toBe(401);
    expect((await port.ask(metricsPath, { headers: token(accessKeys.metrics) })).status).toBe(200);
  });

  test('that are not configured refuse every request', async () => {
    const closed = await startHealthPort(database.sidecarUrl, {
      accessKeys: { check: undefined, metrics: undefined, url: undefined },
    });
    for (const authorization of ['Token ', 'Token undefined', 'Token x'])
      expect((await closed.ask(checkPath, { headers: { authorization } })).status).toBe(401);
    await closed.close();
  });
});

describe('the health port', () => {
  test('of the portal does not serve the two paths', async () => {
    const portal = await startPortal();
    const headers = { ...token(accessKeys.check) };
    for (const path of [checkPath, metricsPath])
      expect((await portal.send(`GET ${path}`, { headers })).status).toBe(404);
    await portal.close();
  });

  test('serves two paths only', async () => {
    for (const path of ['/', '/livez', '/api/discover/', '/aggregator/health', `${checkPath}/x`])
      expect((await port.ask(path, { headers: token(accessKeys.check) })).headers['content-type']).toBe(
        'application/problem+json; charset=utf-8',
      );
    expect((await port.ask('/livez')).status).toBe(404);
    expect((await port.ask(`${checkPath}/`, { headers: token(accessKeys.check) })).status).toBe(200);
  });

  test('answers HEAD as GET without a body, and other methods with 405', async () => {
    const head = await port.ask(checkPath, { method: 'HEAD', headers: token(accessKeys.check) });
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      'application/json; charset=utf-8',
    ]);
    const post = await port.ask(metricsPath, { method: 'POST', headers: token(accessKeys.metrics) });
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const options = await port.ask(metricsPath, { method: 'OPTIONS' });
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });
});

describe('the health check', () => {
  test('has exactly the shape of the specification', async () => {
    await addNode(admin.db, passing, { site: { uri: 'north.example' } });
    const { status, headers, report } = await check();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['cache-control']).toBe('private, no-store');
    const component = (componentId: string) => ({
      componentId,
      componentType: 'component',
      status: 'pass',
      state: 'pass',
    });
    expect(report).toEqual({
      version: '7.0',
      description: 'aggregator',
      status: 'pass',
      checks: {
        'celery:connectionTest': [component('jobs(common)'), component('jobs@host-a(worker)')],
        'database:responseTime': [
          {
            componentId: 'default',
            componentType: 'datastore',
            observedValue: expect.any(Number),
            observedUnit: 's',
            status: 'pass',
            state: 'pass',
          },
        ],
        'messages_broker:connectionTest': [component(proxy.url)],
        'fluentd:connectionTest': [],
        'sites:connectionTest': [component('north.example')],
      },
    });
  });

  test('has one entry per site from its last probes', async () => {
    const { db } = admin;
    await addNode(db, passing, { site: { uri: 'a-passing' } });
    await addNode(db, { ...passing, last_check_at: ago(46) }, { site: { uri: 'b-stale' } });
    await addNode(db, { ...passing, status: 'unauthorized' }, { site: { uri: 'c-refused' } });
    await addNode(db, { status: 'fail' }, { site: { uri: 'd-disabled', enabled: false } });
    await addNode(db, { status: 'fail' }, { site: { uri: 'e-maintenance', maintenance: true } });
    await addNode(db, { ...passing, enabled: false }, { site: { uri: 'f-node-disabled' } });
    await addNode(db, passing, { site: { uri: 'g-farm-disabled' }, farm: { enabled: false } });
    await addFarm(db, (await addSite(db, { uri: 'h-empty' })).id);
    await addSite(db, { uri: 'i-without-farm' });
    await addNode(db, {}, { site: { uri: 'j-not-yet-probed' } });
    await addNode(db, { updated_at: ago(46) }, { site: { uri: 'k-never-probed' } });
    const half = await addFarm(db, (await addSite(db, { uri: 'l-one-of-two-probed' })).id);
    await addDispatcher(db, half, { status: 'fail', last_check_at: new Date() });
    await addDispatcher(db, half);
    await addNode(db, { status: 'fail' }, { site: { uri: 'm-farm-kept' }, farm: { maintenance: true } });
    const mixed = (
      await addNode(db, passing, { site: { uri: 'n-one-farm-kept' }, farm: { maintenance: true } })
    ).siteId;
    await addDispatcher(db, await addFarm(db, mixed), { status: 'fail', last_check_at: new Date() });
    const { status, report } = await check();
    type Entry = { componentId: string; status: string; state: string };
    const entries: Entry[] = report.checks['sites:connectionTest'];
    expect(
      Object.fromEntries(entries.map((entry) => [entry.componentId, [entry.status, entry.state]])),
    ).toEqual({
      'a-passing': ['pass', 'pass'],
      'b-stale': ['fail', 'fail'],
      'c-refused': ['fail', 'fail'],
      'd-disabled': ['pass', 'disabled'],
      'e-maintenance': ['pass', 'maintenance'],
      'f-node-disabled': ['pass', 'unknown'],
      'g-farm-disabled': ['pass', 'unknown'],
      'h-empty': ['pass', 'unknown'],
      'i-without-farm': ['pass', 'unknown'],
      'j-not-yet-probed': ['pass', 'unknown'],
      'k-never-probed': ['fail', 'fail'],
      'l-one-of-two-probed': ['fail', 'fail'],
      'm-farm-kept': ['pass', 'maintenance'],
      'n-one-farm-kept': ['fail', 'fail'],
    });
    expect([status, report.status]).toEqual([200, 'pass']);
  });

  test('answers 503 with the same format when every counted site fails', async () => {
    await addNode(admin.db, { status: 'fail', last_check_at: new Date() });
    const { status, headers, report } = await check();
    expect([status, report.status, headers['content-type']]).toEqual([
      503,
      'fail',
      'application/json; charset=utf-8',
    ]);
    expect(report.checks['database:responseTime'][0].status).toBe('pass');
  });

  test('passes when no site counts: disabled, in maintenance, or without a node', async () => {
    const { db } = admin;
    await addNode(db, { status: 'fail' }, { site: { enabled: false } });
    await addNode(db, { status: 'fail' }, { site: { maintenance: true } });
    await addFarm(db, (await addSite(db)).id);
    await setParameter('monitoring.site_failure_fails_health', true);
    const { status, report } = await check();
    expect([status, report.status]).toEqual([200, 'pass']);
  });

  test('uses a probe for three intervals, whatever their length', async () => {
    await addNode(admin.db, { ...passing, last_check_at: ago(80) }, { site: { uri: 'north' } });
    expect((await check()).status).toBe(503);
    await setParameter('aggregator.health_interval_s', 30);
    expect((await check()).status).toBe(200);
  });

  test('answers 503 for one failing site when the parameter requires it', async () => {
    await addNode(admin.db, passing);
    await addNode(admin.db, { status: 'fail' });
    expect((await check()).status).toBe(200);
    await setParameter('monitoring.site_failure_fails_health', true);
    expect((await check()).status).toBe(503);
  });

  test('counts a worker with a heartbeat in the last 30 s, and a host once', async () => {
    const { db } = admin;
    await recordHeartbeat(db, { name: 'host-a/2', host: 'host-a' });
    await recordHeartbeat(db, { name: 'host-b/1', host: 'host-b' });
    await db.execute(
      sql`update job_workers set last_seen_at = now() - interval '31 s' where host = 'host-b'`,
    );
    const celery = async () => {
      const entries: { componentId: string }[] = (await check()).report.checks['celery:connectionTest'];
      return entries.map(({ componentId }) => componentId);
    };
    expect(await celery()).toEqual(['jobs(common)', 'jobs@host-a(worker)']);
    await recordHeartbeat(db, { name: 'host-b/1', host: 'host-b' });
    expect(await celery()).toContain('jobs@host-b(worker)');
    for (const name of ['host-a/1', 'host-a/2', 'host-b/1']) await removeWorker(db, name);
    expect(await celery()).toEqual(['jobs(common)']);
    expect((await check()).status).toBe(503);
  });

  test('answers within a second while the database hangs, from the last probes', async () => {
    await addNode(admin.db, passing, { site: { uri: 'north.example' } });
    expect((await check()).status).toBe(200);
    proxy.freeze();
    const answers = await Promise.all([check(), check(), check()]);
    proxy.thaw();
    for (const { status, tookMs, report } of answers) {
      expect(status).toBe(503);
      expect(tookMs).toBeLessThan(1_000);
      expect(report.checks['database:responseTime'][0]).toMatchObject({ status: 'fail', observedUnit: 's' });
      expect(report.checks['database:responseTime'][0].observedValue).toBeGreaterThan(0.75);
      expect(report.checks['messages_broker:connectionTest'][0].status).toBe('fail');
      expect(report.checks['celery:connectionTest'][0].status).toBe('fail');
      expect(report.checks['sites:connectionTest']).toEqual([
        { componentId: 'north.example', componentType: 'component', status: 'pass', state: 'pass' },
      ]);
    }
    await expect.poll(async () => (await check()).status, { timeout: 5_000 }).toBe(200);
  });

  test('answers within a second when a database has never answered', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const silentPort = typeof address === 'object' && address ? address.port : 0;
    const deaf = await startHealthPort(`postgres://app:s3cret@127.0.0.1:${silentPort}/app`);
    const { status, tookMs, text } = await check(deaf);
    expect(status).toBe(503);
    expect(tookMs).toBeLessThan(1_000);
    expect(text).toContain(`postgres://app:**@127.0.0.1:${silentPort}/app`);
    expect(text).not.toContain('s3cret');
    await deaf.close();
    silent.close();
  });
});
