import { describe, expect, it } from 'vitest';
import {
  addDomain,
  addFarm,
  addGroup,
  addSite,
  addUser,
  adminOf,
  base,
  domainsPath,
  groupsPath,
  siteBody,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/sites`;
const world = useWorld();
const admin = adminOf(world);

const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

describe('sites', () => {
  it('have every property in their answers, with defaults', async () => {
    const body = siteBody();
    const made = (await admin(`POST ${path}`, body)).body;
    expect(made).toEqual({
      ...body,
      id: made.id,
      comments: '',
      enabled: true,
      maintenance: false,
      maintenance_template_id: null,
      priority: 1,
      direct_when_gateways_fail: false,
      location: null,
      authenticators: [],
      users: [],
      groups: [],
      gateways: [],
      farms_count: 0,
      rules_count: 0,
      status: 'unknown',
      state: 'unknown',
      created_at: made.created_at,
      updated_at: made.created_at,
    });
  });

  it('merge a location property by property, and remove it with null', async () => {
    const site = await addSite(admin, { location: { latitude: 59.9, longitude: 30.3, country: 'RU' } });
    const patch = async (location: unknown) => admin(`PATCH ${path}/${site.id}`, { location });
    expect((await patch({ latitude: 60 })).body.location).toEqual({
      latitude: 60,
      longitude: 30.3,
      country: 'RU',
    });
    expect((await patch({ country: null })).body.location).toEqual({
      latitude: 60,
      longitude: 30.3,
      country: '',
    });
    const refused = await patch({ latitude: 91, altitude: 5 });
    expect(refused.body.errors.map(({ pointer }: Json) => pointer).sort()).toEqual([
      '/location/altitude',
      '/location/latitude',
    ]);
    expect((await patch({ latitude: null })).body.errors).toMatchObject([{ pointer: '/location/latitude' }]);
    expect((await patch(null)).body.location).toBeNull();
  });

  it('do not take a location from an object prototype', async () => {
    const site = await addSite(admin);
    const text = '{"location":{"__proto__":{"latitude":1,"longitude":2}}}';
    expect((await admin(`PATCH ${path}/${site.id}`, text)).status).toBe(422);
    expect((await admin(`GET ${path}/${site.id}`)).body.location).toBeNull();
  });

  it.each([
    'North',
    'a--b',
    '-a',
    'a-',
    'a b',
    '',
    'ё',
    'a'.repeat(64),
    '../x',
  ])('reject the uri "%s"', async (uri) => {
    const { status, body } = await admin(`POST ${path}`, siteBody({ uri }));
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, '/uri']);
  });

  it('have a unique uri, and the conflict names the existing site', async () => {
    const [first, second] = [await addSite(admin), await addSite(admin)];
    const created = await admin(`POST ${path}`, siteBody({ uri: first.uri }));
    expect(created.body).toMatchObject({
      code: 'already_exists',
      existing_id: first.id,
      errors: [{ pointer: '/uri' }],
    });
    const moved = await admin(`PATCH ${path}/${second.id}`, { uri: first.uri });
    expect(moved.body).toMatchObject({
      code: 'already_exists',
      existing_id: first.id,
      errors: [{ pointer: '/uri' }],
    });
  });

  it.each([
    ['priority', '1e400'],
    ['priority', '9007199254740993'],
    ['priority', '-1'],
    ['priority', '1.5'],
    ['priority', '"1"'],
    ['enabled', '1'],
    ['name', '"\\ud800"'],
    ['users', '["nobody"]'],
    ['users', '"all"'],
  ])('reject %s with the value %s', async (member, value) => {
    const text = JSON.stringify(siteBody({ [member]: '$' })).replace('"$"', value);
    const { status, body } = await admin(`POST ${path}`, text);
    expect([status, body.errors?.[0]?.pointer.split('/')[1]]).toEqual([422, member]);
  });

  it('reject bodies that are not a JSON object, ambiguous, too deep or too large', async () => {
    const bad = ['[]', '"x"', '{', '{"name":"a","name":"b","uri":"u"}'];
    for (const text of bad) {
      const { status, body } = await admin(`POST ${path}`, text);
      expect([text.slice(0, 20), status, body.code]).toEqual([text.slice(0, 20), 400, 'malformed_json']);
    }
    expect((await admin(`POST ${path}`, '')).status).toBe(422);
    const deep = `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    expect((await admin(`POST ${path}`, deep)).status).toBe(422);
    expect((await admin(`POST ${path}`, { comments: 'x'.repeat(262_144) })).status).toBe(413);
    expect((await admin(`POST ${path}`, { comments: 'x'.repeat(262_000) })).status).toBe(422);
    expect((await admin(`POST ${path}`, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('name domains, users and groups once each, and existing ones only', async () => {
    const [user, group] = [await addUser(admin, world.domain), await addGroup(admin, world.domain)];
    const site = await addSite(admin, {
      authenticators: [world.domain.id, world.domain.id.toUpperCase()],
      users: [user.id, user.id],
      groups: [group.id],
    });
    expect([site.authenticators, site.users, site.groups]).toEqual([
      [world.domain.id],
      [user.id],
      [group.id],
    ]);
    for (const member of ['authenticators', 'users', 'groups']) {
      const { status, body } = await admin(`PATCH ${path}/${site.id}`, { [member]: [unknownId] });
      expect([status, body.errors]).toEqual([
        422,
        [expect.objectContaining({ pointer: `/${member}`, code: 'not_found' })],
      ]);
    }
    const emptied = await admin(`PATCH ${path}/${site.id}`, { authenticators: [], users: null, groups: [] });
    expect([emptied.body.authenticators, emptied.body.users, emptied.body.groups]).toEqual([[], [], []]);
  });

  it('prevent the deletion of the objects they name, and are listed as references', async () => {
    const domain = await addDomain(admin);
    const [user, group] = [await addUser(admin, domain), await addGroup(admin, domain)];
    const site = await addSite(admin, { authenticators: [domain.id], users: [user.id], groups: [group.id] });
    const reference = { type: 'site', id: site.id, name: site.name };
    const named = [
      `${domainsPath}/${domain.id}`,
      `${usersPath(domain)}/${user.id}`,
      `${groupsPath(domain)}/${group.id}`,
    ];
    for (const one of named) {
      const { status, body } = await admin(`DELETE ${one}`);
      expect([status, body.code]).toEqual([409, 'in_use']);
      expect(body.references).toContainEqual(reference);
      expect((await admin(`GET ${one}`)).status).toBe(200);
    }
    await admin(`DELETE ${path}/${site.id}`);
    for (const one of [...named].reverse()) expect((await admin(`DELETE ${one}`)).status).toBe(204);
  });

  it('with farms cannot be deleted', async () => {
    const site = await addSite(admin);
    const farm = await addFarm(admin, site);
    expect((await admin(`GET ${path}/${site.id}`)).body.farms_count).toBe(1);
    const { status, body } = await admin(`DELETE ${path}/${site.id}`);
    expect([status, body.references]).toEqual([409, [{ type: 'farm', id: farm.id, name: farm.name }]]);
  });

  it('are filtered by their state', async () => {
    const prefix = unique('filtered');
    const add = (end: string, given: object) => addSite(admin, { name: `${prefix} ${end}`, ...given });
    await add('a', {});
    await add('b', { enabled: false });
    await add('c', { maintenance: true });
    const list = async (query: string) =>
      (await admin(`GET ${path}?search=${prefix}&${query}`)).body.items
        .map(({ name }: Json) => name.slice(-1))
        .join('');
    expect(await list('enabled=true')).toBe('ac');
    expect(await list('enabled=false')).toBe('b');
    expect(await list('maintenance=true&enabled=true')).toBe('c');
    expect(await list('status=unknown')).toBe('abc');
    expect(await list('status=pass')).toBe('');
    expect((await admin(`GET ${path}?enabled=yes`)).body.errors).toMatchObject([{ pointer: '?enabled' }]);
    expect((await admin(`GET ${path}?status=well`)).body.errors).toMatchObject([{ pointer: '?status' }]);
  });

  it('can choose from the users and groups of all domains by name, page by page', async () => {
    const prefix = unique('Shared');
    const domain = await addDomain(admin);
    const user = await addUser(admin, domain, { name: `${prefix} b` });
    await addGroup(admin, domain, { name: `${prefix} a` });
    await addUser(admin, world.domain, { name: `${prefix} c` });
    const offer = `GET ${path}/users-groups-from-domains`;
    const first = (await admin(`${offer}?search=${prefix.toUpperCase()}&limit=2`)).body;
    expect(first.items.map(({ name, type }: Json) => [name.slice(-1), type])).toEqual([
      ['a', 'group'],
      ['b', 'user'],
    ]);
    expect(first.items[1]).toEqual({
      authenticator_id: domain.id,
      authenticator_name: domain.name,
      type: 'user',
      id: user.id,
      name: user.name,
    });
    const rest = (await admin(`${offer}?search=${prefix.toUpperCase()}&limit=2&cursor=${first.next}`)).body;
    expect(rest.items.map(({ name }: Json) => name.slice(-1))).toEqual(['c']);
    expect(rest.next).toBeNull();
    const own = (await admin(`${offer}?search=${prefix}&authenticator=${world.domain.id}`)).body;
    expect(own.items).toHaveLength(1);
    expect((await admin(`${offer}?cursor=${first.next}`)).status).toBe(400);
  });
});
