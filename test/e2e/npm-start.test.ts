import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAuthority } from '../simulator/authority.ts';
import type { Simulator } from '../simulator/start.ts';
import { type Api, accepted, createApi } from './support/api.ts';
import { auth, createInstallation } from './support/installation.ts';
import {
  bareVariables,
  freePorts,
  isFree,
  type PortalProcess,
  startPortal,
} from './support/portal-process.ts';
import { startNode } from './twins/targets.ts';

let folder: string;
let portal: PortalProcess;
let api: Api;
let healthApi: Api;
let node: Simulator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-e2e-'));
  const env = bareVariables(folder, await freePorts(2));
  portal = await startPortal({ env });
  const { base_url, health_url, ca_file } = portal.announcement;
  const ca = readFileSync(ca_file, 'utf8');
  api = createApi(base_url, ca);
  healthApi = createApi(health_url, ca);
  node = await startNode({ api, issuer: base_url, authority: await createAuthority() });
});
afterAll(async () => {
  await Promise.all([api?.close(), healthApi?.close(), node?.close()]);
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The calls to the dispatcher for a request. */
const callsOf = (requestId: string) =>
  node.calls.filter(({ headers }) => headers['x-request-id'] === requestId).map(({ path }) => path);

describe('npm start on an empty folder', () => {
  it('ends its output with one JSON line with everything needed to connect', async () => {
    const { startMs, announcement } = portal;
    if (startMs > 12_000) console.warn(`the first start took ${startMs} ms, more than 12 s`);
    expect(announcement).toEqual({
      base_url: expect.stringMatching(/^https:\/\/localhost:\d+$/),
      health_url: expect.stringMatching(/^https:\/\/localhost:\d+$/),
      ca_file: join(folder, 'tls', 'ca.pem'),
      admin_password: expect.stringMatching(/^\S{15,}$/),
      health_check_access_key: expect.stringMatching(/^\S{16,64}$/),
      metrics_access_key: expect.stringMatching(/^\S{16,64}$/),
      pid: expect.any(Number),
    });
  });

  it('serves health and metrics with their keys on the health port only', async () => {
    const { health_check_access_key: key, metrics_access_key: metricsKey } = portal.announcement;
    const ask = (client: Api, what: string, token: string) =>
      client.send(`GET /aggregator/health/${what}`, { headers: { authorization: `Token ${token}` } });
    const health = await ask(healthApi, 'check', key);
    expect(health).toMatchObject({ status: 200, body: { status: 'pass', version: '7.0' } });
    const metrics = await ask(healthApi, 'metrics', metricsKey);
    expect(metrics.status).toBe(200);
    expect(metrics.body).toMatch(/^# HELP [\s\S]*\nservers_count 0\.0\n/);
    expect((await ask(healthApi, 'check', metricsKey)).status).toBe(401);
    expect((await ask(healthApi, 'metrics', key)).status).toBe(401);
    expect((await ask(api, 'check', key)).status).toBe(404);
  });
});

describe('a job started by a request', () => {
  it('runs on the embedded database: an export is downloaded whole, from any byte, and counted', async () => {
    const token = await api.login('admin', portal.announcement.admin_password ?? '');
    const path = '/api/webui/aggregator/audit/export';
    const ordered = await accepted(api, `GET ${path}?event=portal.UserLogin`, { token });
    const report = () => accepted(api, `GET ${path}?export_id=${ordered.export_id}`, { token });
    await expect
      .poll(report, { timeout: 60_000 })
      .toMatchObject({ state: 'ready', progress: 1, format: 'csv' });
    const { rows, bytes, sha256 } = await report();
    const obtain = (offset: number) =>
      api.send(`POST ${path}`, { token, body: { export_id: ordered.export_id, offset } });
    const { headers, body: file } = await obtain(0);
    expect(rows).toBeGreaterThanOrEqual(1);
    expect(file.trim().split('\r\n')).toHaveLength(rows + 1);
    expect(file).toContain('portal.UserLogin');
    expect(Buffer.byteLength(file)).toBe(bytes);
    const digest = createHash('sha256').update(file);
    expect(headers['repr-digest']).toBe(`sha-256=:${digest.copy().digest('base64')}:`);
    expect(digest.digest('hex')).toBe(sha256);
    expect((await obtain(10)).body).toBe(file.slice(10));
    const metrics = async () => {
      const headers = { authorization: `Token ${portal.announcement.metrics_access_key}` };
      return (await healthApi.send('GET /aggregator/health/metrics', { headers })).body;
    };
    await expect
      .poll(metrics, { timeout: 60_000, interval: 500 })
      .toContain('\naggregator_jobs_total{job="build-export",result="success"} 1.0\n');
    expect(await metrics()).not.toMatch(/^aggregator_jobs_waiting\{job="build-export"\} [1-9]/m);
  }, 120_000);
});

describe('SIGTERM', () => {
  it('finishes running requests and ends all processes with 0 within 10 s', async () => {
    const token = await api.login('admin', portal.announcement.admin_password ?? '');
    const { dispatcher } = await createInstallation(api, token, node, { ca_certificate: node.caPem });
    const authorize = (requestId: string) =>
      api.send(`POST ${auth}/jwtauth`, {
        token,
        body: { dispatcher_id: dispatcher.id },
        headers: { 'x-request-id': requestId },
      });
    // From here on the node has cached the keys, and does not fetch them from a portal that is ending.
    await authorize('first');
    node.knobs.latencyMs = 300;
    const answer = authorize('last');
    await vi.waitFor(() => expect(callsOf('last')).toHaveLength(1), { interval: 5 });
    const started = performance.now();
    portal.signal('SIGTERM');
    expect((await answer).body.result).toBe('ok');
    expect(await portal.ended).toMatchObject({ code: 0 });
    expect(performance.now() - started).toBeLessThan(10_000);
    const { base_url, health_url } = portal.announcement;
    const ports = [base_url, health_url].map((url) => Number(new URL(url).port));
    expect(await Promise.all(ports.map(isFree))).toEqual([true, true]);
  });
});
