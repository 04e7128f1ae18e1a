import { describe, expect, it } from 'vitest';
import {
  addDomain,
  addGroup,
  addRole,
  addUser,
  adminOf,
  base,
  builtin,
  builtinRole,
  domainBody,
  domainsPath,
  goodPassword,
  groupsPath,
  logIn,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);

const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const pointers = ({ body }: Json): string[] => body.errors?.map(({ pointer }: Json) => pointer) ?? [];

describe('authentication domains', () => {
  it('have every property in their answers, with defaults', async () => {
    const body = domainBody();
    const made = (await admin(`POST ${domainsPath}`, body)).body;
    expect(made).toEqual({
      ...body,
      id: made.id,
      uuid: made.id,
      comments: '',
      priority: 1,
      state: 'visible',
      subjects: 'all',
      two_factor: false,
      params: {},
      tags: [],
      attributes: [],
      users_count: 0,
      groups_count: 0,
      account_refused_at: null,
      account_retry_at: null,
      directory_authority: null,
      other_directory: null,
      other_directory_at: null,
      created_at: made.created_at,
      updated_at: made.created_at,
    });
  });

  it('have a unique label in any case, and the conflict names the existing domain', async () => {
    const [first, second] = [await addDomain(admin), await addDomain(admin)];
    const small_name = first.small_name.toUpperCase();
    const twin = { code: 'already_exists', existing_id: first.id, errors: [{ pointer: '/small_name' }] };
    expect((await admin(`POST ${domainsPath}`, domainBody({ small_name }))).body).toMatchObject(twin);
    expect((await admin(`PATCH ${domainsPath}/${second.id}`, { small_name })).body).toMatchObject(twin);
  });

  it.each([
    ['small_name', 'a b'],
    ['small_name', 'ё'],
    ['small_name', ''],
    ['small_name', 'x'.repeat(65)],
    ['state', 'off'],
    ['subjects', 'nobody'],
    ['params', { hosts: [] }],
    ['tags', ['']],
    ['priority', 10_001],
  ])('reject %s with the value %j', async (member, value) => {
    const answer = await admin(`POST ${domainsPath}`, domainBody({ [member]: value }));
    expect([answer.status, pointers(answer)[0]?.split('/')[1]]).toEqual([422, member]);
  });

  it('keep their type', async () => {
    const domain = await addDomain(admin);
    expect((await admin(`PATCH ${domainsPath}/${domain.id}`, { type: 'ldap' })).status).toBe(422);
    expect((await admin(`PATCH ${domainsPath}/${domain.id}`, { type: 'internal' })).status).toBe(200);
  });

  it('are filtered by type, state and tag', async () => {
    const tag = unique('tag');
    const [hidden, visible] = [
      await addDomain(admin, { state: 'hidden', tags: [tag, 'x'] }),
      await addDomain(admin, { tags: [tag] }),
    ];
    const list = async (query: string) =>
      (await admin(`GET ${domainsPath}?tag=${tag}&${query}`)).body.items.map(({ id }: Json) => id).sort();
    expect(await list('')).toEqual([hidden.id, visible.id].sort());
    expect(await list('state=hidden')).toEqual([hidden.id]);
    expect(await list('type=ldap')).toEqual([]);
    expect((await admin(`GET ${domainsPath}?state=off`)).status).toBe(422);
  });

  it('are deleted with their users and groups', async () => {
    const domain = await addDomain(admin);
    const group = await addGroup(admin, domain);
    await addUser(admin, domain, { groups: [group.id] });
    expect((await admin(`GET ${domainsPath}/${domain.id}`)).body).toMatchObject({
      users_count: 1,
      groups_count: 1,
    });
    expect((await admin(`DELETE ${domainsPath}/${domain.id}`)).status).toBe(204);
    expect((await admin(`GET ${usersPath(domain)}`)).status).toBe(404);
  });

  it('that are built in can be neither changed nor deleted', async () => {
    const { domain } = await builtin(admin);
    const one = `${domainsPath}/${domain.id}`;
    const attempts = [
      admin(`DELETE ${one}`),
      admin(`PATCH ${one}`, { state: 'disabled' }),
      admin(`PATCH ${one}`, { comments: 'x' }),
      admin(`PUT ${one}`, domain),
    ];
    for (const { status, body } of await Promise.all(attempts))
      expect([status, body.code, body.reason]).toEqual([409, 'invalid_state', 'builtin']);
    expect((await admin(`GET ${one}`)).body).toEqual(domain);
  });

  it('are listed for logins by priority, then name', async () => {
    const prefix = unique('z');
    const add = (end: string, priority: number) => addDomain(admin, { name: `${prefix} ${end}`, priority });
    for (const [end, priority] of [
      ['b', 5],
      ['A', 5],
      ['c', 4],
    ] as const)
      await add(end, priority);
    const { body } = await world.portal.send('GET /api/auth/v7.0/authenticators');
    const own = body.filter(({ auth }: Json) => auth.startsWith(prefix));
    expect(own.map(({ auth }: Json) => auth.slice(-1))).toEqual(['c', 'A', 'b']);
    const members = 'auth authSmallName authUuid flow isCustom isPkinit isTwoFactor priority type';
    expect(Object.keys(own[0]).sort()).toEqual(members.split(' '));
  });
});

