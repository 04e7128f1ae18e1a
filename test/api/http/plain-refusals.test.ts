import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Ask,
  addDispatcher,
  addDomain,
  addMember,
  addSite,
  asker,
  base,
  domainBody,
  domainsPath,
  siteBody,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let admin: Ask;

beforeAll(async () => {
  ({ admin } = world);
});

const faults = async (route: string, body?: unknown): Promise<Json[]> =>
  (await admin(route, body)).body.errors;

describe('an error detail has a remedy:', () => {
  it('a missing property is named as required', async () => {
    const { name } = siteBody();
    const { body } = await admin(`POST ${base}/sites`, { name });
    expect(body).toMatchObject({
      code: 'invalid_request',
      detail: 'uri is required',
      errors: [{ pointer: '/uri', code: 'required', detail: 'uri is required' }],
    });
  });

  it('an unknown parameter is answered with the supported ones', async () => {
    const [fault] = await faults(`GET ${base}/sites?colour=red`);
    expect(fault).toMatchObject({ pointer: '?colour', code: 'unknown' });
    for (const known of ['limit', 'cursor', 'sort', 'search', 'enabled'])
      expect(fault?.detail).toContain(known);
    expect(await faults(`GET ${base}/sites/${world.site.id}?colour=red`)).toMatchObject([
      { pointer: '?colour', detail: 'Unknown parameter: the operation has no parameters' },
    ]);
  });

  it('a page number is answered with the cursor parameter', async () => {
    const [fault] = await faults(`GET ${base}/sites?page=2`);
    expect(fault?.detail).toMatch(/`next`.*`cursor`/);
    // Without cursors there is no such hint.
    expect((await faults(`GET ${base}/sites/${world.site.id}?page=2`))[0]?.detail).not.toContain('cursor');
  });

  it('two taken names are both reported', async () => {
    const [first, second] = [await addSite(admin), await addSite(admin)];
    const both = await admin(`POST ${base}/sites`, { name: first.name, uri: second.uri });
    expect([both.status, both.body.code]).toEqual([409, 'already_exists']);
    expect(both.body.errors.map(({ pointer }: Json) => pointer).sort()).toEqual(['/name', '/uri']);
    // A row that is changed does not conflict with itself.
    const changed = await admin(`PATCH ${base}/sites/${second.id}`, { name: first.name });
    expect(changed.body.errors).toMatchObject([{ pointer: '/name' }]);
    const [one, other] = [await addDomain(admin), await addDomain(admin)];
    const names = { name: other.name, small_name: one.small_name };
    const domain = await admin(`POST ${domainsPath}`, domainBody(names));
    expect(domain.body.errors.map(({ pointer }: Json) => pointer).sort()).toEqual(['/name', '/small_name']);
  });

  it('a token in the wrong header is reported with the right one', async () => {
    const { token } = await addMember(world, ['sites.read']);
    const nobody = asker(world.portal);
    const misplaced = await nobody(`GET ${base}/sites`, undefined, { authorization: `Bearer ${token}` });
    expect([misplaced.status, misplaced.body.code]).toEqual([401, 'unauthenticated']);
    expect(misplaced.body.detail).toContain('X-Auth-Token');
    const without = await nobody(`GET ${base}/sites`);
    expect(without.body.detail).not.toContain('Bearer');
  });
});

describe('an error names its subject:', () => {
  it('the properties are named where a body has several forms', async () => {
    const bulk = `POST ${base}/sites/bulk_destroy`;
    const oneOf = 'One of ids, all is required';
    expect(await faults(bulk, {})).toEqual([
      { pointer: '/ids', code: 'required', detail: oneOf },
      { pointer: '/all', code: 'required', detail: oneOf },
    ]);
    const onlyOne = 'Only one of all, ids is allowed';
    expect(await faults(bulk, { all: true, ids: [world.site.id] })).toEqual([
      { pointer: '/all', code: 'excluded', detail: onlyOne },
      { pointer: '/ids', code: 'excluded', detail: onlyOne },
    ]);
    const role = { name: 'x', permissions: [], scope: { sites: 7 } };
    expect(await faults(`POST ${base}/rbac`, role)).toEqual([
      { pointer: '/scope/sites', code: 'invalid_union', detail: 'Must be "*" or an array' },
    ]);
    const path = `${base}/workplaces/${world.farm.id}/message/${world.farm.id}`;
    expect(await faults(`POST ${path}`, {})).toMatchObject([
      { pointer: '/message', detail: 'message is required' },
      { pointer: '/workplaces' },
      { pointer: '/all' },
    ]);
  });

  it('the site of an error is given by its uri', async () => {
    const dispatcher = await addDispatcher(admin, world.farm, { url: 'https://127.0.0.1:1' });
    const { status, body } = await admin('POST /api/auth/v7.0/jwtauth', { dispatcher_id: dispatcher.id });
    expect([status, body.site]).toEqual([502, world.site.uri]);
  });

  it('a signed-in user without the right gets a page, and is not redirected to the login', async () => {
    const { user } = await addMember(world, []);
    const signedIn = await world.portal.send('POST /signin', {
      body: { username: user.name, password: 'seven purple lanterns drift', authId: world.domain.id },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const visit = (headers: Record<string, string>) => world.portal.send('GET /api/docs/', { headers });
    const page = await visit({ cookie, accept: 'text/html' });
    expect([page.status, page.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(page.body).toContain('administrator portal');
    expect((await visit({ accept: 'text/html' })).status).toBe(302);
    expect((await visit({ cookie })).status).toBe(401);
  });
});
