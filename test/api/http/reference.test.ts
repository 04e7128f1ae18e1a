import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { lintDocument } from '../../../shared/tooling/document/lint.ts';
import { filesOfReference } from '../../support/documents/reference-files.ts';
import { addMember, useWorld } from '../../support/factories.ts';
import { type Answer, adminPassword, type Json, startPortal, type TestPortal } from '../../support/portal.ts';

const world = useWorld();
let cookie: string;
let token: string;

const signIn = async (portal: TestPortal, username = 'admin', password = adminPassword): Promise<string> => {
  const answer = await portal.send('POST /signin', {
    body: { username, password, authSmallName: 'builtin' },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  expect(answer.status).toBe(200);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
};
const visit = (path: string, headers: Record<string, string> = {}, portal = world.portal): Promise<Answer> =>
  portal.send(`GET ${path}`, { headers });

beforeAll(async () => {
  cookie = await signIn(world.portal);
  token = await world.portal.login();
});

const documents = ['/api/openapi.json', '/api/openapi.yaml'];
const pages = ['/api/docs/', '/api/docs', ...filesOfReference];

describe('the API reference', () => {
  it.each([...pages, ...documents])('%s is refused without a session', async (path) => {
    expect((await visit(path)).body.code).toBe('unauthenticated');
    for (const wrong of ['__Host-session=x', `__Host-session=${token}`])
      expect((await visit(path, { cookie: wrong })).body.code).toBe('invalid_token');
    const read = await visit(path, { accept: 'text/html,*/*' });
    // An address without its slash leads to the page first.
    const to = path === '/api/docs' ? '/api/docs/' : `/signin?next=${encodeURIComponent(path)}`;
    expect([read.status, read.headers.get('location')]).toEqual([302, to]);
  });

  it('is a page that loads only its own files', async () => {
    const { status, headers, body } = await visit('/api/docs/', { cookie });
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/script-src 'nonce-[\w-]+' 'self'/);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('cache-control')).toContain('no-store');
    expect(body).not.toMatch(/https?:\/\/(?!www\.w3\.org)/);
    for (const path of pages.slice(2)) {
      const file = await visit(path, { cookie });
      expect([file.status, file.headers.get('cache-control')]).toEqual([
        200,
        'private, max-age=31536000, immutable',
      ]);
      expect(file.headers.get('content-type')).toMatch(
        path.endsWith('.js') ? /^text\/javascript/ : /^text\/css/,
      );
      expect(file.body.length).toBeGreaterThan(10_000);
      const etag = file.headers.get('etag') ?? '';
      const again = await visit(path, { cookie, 'if-none-match': etag });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag]);
    }
  });

  it('has no other files', async () => {
    const folder = filesOfReference[0]?.replace(/[^/]+$/, '');
    for (const file of ['package.json', 'app.html', 'docs.en.json', '..%2Fpackage.json', 'part-ABCDEFGH.js'])
      expect((await visit(`${folder}${file}`, { cookie })).status).toBe(404);
  });

  it('cannot be opened by a token, and the API not by the cookie', async () => {
    expect((await world.portal.send('GET /api/docs/', { token })).status).toBe(401);
    expect((await visit('/api/userinfo', { cookie })).body.code).toBe('unauthenticated');
    const value = cookie.slice(cookie.indexOf('=') + 1);
    for (const path of ['/api/userinfo', ...documents])
      expect((await world.portal.send(`GET ${path}`, { token: value })).body.code).toBe('invalid_token');
  });
});

describe('the served OpenAPI document', () => {
  it('is the same by cookie and by token, as JSON and as YAML', async () => {
    const [json, yaml] = [
      await visit('/api/openapi.json', { cookie }),
      await visit('/api/openapi.yaml', { cookie }),
    ];
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(yaml.headers.get('content-type')).toBe('application/yaml');
    expect(parse(yaml.body)).toEqual(json.body);
    expect((await world.portal.send('GET /api/openapi.json', { token })).body).toEqual(json.body);
    for (const { headers } of [json, yaml]) expect(headers.get('cache-control')).toBe('private, no-cache');
    const known = { 'if-none-match': json.headers.get('etag') ?? '' };
    expect((await visit('/api/openapi.json', { cookie, ...known })).status).toBe(304);
    expect((await visit('/api/openapi.yaml', { cookie, ...known })).status).toBe(200);
  });

  it('is refused to sessions of the user portal', async () => {
    const user = await addMember(world, []);
    for (const path of documents) expect((await user.ask(`GET ${path}`)).status).toBe(401);
  });
});

describe('a portal for administrators', () => {
  let admin: TestPortal;
  beforeAll(async () => {
    admin = await startPortal({ portalType: 'admin' });
  });
  afterAll(() => admin.close());

  it('serves a valid document of its own operations, without those of users only', {
    timeout: 60_000,
  }, async () => {
    const { body }: { body: Json } = await visit('/api/openapi.json', { cookie: await signIn(admin) }, admin);
    const universal = (await visit('/api/openapi.json', { cookie })).body;
    const paths = Object.keys(body.paths);
    const absent = Object.keys(universal.paths).filter((path) => !paths.includes(path));
    expect(absent.length).toBeGreaterThan(0);
    for (const path of absent) expect(path).toMatch(/^\/(aggregator\/api\/client|api\/wsproxy|home)\//);
    expect(body.tags.map(({ name }: Json) => name)).not.toContain('connection');
    expect(body['x-tagGroups'].map(({ name }: Json) => name)).not.toContain('client');
    expect(await lintDocument(JSON.stringify(body))).toEqual([]);
  });
});

describe('a portal for users', () => {
  let users: TestPortal;
  beforeAll(async () => {
    users = await startPortal({ portalType: 'user' });
  });
  afterAll(() => users.close());

  it('has neither the reference nor the document', async () => {
    const own = await signIn(users);
    for (const path of [...pages, ...documents])
      expect((await visit(path, { cookie: own, accept: 'text/html' }, users)).status).toBe(404);
  });
});