describe('groups', () => {
  it('keep their name and external id, and count their members', async () => {
    const group = await addGroup(admin, world.domain, { external_id: 'CN=x,DC=y' });
    const one = `${groupsPath(world.domain)}/${group.id}`;
    for (const change of [{ name: unique('other') }, { external_id: 'CN=z' }, { external_id: null }]) {
      const { status, body } = await admin(`PATCH ${one}`, change);
      expect([status, body.errors]).toEqual([
        422,
        [expect.objectContaining({ pointer: `/${Object.keys(change)[0]}`, code: 'immutable' })],
      ]);
    }
    await addUser(admin, world.domain, { groups: [group.id] });
    expect((await admin(`GET ${one}`)).body).toMatchObject({
      users_count: 1,
      external_id: 'CN=x,DC=y',
      groups: [],
    });
  });

  it('are filtered by type and state', async () => {
    const domain = await addDomain(admin);
    const [active, inactive] = [
      await addGroup(admin, domain),
      await addGroup(admin, domain, { state: 'inactive' }),
    ];
    const list = async (query: string) =>
      (await admin(`GET ${groupsPath(domain)}?${query}`)).body.items.map(({ id }: Json) => id);
    expect(await list('state=active')).toEqual([active.id]);
    expect(await list('state=inactive&type=group')).toEqual([inactive.id]);
    expect(await list('type=meta')).toEqual([]);
  });

  it('keep their members when they are deleted', async () => {
    const group = await addGroup(admin, world.domain);
    const user = await addUser(admin, world.domain, { groups: [group.id] });
    expect((await admin(`DELETE ${groupsPath(world.domain)}/${group.id}`)).status).toBe(204);
    expect((await admin(`GET ${usersPath(world.domain)}/${user.id}`)).body.groups).toEqual([]);
  });
});

describe('users', () => {
  it('have every property in their answers, with defaults', async () => {
    const name = unique('user');
    const made = (await admin(`POST ${usersPath(world.domain)}`, { name, password: goodPassword })).body;
    expect(made).toEqual({
      id: made.id,
      uuid: made.id,
      name,
      real_name: '',
      email: '',
      comments: '',
      state: 'active',
      kind: 'person',
      password: null,
      password_set: true,
      must_change_password: false,
      groups: [],
      roles: [],
      attributes: {},
      two_factor_enrolled: false,
      locked_until: null,
      last_login_at: null,
      created_at: made.created_at,
      updated_at: made.created_at,
    });
  });

  it.each([
    ['email', 'nobody'],
    ['email', 'a@b\nc.example'],
    ['state', 'locked'],
    ['kind', 'robot'],
    ['password', 7],
    ['roles', ['administrator']],
    ['groups', 'all'],
    ['must_change_password', 'yes'],
  ])('reject %s with the value %j', async (member, value) => {
    const body = { name: unique('user'), password: goodPassword, [member]: value };
    const answer = await admin(`POST ${usersPath(world.domain)}`, body);
    expect([answer.status, pointers(answer)[0]?.split('/')[1]]).toEqual([422, member]);
  });

  it('reject unknown groups and roles', async () => {
    const user = await addUser(admin, world.domain);
    for (const member of ['groups', 'roles']) {
      const { status, body } = await admin(`PATCH ${usersPath(world.domain)}/${user.id}`, {
        [member]: [unknownId],
      });
      expect([status, body.errors]).toEqual([
        422,
        [expect.objectContaining({ pointer: `/${member}`, code: 'not_found' })],
      ]);
    }
  });

  it('are filtered by state, kind, group and role', async () => {
    const domain = await addDomain(admin);
    const [group, role] = [await addGroup(admin, domain), await addRole(admin, [])];
    const [grouped, service, off] = [
      await addUser(admin, domain, { groups: [group.id], roles: [role.id] }),
      await addUser(admin, domain, { kind: 'service', password: null }),
      await addUser(admin, domain, { state: 'inactive' }),
    ];
    const list = async (query: string) =>
      (await admin(`GET ${usersPath(domain)}?${query}`)).body.items.map(({ id }: Json) => id);
    expect(await list(`group=${group.id}`)).toEqual([grouped.id]);
    expect(await list(`role=${role.id}`)).toEqual([grouped.id]);
    expect(await list('kind=service')).toEqual([service.id]);
    expect(await list('state=inactive')).toEqual([off.id]);
    expect(await list(`group=${unknownId}`)).toEqual([]);
    expect((await admin(`GET ${usersPath(domain)}?group=x`)).body.errors).toMatchObject([
      { pointer: '?group' },
    ]);
  });

  it('log in by their new name after a rename', async () => {
    const user = await addUser(admin, world.domain);
    const name = unique('renamed');
    await admin(`PATCH ${usersPath(world.domain)}/${user.id}`, { name });
    expect((await logIn(world.portal, world.domain, user)).status).toBe(401);
    expect((await logIn(world.portal, world.domain, { name })).status).toBe(200);
  });

  it('keep their revision when they log in', async () => {
    const user = await addUser(admin, world.domain);
    const one = `${usersPath(world.domain)}/${user.id}`;
    const etag = (await admin(`GET ${one}`)).headers.get('etag') ?? '';
    await logIn(world.portal, world.domain, user);
    expect((await admin(`PATCH ${one}`, { comments: 'x' }, { 'if-match': etag })).status).toBe(200);
  });
});

