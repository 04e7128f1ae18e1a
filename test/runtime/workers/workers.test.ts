import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSigningKeys } from '../../../shared/access/signing-keys.ts';
import { webPageOf } from '../../../shared/http/pages/app-page.ts';
import { ownAssets } from '../../../shared/tooling/build/asset-files.ts';
import { isFree } from '../../e2e/support/portal-process.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { createDispatcherState } from '../../simulator/data/seed.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { filesOfReference, styleOfReference } from '../../support/documents/reference-files.ts';
import {
  createRdpSigner,
  hasOpenssl,
  type RdpSigner,
  settingsOf,
  verify,
} from '../../support/gateways/rdp-files.ts';
import { newSigningKey, signJwt } from '../../support/identity/signing-keys.ts';
import {
  type Json,
  type LocalPortal,
  startWorkers,
  workersVariables,
} from '../../support/workers/local-workers.ts';

const webui = '/api/webui/aggregator';
const password = 'correct horse battery staple';
const domain = { authUuid: '0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11', authSmallName: 'CORP', auth: 'Corp' };

let folder: string;
let database: FreshDatabase;
let portal: LocalPortal;
let node: Simulator;
let admin: string;
let rdpSigner: RdpSigner;

const ownKey = newSigningKey();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-workers-test-'));
  database = await freshDatabase();
  rdpSigner = await createRdpSigner();
  const authority = await createAuthority();
  await writeFile(join(folder, 'ca.pem'), authority.caPem);
  portal = await startWorkers({
    ...(await workersVariables({ folder, databaseUrl: database.url, password })),
    AGGREGATOR_JWT_SSL_KEY: ownKey,
    PORTAL_NAME: 'edge',
    RDP_SIGNING_CERT: rdpSigner.certificates,
    RDP_SIGNING_KEY: rdpSigner.key,
    ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
    // A Worker cannot be given an authority; its runtime trusts this one besides the public ones.
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  });
  node = await startSimulator({
    state: createDispatcherState({
      name: 'north-1',
      domains: [domain],
      pools: [{ name: 'Office', protocols: ['rdp'], workplaces: 2, entitled: 'all' }],
    }),
    jwks: async () => (await portal.send('GET /api/auth/v7.0/jwks')).body,
    issuer: portal.url,
    authority,
  });
});
afterAll(async () => {
  await portal?.stop();
  await node?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function login(username: string, word: string, authSmallName: string): Promise<string> {
  const body = { username, password: word, authSmallName };
  const answer = await portal.send('POST /api/auth/v7.0/login', { body });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.token;
}
async function create(path: string, body: object): Promise<Json> {
  const answer = await portal.send(`POST ${webui}/${path}`, { token: admin, body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

describe('the modules as Workers', () => {
  it('start within seconds and print their addresses', () => {
    if (portal.startMs > 8_000) console.warn(`the Workers took ${portal.startMs} ms to start, more than 8 s`);
    expect(portal.url).toMatch(/^http:\/\/localhost:\d+$/);
  });

  it('are alive, and ready after a write to the database', async () => {
    expect(await portal.send('GET /livez')).toMatchObject({ status: 200, body: 'ok' });
    expect(await portal.send('GET /readyz')).toMatchObject({ status: 200, body: '' });
  });

  it.each([
    'GET /api/userinfo',
    `GET ${webui}/sites`,
    'POST /api/auth/v7.0/jwtauth',
    'GET /aggregator/api/client/v7.0/north/servicesList',
    'GET /api/discover',
  ])('answer 401 without a session: %s', async (route) => {
    const { status, headers, body } = await portal.send(route);
    expect({ status, body }).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(headers.get('x-request-id')).toBe(body.instance);
  });

  it.each([
    '/',
    '/nothing',
    '/api/auth/nothing',
    `${webui}/nothing`,
    '/aggregator/health/check',
  ])('answer 404 for unknown paths: %s', async (path) => {
    const answer = await portal.send(`GET ${path}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('answer 503 with Retry-After when the database does not answer in time', async () => {
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    await owner.query('begin; lock table authenticators');
    const { status, headers, body } = await portal.send('GET /api/auth/v7.0/authenticators');
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { code: 'database_unavailable', retryable: true },
    });
    expect(headers.get('retry-after')).toBe('5');
    await owner.end();
    expect(await portal.send('GET /api/auth/v7.0/authenticators')).toMatchObject({ status: 200 });
  });

  it('refuse plain HTTP except on this machine', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { host: 'portal.example' };
      request(`${portal.url}/api/userinfo`, { headers }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });

  it('log in, read and write through the Neon driver', async () => {
    admin = await login('admin', password, 'builtin');
    const me = await portal.send('GET /api/userinfo', { token: admin });
    expect(me).toMatchObject({ status: 200, body: { name: 'admin' } });
    const wrong = await portal.send('POST /api/auth/v7.0/login', {
      body: { username: 'admin', password: 'wrong wrong wrong', authSmallName: 'builtin' },
    });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    const site = await create('sites', { name: 'Written', uri: 'written' });
    const read = await portal.send(`GET ${webui}/sites/${site.id}`, { token: admin });
    expect(read).toMatchObject({ status: 200, body: { uri: 'written' } });
    const again = { token: admin, body: { name: 'Written', uri: 'written' } };
    expect(await portal.send(`POST ${webui}/sites`, again)).toMatchObject({ status: 409 });
  });
});

describe('a portal of Workers', () => {
  it('is reported by its cron trigger, with the counts in the database', async () => {
    const list = `GET ${webui}/appnodes/portals?runtime=workers`;
    const found = await vi.waitFor(
      async () => {
        const [row] = (await portal.send(list, { token: admin })).body.items;
        expect(row).toBeDefined();
        return row;
      },
      { timeout: 10_000 },
    );
    expect(found).toMatchObject({ name: 'edge', fqdn: 'localhost', state: 'online', os: 'workerd' });
    const metrics = await portal.send(`PATCH ${webui}/appnodes/portals/${found.id}/metrics`, {
      token: admin,
    });
    expect(metrics.body).toMatchObject({ version_info: { version: '7.0' }, auth_domain_count: 1 });
    const self = await portal.send('GET /api/aggregator/v7.0/portals/self', { token: admin });
    expect(self).toMatchObject({ status: 200, body: { id: found.id, runtime: 'workers', state: 'online' } });
  });

  it('accepts heartbeats signed by its own key', async () => {
    const path = '/api/aggregator/v7.0/portals/heartbeat';
    const report = {
      name: 'other',
      fqdn: 'other.test',
      portal_type: 'user',
      runtime: 'node',
      version: '7.0',
    };
    const claims = {
      iss: portal.url,
      aud: portal.url + path,
      portal: { ...report, started_at: new Date().toISOString() },
    };
    const keys = await createSigningKeys([ownKey], portal.url);
    const token = await signJwt(keys, 'heartbeat+jwt', claims);
    const taken = await portal.send(`POST ${path}`, { body: { token } });
    expect(taken).toMatchObject({ status: 200, body: { result: 'ok', name: 'other', expires_in: 60 } });
    const forger = await createSigningKeys([newSigningKey()], portal.url);
    const forged = await signJwt(forger, 'heartbeat+jwt', claims);
    expect(await portal.send(`POST ${path}`, { body: { token: forged } })).toMatchObject({ status: 401 });
  });
});

describe('pages of Workers', () => {
  const reader = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
  const ask = (route: string, cookie = '', body?: object) =>
    portal.send(route, { headers: { ...reader, cookie }, body });
  const signedIn = async (): Promise<string> => {
    const credentials = { username: 'admin', password, authSmallName: 'builtin' };
    const { headers } = await ask('POST /signin', '', credentials);
    return headers.get('set-cookie')?.split(';')[0] ?? '';
  };

  it('are served from assets, with a browser session', async () => {
    const page = await ask('GET /signin');
    expect(page.status).toBe(200);
    expect(page.body).toMatch(/^<!doctype html>\n<html lang="en">[\s\S]*<title>Sign in[\s\S]*<\/html>\n$/);
    expect((await ask('GET /status')).headers.get('location')).toBe('/signin?next=%2Fstatus');
    const cookie = await signedIn();
    expect((await ask('GET /status', cookie)).body).toContain('<title>Console – ');
    const { body } = await ask('POST /signin/token', cookie);
    expect(await portal.send('GET /api/userinfo', { token: body.token })).toMatchObject({ status: 200 });
    expect(await ask('POST /signout', cookie)).toMatchObject({ status: 200 });
    expect(await portal.send('GET /api/userinfo', { token: body.token })).toMatchObject({ status: 401 });
  });

  const ofReference = [...filesOfReference, '/api/openapi.json'];

  it('redirect from the reference and each of its files to the sign-in', async () => {
    for (const path of ['/api/docs/', ...ofReference]) {
      const { status, headers } = await ask(`GET ${path}`);
      expect([status, headers.get('location')]).toEqual([302, `/signin?next=${encodeURIComponent(path)}`]);
      expect(await portal.send(`GET ${path}`)).toMatchObject({ status: 401 });
    }
  });

  it('have no files that can be fetched without the session', async () => {
    for (const file of ['swagger-ui-es-bundle.js', 'openapi.universal.json', 'app.html'])
      for (const [path, status] of [
        [`/${file}`, 404],
        [`/assets/${file}`, 404],
        [`/api/docs/files/..%2F${file}`, 401],
      ] as const)
        expect([path, (await portal.send(`GET ${path}`)).status]).toEqual([path, status]);
  });

  it('show the reference to administrators, with a policy that allows only its own scripts', async () => {
    const cookie = await signedIn();
    const { status, headers, body } = await ask('GET /api/docs/', cookie);
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'nonce-[\w-]+' 'self';/);
    expect(policy).not.toContain('unsafe');
    for (const path of ofReference) {
      const file = await ask(`GET ${path}`, cookie);
      expect([path, file.status]).toEqual([path, 200]);
      const kept = path.startsWith('/api/docs/') ? /^private, .*immutable$/ : /^private/;
      expect(file.headers.get('cache-control')).toMatch(kept);
    }
    expect(body).toContain(styleOfReference);
  });
});

describe('the page of the user on Workers', () => {
  it.each(['/home', '/console'])('%s leads browsers to the address with its slash', async (path) => {
    const headers = { accept: 'text/html' };
    const [first, second] = [
      await portal.send(`GET ${path}`, { headers }),
      await portal.send(`GET ${path}/`, { headers }),
    ];
    expect([first.status, first.headers.get('location')]).toEqual([302, `${path}/`]);
    expect(second.headers.get('location')).toBe(`/signin?next=${encodeURIComponent(`${path}/`)}`);
  });

  it('has files that may be stored for a year, and icons as unchanged bytes', async () => {
    const { script } = await webPageOf(ownAssets(), 'home');
    for (const coding of ['br', 'gzip']) {
      const headers = { 'accept-encoding': coding };
      const file = await fetch(`${portal.url}/home/files/${script}`, { headers });
      // The platform compresses by media type. The local runtime does as the platform.
      expect([file.status, file.headers.get('content-encoding')]).toEqual([200, coding]);
      expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(await file.text()).toBe(await ownAssets().text(script));
    }
    const icon = await fetch(`${portal.url}/home/icons/icon-192.png`);
    expect(Buffer.from(await icon.arrayBuffer()).equals(await ownAssets().bytes('icon-192.png'))).toBe(true);
  });
});

describe('dispatchers behind Workers', () => {
  let user: string;
  const list = (asking: { signal?: AbortSignal } = {}) =>
    portal.send('GET /aggregator/api/client/v7.0/north/servicesList', { token: user, ...asking });
  let farm: Json;
  let dispatcher: Json;

  it('are called by the fetch of the runtime', async () => {
    const corp = await create('authenticators', { name: 'Corp', small_name: 'corp', type: 'internal' });
    await create(`authenticators/${corp.id}/users`, { name: 'ada', password: 'seven wild geese in a row' });
    const site = await create('sites', { name: 'North', uri: 'north', authenticators: [corp.id] });
    farm = await create('farms', { name: 'North farm', site_id: site.id });
    // Every list is read from the nodes: a cached one needs no dispatcher.
    const body = { aggregator: { services_fresh_s: { value: 0 } } };
    expect(await portal.send(`PUT ${webui}/tconfig`, { token: admin, body })).toMatchObject({ status: 200 });
    dispatcher = await create('dispatchers', { name: node.name, farm_id: farm.id, url: node.url });
    const granted = await portal.send('POST /api/auth/v7.0/jwtauth', {
      token: admin,
      body: { dispatcher_id: dispatcher.id },
    });
    expect(granted).toMatchObject({ status: 200, body: { result: 'ok', dispatcher_id: dispatcher.id } });
    user = await login('ada', 'seven wild geese in a row', 'corp');
    expect(await list()).toMatchObject({
      status: 200,
      body: { sites: [{ status: 'ok' }], services: [{ name: 'Office' }] },
    });
  });

  it('return signed connection files', async () => {
    const { uuid } = node.state.poolNamed('Office');
    const path = `/aggregator/api/client/v7.0/north/connectionInfo/${farm.id}.${uuid}`;
    const headers = { accept: 'application/x-rdp', 'x-auth-token': user };
    const answer = await fetch(portal.url + path, { headers });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-rdp']);
    const file = Buffer.from(await answer.arrayBuffer());
    expect(settingsOf(file)).toMatchObject({ username: 's:ada', signature: expect.stringMatching(/^s:./) });
    if (hasOpenssl) await verify(file, rdpSigner.caPem);
  });

  it('answer concurrent requests, none with the connection of another', async () => {
    const routes = ['GET /api/userinfo', `GET ${webui}/sites`, 'GET /api/discover'];
    const asked = [1, 2, 3, 4].flatMap(() => [
      list(),
      ...routes.map((route) => portal.send(route, { token: admin })),
    ]);
    for (const { status, body } of await Promise.all(asked))
      expect({ status, body }).toMatchObject({ status: 200 });
  });

  it('continue to answer after a client that disconnected', async () => {
    node.knobs.latencyMs = 1_000;
    await expect(list({ signal: AbortSignal.timeout(200) })).rejects.toThrow();
    node.knobs.latencyMs = 0;
    const answers = await Promise.all([list(), list()]);
    expect(answers.map(({ body }) => body.sites[0].status)).toEqual(['ok', 'ok']);
  });

  it.each([
    [
      'with an authority of their own',
      async () => ({ ca_certificate: node.caPem }),
      'unsupported_on_this_runtime',
    ],
    ['of an unknown authority', async () => ({ url: (await stranger()).url }), 'unknown'],
  ])('%s are not reached, and the reason is reported', async (_, change, reason) => {
    const created = await create('dispatchers', {
      name: `node ${reason}`,
      farm_id: farm.id,
      url: node.url,
      ...(await change()),
    });
    const refused = await portal.send('POST /api/auth/v7.0/jwtauth', {
      token: admin,
      body: { dispatcher_id: created.id },
    });
    expect(refused).toMatchObject({ status: 502, body: { code: 'upstream_tls', reason } });
  });

  const strangers: Simulator[] = [];
  afterAll(() => Promise.all(strangers.map((stranger) => stranger.close())));
  async function stranger(): Promise<Simulator> {
    const state = createDispatcherState({ name: 'stranger', domains: [domain], pools: [] });
    const started = await startSimulator({ state, jwks: async () => ({ keys: [] }) });
    strangers.push(started);
    return started;
  }
});

describe('the shutdown of the Workers', () => {
  it('happens on SIGTERM within seconds, leaves no process, and no error was logged before', async () => {
    const children = readFileSync(`/proc/${portal.pid}/task/${portal.pid}/children`, 'utf8')
      .trim()
      .split(' ');
    expect(children.length).toBeGreaterThan(0);
    const started = performance.now();
    expect(await portal.stop()).toBe(0);
    expect(performance.now() - started).toBeLessThan(5_000);
    const gone = (pid: string) => expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    for (const pid of children) await vi.waitFor(() => gone(pid), { timeout: 5_000 });
    expect(await isFree(Number(new URL(portal.url).port))).toBe(true);
    const failures = portal.errors.filter((line) => /"level":"error"|different request|hanging/.test(line));
    expect(failures).toEqual([]);
  });
});
