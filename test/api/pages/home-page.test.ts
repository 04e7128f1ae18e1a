import { describe, expect, it } from 'vitest';
import { webPageOf } from '../../../shared/http/pages/app-page.ts';
import { ownAssets } from '../../../shared/tooling/build/asset-files.ts';
import { addSite, addUser, goodPassword, useWorld } from '../../support/factories.ts';
import { type Answer, adminPassword } from '../../support/portal.ts';

const world = useWorld();
const html = { accept: 'text/html,*/*;q=0.8' };

/** The cookie of a user of the domain of the world, or of the administrator. */
async function cookieOf(user?: { name: string }): Promise<string> {
  const body = user
    ? { username: user.name, password: goodPassword, authId: world.domain.id }
    : { username: 'admin', password: adminPassword, authSmallName: 'builtin' };
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answer = await world.portal.send('POST /signin', { body, headers });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
const visit = (path: string, headers: Record<string, string> = {}) =>
  world.portal.send(`GET ${path}`, { headers: { ...html, ...headers } });
const leadsTo = ({ status, headers }: Answer) => [status, headers.get('location')];
const factsIn = ({ body }: Answer) => JSON.parse(/id="facts">(.*?)<\/script>/s.exec(body)?.[1] ?? '{}');

describe('the page of the user', () => {
  it('has the sites of the user only, and is stored nowhere', async () => {
    const user = await addUser(world.admin, world.domain, { real_name: '</script><b>Ada' });
    const site = await addSite(world.admin, { authenticators: [world.domain.id] });
    await addSite(world.admin, { authenticators: [] });
    const page = await visit('/home/', { cookie: await cookieOf(user) });
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('private, no-store');
    const facts = factsIn(page);
    expect(facts.user).toEqual({
      ...{ id: user.id, login: user.name },
      ...{ name: '</script><b>Ada', portal: 'user' },
    });
    expect(facts.sites).toEqual([{ id: site.id, uri: site.uri, name: site.name }]);
    expect(facts.first).toEqual([`/aggregator/api/client/v7.0/${site.uri}/servicesList/`]);
    expect(page.body).not.toContain('</script><b>');
  });

  it('loads its own files only, by a policy without exceptions', async () => {
    const user = await addUser(world.admin, world.domain);
    const page = await visit('/home/', { cookie: await cookieOf(user) });
    const policy = page.headers.get('content-security-policy') ?? '';
    const [, nonce] = /script-src 'nonce-([\w-]+)' 'self';/.exec(policy) ?? [];
    expect(policy).toContain(`style-src 'nonce-${nonce}' 'self'`);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const addresses = [...page.body.matchAll(/(?:src|href)="(\/home\/files\/[^"]+)"/g)].map(
      ([, path]) => path ?? '',
    );
    expect(addresses.length).toBeGreaterThan(3);
    for (const path of addresses) {
      const file = await world.portal.send(`GET ${path}`);
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      const etag = file.headers.get('etag') ?? '';
      const again = await world.portal.send(`GET ${path}`, { headers: { 'if-none-match': etag } });
      expect([again.status, again.body]).toEqual([304, '']);
    }
  });

  it('is in the language of the user, with the texts of that language', async () => {
    const user = await addUser(world.admin, world.domain);
    const page = await visit('/home/', { cookie: await cookieOf(user), 'accept-language': 'ru' });
    const { texts } = await webPageOf(ownAssets(), 'home');
    expect(page.body).toContain('<html lang="ru">');
    expect(page.body).toContain(texts.ru);
    expect(page.body).not.toContain(texts.en);
  });

  it.each([
    'home-ABCDEFGH.js',
    'home.html',
    'web-pages.json',
    '..%2Fsignin.js',
  ])('has no file %s', async (name) => {
    const { status } = await world.portal.send(`GET /home/files/${name}`);
    expect([404, 422]).toContain(status);
  });
});

describe('a browser at the address of the portal', () => {
  it('is led to the sign-in page, and with a session to the first page for the user', async () => {
    expect(leadsTo(await visit('/'))).toEqual([302, '/signin?next=%2F']);
    expect((await visit('/signin?next=%2F')).status).toBe(200);
    const user = await addUser(world.admin, world.domain);
    const next = async (cookie: string) => leadsTo(await visit('/signin?next=%2F', { cookie }));
    expect(await next(await cookieOf(user))).toEqual([302, '/home/']);
    expect(await next(await cookieOf())).toEqual([302, '/console/']);
    const due = await addUser(world.admin, world.domain, { must_change_password: true });
    expect((await visit('/signin?next=%2F', { cookie: await cookieOf(due) })).status).toBe(200);
  });

  it.each(['/nothing', '/home/nothing', '/api/nothing'])('gets a page for %s', async (path) => {
    const page = await visit(path, { 'accept-language': 'ru' });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.body).toMatch(/<h1>\p{Script=Cyrillic}/u);
    const program = await world.portal.send(`GET ${path}`);
    expect([program.status, program.body.code]).toEqual([404, 'not_found']);
  });
});

describe('the sign-in page', () => {
  it('has the domains in it, so that a form that is sent at once is not lost', async () => {
    const { domains } = factsIn(await visit('/signin'));
    expect(domains).toContainEqual({ id: world.domain.id, name: world.domain.name });
  });

  it('never puts a password into an address without its script', async () => {
    const { body } = await visit('/signin');
    expect(body).not.toMatch(/<form|<input/);
  });
});

describe('an address without its slash', () => {
  it.each([
    ['/home', '/home/'],
    ['/console', '/console/'],
    ['/api/docs', '/api/docs/'],
    ['/home?from=menu', '/home/?from=menu'],
  ])('%s leads a browser to %s, with or without a session', async (path, address) => {
    for (const headers of [{}, { cookie: await cookieOf() }])
      expect(leadsTo(await visit(path, headers))).toEqual([302, address]);
  });

  it('is the same for programs, and other pages have none', async () => {
    const program = await world.portal.send('GET /home', { headers: { accept: 'application/json' } });
    expect(program.status).toBe(401);
    expect((await visit('/status', { cookie: await cookieOf() })).status).toBe(200);
    expect((await visit('/home/', { cookie: await cookieOf() })).status).toBe(200);
  });
});