describe('roles', () => {
  it('have every property in their answers, with unique sorted permissions', async () => {
    const name = unique('role');
    const permissions = ['sites.read', 'farms.read', 'sites.read'];
    const made = (await admin(`POST ${base}/rbac`, { name, permissions })).body;
    expect(made).toEqual({
      id: made.id,
      name,
      comments: '',
      permissions: ['farms.read', 'sites.read'],
      scope: { sites: '*' },
      builtin: false,
      users_count: 0,
      created_at: made.created_at,
      updated_at: made.created_at,
    });
  });

  it.each([
    [{ permissions: ['sites.destroy'] }, '/permissions/0'],
    [{ permissions: '*' }, '/permissions'],
    [{}, '/permissions'],
    [{ permissions: [], scope: { sites: 'all' } }, '/scope/sites'],
    [{ permissions: [], scope: { sites: ['x'] } }, '/scope/sites'],
    [{ permissions: [], scope: { farms: [] } }, '/scope/farms'],
  ])('reject %j', async (given, pointer) => {
    const answer = await admin(`POST ${base}/rbac`, { name: unique('role'), ...given });
    expect([answer.status, pointers(answer)]).toEqual([
      422,
      expect.arrayContaining([expect.stringContaining(pointer)]),
    ]);
  });

  it('that are built in can be neither changed nor deleted', async () => {
    for (const name of ['administrator', 'operator', 'auditor', 'support']) {
      const one = `${base}/rbac/${await builtinRole(admin, name)}`;
      const { body } = await admin(`GET ${one}`);
      expect(body.builtin).toBe(true);
      const attempts = [
        admin(`DELETE ${one}`),
        admin(`PATCH ${one}`, { comments: 'x' }),
        admin(`PUT ${one}`, body),
      ];
      for (const answer of await Promise.all(attempts))
        expect([answer.status, answer.body.reason]).toEqual([409, 'builtin']);
    }
  });

  it('with users cannot be deleted', async () => {
    const role = await addRole(admin, ['sites.read']);
    const user = await addUser(admin, world.domain, { roles: [role.id] });
    const one = `${base}/rbac/${role.id}`;
    const { status, body } = await admin(`DELETE ${one}`);
    expect([status, body.references]).toEqual([409, [{ type: 'user', id: user.id, name: user.name }]]);
    expect((await admin(`GET ${one}`)).body.users_count).toBe(1);
    await admin(`DELETE ${usersPath(world.domain)}/${user.id}`);
    expect((await admin(`DELETE ${one}`)).status).toBe(204);
  });

  it('have listed permissions only, all of which the administrator has', async () => {
    const { body } = await admin(`GET ${base}/rbac/permissions`);
    const ids = body.map(({ id }: Json) => id);
    expect(body[0]).toEqual({
      id: 'audit.read',
      resource: 'audit',
      action: 'read',
      name: 'audit: read',
      description: 'Allows the action "read" on the resource "audit"',
    });
    expect(new Set(ids).size).toBe(ids.length);
    expect((await admin('GET /api/userinfo')).body.permissions).toEqual(ids);
    expect((await addRole(admin, ids)).permissions).toEqual([...ids].sort());
  });
});
