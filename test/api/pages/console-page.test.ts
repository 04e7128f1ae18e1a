import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webPageOf } from '../../../shared/http/pages/app-page.ts';
import { ownAssets } from '../../../shared/tooling/build/asset-files.ts';
import {
  addRole,
  addSite,
  addUser,
  goodPassword,
  startWorld,
  useWorld,
  type World,
} from '../../support/factories.ts';
import { type Answer, adminPassword, type Json } from '../../support/portal.ts';

const world = useWorld();
const html = { accept: 'text/html,*/*;q=0.8' };
const administrator = { username: 'admin', password: adminPassword, authSmallName: 'builtin' };

async function cookieOf({ portal }: World, body: object): Promise<string> {
  const answer = await portal.send('POST /signin', { body, headers: { 'sec-fetch-site': 'same-origin' } });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
const visit = ({ portal }: World, path: string, headers: Record<string, string> = {}) =>
  portal.send(`GET ${path}`, { headers: { ...html, ...headers } });
const factsIn = ({ body }: Answer) => JSON.parse(/id="facts">(.*?)<\/script>/s.exec(body)?.[1] ?? '{}');

it.each([
  '/signin?utm_source=mail',
  '/console/?utm_source=mail&utm_source=mail&__proto__=x',
])('a page ignores parameters that other programs append: %s', async (path) => {
  const cookie = await cookieOf(world, administrator);
  expect((await visit(world, path, { cookie })).status).toBe(200);
  const known = await visit(world, '/signin?next=%2F&next=%2F&fbclid=1');
  expect(known.status).toBe(422);
});

describe('the console', () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = await cookieOf(world, administrator);
  });

  it.each([
    '/console/',
    '/status',
  ])('is at %s, requests the overview at once, and is stored nowhere', async (path) => {
    const page = await visit(world, path, { cookie });
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(factsIn(page)).toMatchObject({
      user: { login: 'admin', portal: 'admin' },
      has_home: true,
      first: ['/api/webui/aggregator/dashboard/admin'],
    });
  });

  it('is in the language of the user, with the texts of that language', async () => {
    const page = await visit(world, '/console/', { cookie, 'accept-language': 'ru' });
    const { texts } = await webPageOf(ownAssets(), 'console');
    expect(page.body).toContain('<html lang="ru">');
    expect(page.body).toContain(texts.ru);
    expect(page.body).not.toContain(texts.en);
  });

  it('and its files are for administrators only, and no shared cache stores them', async () => {
    const page = await visit(world, '/console/', { cookie });
    const user = await addUser(world.admin, world.domain);
    const ofUser = await cookieOf(world, {
      username: user.name,
      password: goodPassword,
      authId: world.domain.id,
    });
    expect((await visit(world, '/console/', { cookie: ofUser })).status).toBe(403);
    const addresses = [...page.body.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(addresses.length).toBeGreaterThan(2);
    for (const path of addresses) {
      const get = (headers: Record<string, string>) => world.portal.send(`GET ${path}`, { headers });
      expect([path, (await get({})).status, (await get({ cookie: ofUser })).status]).toEqual([
        path,
        401,
        401,
      ]);
      const file = await get({ cookie });
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
      const again = await get({ cookie, 'if-none-match': file.headers.get('etag') ?? '' });
      expect([again.status, again.body]).toEqual([304, '']);
    }
  });
});

describe('the rights that the console writes into its page', () => {
  const factsOf = async (user: Json) => {
    const cookie = await cookieOf(world, {
      username: user.name,
      password: goodPassword,
      authId: world.domain.id,
    });
    return factsIn(await visit(world, '/console/', { cookie }));
  };

  it('have their sites, unless they apply in all', async () => {
    const [amber, birch] = [await addSite(world.admin), await addSite(world.admin)];
    const wide = await addRole(world.admin, ['sites.read', 'roles.read']);
    const both = await addRole(world.admin, ['farms.read', 'sites.read'], {
      scope: { sites: [amber.id, birch.id] },
    });
    const one = await addRole(world.admin, ['farms.update', 'farms.read'], { scope: { sites: [amber.id] } });
    const user = await addUser(world.admin, world.domain, { roles: [wide.id, both.id, one.id] });
    expect(await factsOf(user)).toMatchObject({
      permissions: ['farms.read', 'farms.update', 'roles.read', 'sites.read'],
      limited: [
        { permissions: ['farms.read'], sites: [amber.id, birch.id].toSorted() },
        { permissions: ['farms.update'], sites: [amber.id] },
      ],
    });
  });

  it('have no sites of an administrator of all of them', async () => {
    const role = await addRole(world.admin, ['sites.read']);
    const user = await addUser(world.admin, world.domain, { roles: [role.id] });
    expect(await factsOf(user)).toMatchObject({ permissions: ['sites.read'], limited: [] });
  });
});

describe('the console of a portal for administrators', () => {
  let other: World;
  beforeAll(async () => {
    other = await startWorld({ portalType: 'admin' });
  });
  afterAll(() => other?.portal.close());

  it('has no link to the pages of users', async () => {
    const page = await visit(other, '/console/', { cookie: await cookieOf(other, administrator) });
    expect(factsIn(page).has_home).toBe(false);
  });
});
