import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDispatcherState } from '../simulator/seed.ts';
import { type Simulator, startSimulator } from '../simulator/start.ts';
import { type Answer, type Api, createApi, type Json } from './api.ts';
import { bareVariables, freePorts, isFree, type PortalProcess, startPortal } from './portal-process.ts';

const webui = '/api/webui/aggregator';
const userPassword = 'seven wild geese in a row';

let folder: string;
let portal: PortalProcess;
let api: Api;
let healthApi: Api;
let node: Simulator;
let adminToken: string;
let dispatcherId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-e2e-'));
  const env = bareVariables(folder, await freePorts(2));
  portal = await startPortal({ env });
  const { base_url, health_url, ca_file } = portal.announcement;
  const ca = readFileSync(ca_file, 'utf8');
  api = createApi(base_url, ca);
  healthApi = createApi(health_url, ca);
  node = await startNode(base_url, ca);
});
afterAll(async () => {
  await Promise.all([api?.close(), healthApi?.close(), node?.close()]);
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A dispatcher that checks our tokens against the keys which the portal publishes. */
const startNode = (baseUrl: string, portalCa: string): Promise<Simulator> =>
  startSimulator({
    state: createDispatcherState({
      name: 'north-1',
      domains: [
        { authUuid: '0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11', authSmallName: 'CORP', auth: 'Corporation' },
      ],
      pools: [
        { name: 'Office', protocols: ['rdp'], workplaces: 2, entitled: 'all' },
        { name: 'Payroll', protocols: ['rdp'], workplaces: 1, entitled: { users: [], groups: ['payroll'] } },
      ],
    }),
    jwks: `${baseUrl}/api/auth/v7.0/jwks`,
    portalCa,
    issuer: baseUrl,
    healthKey: 'key of north-1',
  });

async function create(path: string, body: object): Promise<Json> {
  const answer = await api.send(`POST ${webui}/${path}`, { token: adminToken, body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

const authorize = (requestId: string): Promise<Answer> =>
  api.send('POST /api/auth/v7.0/jwtauth', {
    token: adminToken,
    body: { dispatcher_id: dispatcherId },
    headers: { 'x-request-id': requestId },
  });
/** What reached the dispatcher on behalf of a request. */
const callsOf = (requestId: string) =>
  node.calls.filter(({ headers }) => headers['x-request-id'] === requestId).map(({ path }) => path);

describe('npm start on an empty folder', () => {
  it('ends its output with one line of JSON that tells all one needs', async () => {
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

  it('tells health and metrics to whoever has the key, on the health port only', async () => {
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

describe('the first path through the portal', () => {
  let userToken: string;
  let service: Json;

  it('begins with the list of domains and the login of the administrator', async () => {
    const { status, body } = await api.send('GET /api/auth/v7.0/authenticators');
    expect(status).toBe(200);
    expect(body.map(({ authSmallName }: Json) => authSmallName)).toEqual(['builtin']);
    const password = portal.announcement.admin_password ?? '';
    adminToken = await api.login('admin', password, body[0].authSmallName);
  });

  it('goes on with a domain, a user, a site, a farm and a dispatcher', async () => {
    const domain = await create('authenticators', {
      name: 'Corporation',
      small_name: 'corp',
      type: 'internal',
    });
    await create(`authenticators/${domain.id}/users`, { name: 'ada', password: userPassword });
    const site = await create('sites', { name: 'North', uri: 'north', authenticators: [domain.id] });
    const farm = await create('farms', { name: 'North farm', site_id: site.id });
    const dispatcher = await create('dispatchers', {
      name: node.name,
      farm_id: farm.id,
      url: node.url,
      ca_certificate: node.caPem,
      health_key: node.healthKey,
    });
    dispatcherId = dispatcher.id;
    expect(await authorize('authorize')).toMatchObject({
      status: 200,
      body: { result: 'ok', dispatcher_id: dispatcherId, expires_in: 600 },
    });
  });

  it('shows the user the services of his site', async () => {
    userToken = await api.login('ada', userPassword, 'corp');
    const { status, body } = await api.send('GET /aggregator/api/client/v7.0/north/servicesList/', {
      token: userToken,
    });
    expect(status).toBe(200);
    expect(body.sites).toMatchObject([{ site_uri: 'north', farm_name: 'North farm', status: 'ok' }]);
    expect(body.domains.filter(({ linked }: Json) => linked)).toMatchObject([{ authSmallName: 'corp' }]);
    expect(body.services).toMatchObject([{ name: 'Office', protocols: ['rdp'], state: 'ready' }]);
    [service] = body.services;
  });

  it('gives him a connection, and the dispatcher knows who asked and in which request', async () => {
    const question = service.link.replace('connectionInfo', 'preconnectionInfo');
    const ready = await api.send(`GET ${question}`, { token: userToken });
    expect(ready).toMatchObject({ status: 200, body: { verdict: 'connect', ready: true, protocol: 'rdp' } });
    expect(node.state.sessions.all()).toEqual([]);
    const connection = await api.send(`GET ${service.link}?protocol=rdp`, {
      token: userToken,
      headers: { 'x-request-id': 'first-connection' },
    });
    expect(connection).toMatchObject({
      status: 200,
      headers: { 'x-request-id': 'first-connection', 'cache-control': 'private, no-store' },
      body: { service_id: service.id, protocol: 'rdp', port: 3389, username: 'ada', expires_in: 60 },
    });
    const [session] = node.state.sessions.all();
    expect(session).toMatchObject({
      person: { domain: 'CORP', name: 'ada' },
      client_ip: '127.0.0.1',
      session_uuid: connection.body.session_uuid,
    });
    expect(callsOf('first-connection')).toEqual([expect.stringContaining('/connectionInfo/')]);
  });

  it('ends with the logout, after which the token is worth nothing', async () => {
    expect(await api.send('POST /api/auth/v7.0/logout', { token: userToken })).toMatchObject({
      status: 200,
      body: { result: 'ok' },
    });
    const refused = await api.send(`GET ${service.link}`, { token: userToken });
    expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
    expect(refused.headers['www-authenticate']).toBe('Token realm="aggregator"');
    expect((await api.send('GET /api/userinfo')).body.code).toBe('unauthenticated');
  });
});

describe('SIGTERM', () => {
  it('finishes what runs, and ends all processes with 0 within 10 s', async () => {
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
