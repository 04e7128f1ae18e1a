import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { webPageOf } from '../../../shared/http/pages/app-page.ts';
import { prepareInstallation } from '../../../shared/identity/first-start.ts';
import { createHasher } from '../../../shared/identity/passwords.ts';
import { ownAssets } from '../../../shared/tooling/build/asset-files.ts';
import type { Bundle, EdgeModule } from '../../../shared/tooling/build/bundles.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { filesOfReference, styleOfReference } from '../../support/documents/reference-files.ts';
import { newSecretKey } from '../../support/identity/signing-keys.ts';
import { configure, functionVariables } from '../../support/lambda/environment.ts';
import { restEventOf } from '../../support/lambda/events.ts';
import { type Asking, awslambda, eventOf, invoke, type LambdaResult } from '../../support/lambda/runtime.ts';
import { dataUri, png } from '../../support/pictures.ts';
import type { Json } from '../../support/workers/local-workers.ts';

const password = 'correct horse battery staple';
/** The key of the database: each instance compares its own with it. */
const secretKey = newSecretKey();

type Result = Omit<LambdaResult, 'body'> & { body: Json; isBase64Encoded?: boolean };

let database: FreshDatabase;
let bundles: Bundle[];

beforeAll(async () => {
  vi.stubGlobal('awslambda', awslambda);
  database = await freshDatabase();
  bundles = await cachedBundles('lambda');
  const { db, close } = connectPg({ url: database.url });
  await prepareInstallation(db, createHasher({ cost: 2 ** 4 }), password).finally(close);
});
afterAll(async () => {
  await database?.drop();
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const complete = () => ({ ...functionVariables(database.url), SECRET_KEY: secretKey });

/** The bundle as Lambda loads it; a query after the path creates a separate instance. */
const fileOf = (name: EdgeModule) => bundles.find(({ module }) => module === name)?.file;
async function load(module: EdgeModule, instance = 'first') {
  const { handler } = await import(/* @vite-ignore */ `file://${fileOf(module)}?${instance}`);
  return async (route: string, asking: Asking = {}): Promise<Result> => {
    const result = await invoke(handler, eventOf(route, asking));
    return { ...result, body: result.body.startsWith('{') ? JSON.parse(result.body) : result.body };
  };
}

describe('a module as a Lambda function', () => {
  it('answers 503 with Retry-After when the database does not answer in time', async () => {
    configure(complete());
    const auth = await load('auth', 'locked');
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    await owner.query('begin; lock table authenticators');
    expect(await auth('GET /api/auth/v7.0/authenticators')).toMatchObject({
      statusCode: 503,
      headers: { 'retry-after': '5' },
      body: { code: 'database_unavailable', retryable: true },
    });
    await owner.end();
    expect(await auth('GET /api/auth/v7.0/authenticators')).toMatchObject({ statusCode: 200 });
  });

  it('answers 500 while it is not configured, and starts as soon as it is', async () => {
    const errorLog = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    // The test runner has a different BASE_URL.
    configure({ DATABASE_URL: '', BASE_URL: '', SECRET_KEY: '' });
    const userinfo = await load('userinfo', 'unconfigured');
    expect(await userinfo('GET /api/userinfo')).toMatchObject({
      statusCode: 500,
      body: { code: 'internal' },
    });
    const [line] = errorLog.mock.calls.map(([text]) => JSON.parse(String(text)));
    errorLog.mockRestore();
    expect(line.faults.map((fault: string) => fault.split(':')[0])).toEqual([
      'DATABASE_URL',
      'BASE_URL',
      'SECRET_KEY',
    ]);
    configure(complete());
    expect(await userinfo('GET /api/userinfo')).toMatchObject({ statusCode: 401 });
  });

  it('answers 401 and 404 with problem documents', async () => {
    const userinfo = await load('userinfo');
    const stranger = await userinfo('GET /api/userinfo');
    expect(stranger).toMatchObject({
      statusCode: 401,
      isBase64Encoded: false,
      body: { code: 'unauthenticated' },
    });
    expect(stranger.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'x-request-id': stranger.body.instance,
      'www-authenticate': 'Token realm="aggregator"',
    });
    expect(await userinfo('GET /api/userinfo/nothing')).toMatchObject({ statusCode: 404 });
  });

  it('sends Strict-Transport-Security with every answer, for the hosts that HSTS names', async () => {
    const hsts = async (route: string, instance = 'first') =>
      (await (await load('userinfo', instance))(route)).headers['strict-transport-security'];
    for (const route of ['GET /api/userinfo', 'GET /api/userinfo/nothing', 'OPTIONS /api/userinfo'])
      expect(await hsts(route)).toBe('max-age=31536000');
    configure({ HSTS: 'off' });
    expect(await hsts('GET /api/userinfo', 'without')).toBeUndefined();
    configure({ HSTS: 'subdomains' });
    expect(await hsts('GET /api/userinfo', 'wide')).toBe('max-age=31536000; includeSubDomains');
    configure({ HSTS: '', SECRET_KEY: '' });
    const errorLog = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(await hsts('GET /api/userinfo', 'broken')).toBe('max-age=31536000');
    errorLog.mockRestore();
    configure(complete());
  });

  it('logs in, reads and writes with pg', async () => {
    const [auth, userinfo, webui] = [await load('auth'), await load('userinfo'), await load('webui')];
    const login = await auth('POST /api/auth/v7.0/login', {
      body: { username: 'admin', password, authSmallName: 'builtin' },
    });
    expect(login).toMatchObject({ statusCode: 200, body: { result: 'ok' } });
    const { token } = login.body;
    const me = await userinfo('GET /api/userinfo', { token });
    expect(me).toMatchObject({ statusCode: 200, body: { name: 'admin' } });
    const site = { token, body: { name: 'North', uri: 'north' } };
    expect(await webui('POST /api/webui/aggregator/sites', site)).toMatchObject({ statusCode: 201 });
    const found = await webui('GET /api/webui/aggregator/sites', { token, query: 'search=nor&limit=1' });
    expect(found).toMatchObject({ statusCode: 200, body: { items: [{ uri: 'north' }], next: null } });
  });

  it('sends images as unchanged bytes', async () => {
    const [auth, userinfo, webui] = [await load('auth'), await load('userinfo'), await load('webui')];
    const body = { username: 'admin', password, authSmallName: 'builtin' };
    const { token } = (await auth('POST /api/auth/v7.0/login', { body })).body;
    const made = async (collection: string, given: object): Promise<Json> =>
      (await webui(`POST /api/webui/aggregator/${collection}`, { token, body: given })).body;
    const site = await made('sites', { name: 'Pictures', uri: 'pictures' });
    const [image, match_tags] = [dataUri('png', png()), { any: ['office'] }];
    const rule = await made('rules', { name: 'Pictured', site_id: site.id, match_tags, image });
    const got = await userinfo(`GET /api/userinfo/images/${rule.image_id}`, { token });
    expect(got).toMatchObject({ statusCode: 200, isBase64Encoded: true, body: png().toString('base64') });
    expect(got.headers).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' });
  });

  it('finds the assets of pages beside its bundle', async () => {
    const page = await (await load('auth'))('GET /signin');
    expect(page).toMatchObject({ statusCode: 200, body: expect.stringContaining('<title>Sign in') });
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8' });
  });

  it('serves the reference only with a browser session, page and files alike', async () => {
    const [auth, discover] = [await load('auth'), await load('discover', 'reference')];
    const reader = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
    const paths = ['/api/docs/', ...filesOfReference];
    for (const path of paths) {
      const sent = await discover(`GET ${path}`, { headers: reader });
      expect(sent).toMatchObject({ statusCode: 302 });
      expect(sent.headers).toMatchObject({ location: `/signin?next=${encodeURIComponent(path)}` });
      expect(await discover(`GET ${path}`)).toMatchObject({ statusCode: 401 });
    }
    const body = { username: 'admin', password, authSmallName: 'builtin' };
    const signedIn = await auth('POST /signin', { body, headers: reader });
    const headers = { ...reader, cookie: signedIn.cookies?.[0]?.split(';')[0] ?? '' };
    const page = await discover('GET /api/docs/', { headers });
    expect(page).toMatchObject({ statusCode: 200, body: expect.stringContaining(styleOfReference) });
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'nonce-/);
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    for (const path of paths.slice(1)) {
      const file = await discover(`GET ${path}`, { headers });
      expect(file.statusCode).toBe(200);
      expect(file.body.length).toBeGreaterThan(10_000);
    }
  });

  it('leads browsers to the address with its slash, which is not redirected again', async () => {
    const headers = { accept: 'text/html' };
    for (const [module, path] of [
      ['home', '/home'],
      ['console', '/console'],
    ] as const) {
      const app = await load(module);
      const [first, second] = [await app(`GET ${path}`, { headers }), await app(`GET ${path}/`, { headers })];
      expect([first.statusCode, first.headers.location]).toEqual([302, `${path}/`]);
      expect(second.headers.location).toBe(`/signin?next=${encodeURIComponent(`${path}/`)}`);
    }
  });

  it('sends a file of the reference compressed, in base64', async () => {
    const [auth, discover] = [await load('auth'), await load('discover', 'reference')];
    const body = { username: 'admin', password, authSmallName: 'builtin' };
    const signedIn = await auth('POST /signin', { body, headers: { 'sec-fetch-site': 'same-origin' } });
    const cookie = signedIn.cookies?.[0]?.split(';')[0] ?? '';
    for (const path of filesOfReference) {
      const plain = await discover(`GET ${path}`, { headers: { cookie } });
      const packed = await discover(`GET ${path}`, { headers: { cookie, 'accept-encoding': 'gzip, br' } });
      expect(packed).toMatchObject({ statusCode: 200, isBase64Encoded: true });
      expect(packed.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
      const text = brotliDecompressSync(Buffer.from(String(packed.body), 'base64')).toString();
      expect(text === plain.body).toBe(true);
    }
  });

  it('sends the files of the page of the user compressed, and its icons as unchanged bytes', async () => {
    const home = await load('home');
    const { script } = await webPageOf(ownAssets(), 'home');
    const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const coding of ['br', 'gzip'] as const) {
      const file = await home(`GET /home/files/${script}`, { headers: { 'accept-encoding': coding } });
      expect(file).toMatchObject({ statusCode: 200, isBase64Encoded: true });
      expect(file.headers).toMatchObject({
        'content-encoding': coding,
        'cache-control': 'public, max-age=31536000, immutable',
      });
      const text = decoders[coding](Buffer.from(String(file.body), 'base64')).toString();
      expect(text).toBe(await ownAssets().text(script));
    }
    const icon = await home('GET /home/icons/icon-192.png');
    expect(Buffer.from(String(icon.body), 'base64').equals(await ownAssets().bytes('icon-192.png'))).toBe(
      true,
    );
  });

  it('takes the client address from the event, whatever the headers contain', async () => {
    const errorLog = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    configure({ LOG_LEVEL: 'info' });
    await (await load('discover'))('GET /livez');
    configure({ LOG_LEVEL: 'error' });
    const line = errorLog.mock.calls.map(([text]) => JSON.parse(String(text))).find(({ status }) => status);
    errorLog.mockRestore();
    expect(line).toMatchObject({ status: 200, client_ip: '198.51.100.7' });
  });

  it('is ready after a write to the database', async () => {
    const answer = await (await load('discover'))('GET /readyz');
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
  });

  it('answers a REST API like an HTTP API, and takes the client address from its event as well', async () => {
    const errorLog = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    configure({ LOG_LEVEL: 'info' });
    const file = bundles.find(({ module }) => module === 'auth')?.file;
    const { handler } = await import(/* @vite-ignore */ `file://${file}?rest`);
    const credentials = { username: 'admin', password, authSmallName: 'builtin' };
    const answer = await invoke(
      handler,
      restEventOf({
        method: 'POST',
        path: '/signin',
        headers: {
          host: 'portal.example',
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
          'x-forwarded-for': '203.0.113.9',
        },
        body: Buffer.from(JSON.stringify(credentials)),
        sourceIp: '198.51.100.8',
      }),
    );
    configure({ LOG_LEVEL: 'error' });
    const line = errorLog.mock.calls.map(([text]) => JSON.parse(String(text))).find(({ status }) => status);
    errorLog.mockRestore();
    expect(line).toMatchObject({ status: 200, client_ip: '198.51.100.8' });
    expect(answer).toMatchObject({
      statusCode: 200,
      multiValueHeaders: {
        'content-type': ['application/json; charset=utf-8'],
        'set-cookie': [expect.stringMatching(/^__Host-session=/)],
      },
    });
  });

  it('reports its portal when a schedule invokes it, and still answers requests', async () => {
    const { handler } = await import(/* @vite-ignore */ `file://${fileOf('aggregator')}?scheduled`);
    const event = { 'detail-type': 'Scheduled Event', source: 'aws.events', time: '2026-11-21T08:30:00Z' };
    const ended = vi.fn();
    await handler(event, { end: ended });
    expect(ended).toHaveBeenCalledOnce();
    const [auth, webui, aggregator] = [await load('auth'), await load('webui'), await load('aggregator')];
    const body = { username: 'admin', password, authSmallName: 'builtin' };
    const { token } = (await auth('POST /api/auth/v7.0/login', { body })).body;
    const listed = await webui('GET /api/webui/aggregator/appnodes/portals', {
      token,
      query: 'runtime=lambda',
    });
    expect(listed.body.items).toMatchObject([{ name: 'portal.example', state: 'online' }]);
    const self = await aggregator('GET /api/aggregator/v7.0/portals/self', { token });
    expect(self).toMatchObject({ statusCode: 200, body: { runtime: 'lambda', state: 'online' } });
  });

  it('fails a scheduled run with an error, so that the platform retries it', async () => {
    const errorLog = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    configure({ SECRET_KEY: '' });
    const { handler } = await import(/* @vite-ignore */ `file://${fileOf('aggregator')}?unconfigured`);
    const ended = vi.fn();
    const event = { 'detail-type': 'Scheduled Event', source: 'aws.scheduler' };
    await expect(handler(event, { end: ended })).rejects.toThrow(/SECRET_KEY/);
    expect(ended).toHaveBeenCalledOnce();
    errorLog.mockRestore();
    configure(complete());
  });
});
