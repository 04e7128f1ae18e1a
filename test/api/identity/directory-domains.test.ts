import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { authenticators } from '../../../db/schema/identity/authenticators.ts';
import { createAuthority } from '../../simulator/authority.ts';
import {
  addDirectory,
  addGroup,
  addMember,
  addUser,
  adminOf,
  audited,
  builtinRole,
  directoryBody,
  domainsPath,
  goodPassword,
  groupsPath,
  logIn,
  startWorld,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld({ allowedNetworks: ['127.0.0.0/8', '10.20.0.0/16'] });
const admin = adminOf(world);
const { caPem } = await createAuthority();
const { caPem: otherCa } = await createAuthority();

const one = ({ id }: Json): string => `${domainsPath}/${id}`;
const stored = async ({ id }: Json): Promise<Json> =>
  (await world.portal.db.select().from(authenticators).where(eq(authenticators.id, id)))[0]?.params;
const pointersOf = ({ body }: Json): string[] => body.errors?.map(({ pointer }: Json) => pointer) ?? [];

describe('a directory domain', () => {
  it('has every parameter in its answers, with the default of its type', async () => {
    const common = {
      hosts: ['ldaps://directory.example.com'],
      start_tls: false,
      ca_certificate: null,
      bind_dn: '',
      bind_password: null,
      bind_password_set: false,
      base_dn: 'dc=example,dc=com',
      user_filter: '',
      user_name_attribute: 'cn',
      group_id_attribute: 'cn',
      timeout_s: 5,
      page_size: 500,
      kerberos: null,
    };
    const uid = { user_id_attribute: 'uid' };
    const own = {
      ldap: { ...uid, user_class: 'inetOrgPerson', group_class: 'posixGroup', member_attribute: 'memberUid' },
      freeipa: { ...uid, user_class: 'person', group_class: 'ipausergroup', member_attribute: 'member' },
      active_directory: {
        user_id_attribute: 'sAMAccountName',
        user_class: 'user',
        group_class: 'group',
        member_attribute: 'member',
        nested_groups: false,
      },
    };
    for (const [type, params] of Object.entries(own)) {
      const made = await addDirectory(admin, {}, { type });
      expect(made.params).toEqual({ ...common, ...params });
      expect((await admin(`GET ${one(made)}`)).body).toEqual(made);
    }
  });

  it('accepts by PUT the result of GET, and keeps its type', async () => {
    const made = await addDirectory(admin, {
      bind_dn: 'cn=reader',
      bind_password: 'secret',
      ca_certificate: caPem,
      kerberos: { realm: 'Example.com', kdc: ['kdc.example.com:88'], anchors: caPem },
    });
    const replaced = await admin(`PUT ${one(made)}`, made);
    expect([replaced.status, replaced.body]).toEqual([
      200,
      { ...made, updated_at: replaced.body.updated_at },
    ]);
    expect(made.params.kerberos).toMatchObject({ realm: 'EXAMPLE.COM', kdc_hostnames: [], eku: 'kdc' });
    for (const type of ['internal', 'freeipa'])
      expect((await admin(`PATCH ${one(made)}`, { type })).body.errors).toMatchObject([
        { pointer: '/type', code: 'immutable' },
      ]);
    const patched = await admin(`PATCH ${one(made)}`, { params: { timeout_s: 9, kerberos: null } });
    expect(patched.body.params).toEqual({ ...made.params, timeout_s: 9, kerberos: null });
    expect((await admin(`PATCH ${one(made)}`, { params: { timeout_s: null } })).body.params.timeout_s).toBe(
      5,
    );
  });

  it.each([
    [{ hosts: undefined }, '/params/hosts'],
    [{ hosts: [] }, '/params/hosts'],
    [{ hosts: Array(6).fill('ldaps://a.example.com') }, '/params/hosts'],
    [{ hosts: ['https://a.example.com'] }, '/params/hosts/0'],
    [{ hosts: ['ldaps://u:p@a.example.com'] }, '/params/hosts/0'],
    [{ hosts: ['ldaps://a.example.com/dc=x'] }, '/params/hosts/0'],
    [{ hosts: ['ldaps://a.example.com#x'] }, '/params/hosts/0'],
    [{ base_dn: undefined }, '/params/base_dn'],
    [{ base_dn: 'example.com' }, '/params/base_dn'],
    [{ timeout_s: 0 }, '/params/timeout_s'],
    [{ timeout_s: 31 }, '/params/timeout_s'],
    [{ page_size: 0 }, '/params/page_size'],
    [{ user_filter: '(uid=*))(' }, '/params/user_filter'],
    [{ user_id_attribute: 'a b' }, '/params/user_id_attribute'],
    [{ nested_groups: true }, '/params/nested_groups'],
    [{ ca_certificate: caPem.slice(0, -20) }, '/params/ca_certificate'],
    [{ bind_password: '' }, '/params/bind_password'],
    [{ kerberos: { realm: 'X' } }, '/params/kerberos/kdc'],
    [{ kerberos: { realm: 'X', kdc: ['kdc'], anchors: caPem } }, '/params/kerberos/kdc/0'],
    [{ kerberos: { realm: 'X', kdc: ['kdc:88'], anchors: 'none' } }, '/params/kerberos/anchors'],
    [{ kerberos: { realm: 'X', kdc: ['192.168.1.1:88'], anchors: caPem } }, '/params/kerberos/kdc/0'],
  ])('rejects %j', async (params, pointer) => {
    const answer = await admin(`POST ${domainsPath}`, directoryBody(params));
    expect([answer.status, answer.body.code]).toEqual([422, 'invalid_request']);
    expect(pointersOf(answer)).toContain(pointer);
  });

  it('stores its servers and KDCs in one spelling, which needs no password again', async () => {
    const given = ['  LDAPS://DC.Example.com.:0636/ ', 'ldaps://каталог.рф', 'ldaps://[2001:DB8:0::9]\n'];
    const spelled = ['ldaps://dc.example.com:636', 'ldaps://xn--80aajzhsz.xn--p1ai', 'ldaps://[2001:db8::9]'];
    const kerberos = { realm: 'X', kdc: [' KDC.Example.com.:88'], kdc_hostnames: ['KDC.'], anchors: caPem };
    const body = directoryBody({ hosts: given.slice(0, 2), bind_dn: 'cn=a', bind_password: 'b', kerberos });
    const made = (await admin(`POST ${domainsPath}`, body)).body;
    expect(made.params.hosts).toEqual(spelled.slice(0, 2));
    expect(made.params.kerberos).toMatchObject({ kdc: ['kdc.example.com:88'], kdc_hostnames: ['kdc'] });
    await world.portal.db
      .update(authenticators)
      .set({ params: { ...(await stored(made)), hosts: ['ldaps://dc.example.com.:636', given[1]] } })
      .where(eq(authenticators.id, made.id));
    const { status } = await admin(`PATCH ${one(made)}`, { params: { timeout_s: 9 } });
    expect([status, (await stored(made)).hosts]).toEqual([200, spelled.slice(0, 2)]);
    const moved = await admin(`PATCH ${one(made)}`, { params: { hosts: [given[2]] } });
    expect(moved.body.code).toBe('invalid_request');
  });

  it('may be in a private network only where that is allowed, and in plain text only there', async () => {
    const save = (host: string, start_tls = false) =>
      admin(`POST ${domainsPath}`, directoryBody({ hosts: [host], start_tls }));
    for (const host of [
      'ldap://10.20.0.9',
      'ldap://dc.example.com',
      'ldaps://10.20.0.9',
      'ldaps://203.0.114.7',
    ])
      expect([host, (await save(host)).status]).toEqual([host, 201]);
    expect((await save('ldap://203.0.114.7', true)).status).toBe(201);
    for (const host of [
      'ldap://203.0.114.7',
      'ldap://10.21.0.9',
      'ldaps://10.21.0.9',
      'ldap://0x0a.21.0.9',
    ]) {
      const { status, body } = await save(host);
      expect([host, status, body.errors]).toEqual([
        host,
        422,
        [expect.objectContaining({ pointer: '/params/hosts/0', code: 'address_not_allowed' })],
      ]);
      expect(body.errors[0].detail).toContain('ALLOWED_PRIVATE_NETWORKS');
    }
  });

  it('is listed for logins, and is not queried for users that an administrator has disabled', async () => {
    const domain = await addDirectory(admin);
    const user = await addUser(admin, domain, { password: null, state: 'inactive' });
    const { body } = await world.portal.send('GET /api/auth/v7.0/authenticators');
    expect(body.find(({ authUuid }: Json) => authUuid === domain.id)).toMatchObject({
      type: 'ldap',
      isPkinit: false,
    });
    const refused = await logIn(world.portal, domain, user);
    const unknown = await logIn(world.portal, world.domain, { name: 'nobody' });
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_credentials']);
    expect({ ...refused.body, instance: '' }).toEqual({ ...unknown.body, instance: '' });
  });

  it('has its parameters changed only by a caller with all permissions of its users', async () => {
    const clerk = await addMember(world, ['authenticators.read', 'authenticators.update']);
    const domain = await addDirectory(admin);
    const role = await builtinRole(admin, 'auditor');
    await addUser(admin, domain, { password: null, roles: [role] });
    const { status, body } = await clerk.ask(`PATCH ${one(domain)}`, {
      params: { base_dn: 'dc=evil,dc=com' },
    });
    expect([status, body.code, body.missing.length > 0]).toEqual([403, 'forbidden', true]);
    expect((await clerk.ask(`PATCH ${one(domain)}`, { comments: 'noted' })).status).toBe(200);
    expect((await clerk.ask(`PUT ${one(domain)}`, domain)).status).toBe(200);
  });
});

describe('the password of a directory account', () => {
  const account = { bind_dn: 'cn=reader', bind_password: 'first secret' };

  it('is never returned, is sealed at rest for its domain, and is masked in the audit', async () => {
    const { result: made, events } = await audited(world.portal, () => addDirectory(admin, account));
    expect(made.params).toMatchObject({ bind_password: null, bind_password_set: true });
    const { bind_password: sealed } = await stored(made);
    const place = { table: 'authenticators', row: made.id, column: 'params.bind_password' };
    expect(await world.portal.deps.sealer.open(sealed, place)).toBe('first secret');
    const { events: later } = await audited(world.portal, () =>
      admin(`PATCH ${one(made)}`, { params: { bind_password: 'second secret' } }),
    );
    const texts = [
      made,
      events,
      later,
      world.portal.log,
      (await admin(`GET ${domainsPath}?search=domain`)).body,
    ];
    for (const text of texts.map((part) => JSON.stringify(part)))
      expect([text.includes('secret'), text.includes(sealed)]).toEqual([false, false]);
    const before = expect.objectContaining({ bind_password: null, bind_password_set: true });
    const after = expect.objectContaining({ bind_password: '***', bind_password_set: true });
    expect(later[0]?.changes).toEqual([{ field: 'params', before, after }]);
    expect((await stored(made)).bind_password).not.toBe(sealed);
  });

  it('stays when a write omits it or a PUT has null, and when the order of servers changes', async () => {
    const hosts = ['ldaps://a.example.com', 'ldaps://b.example.com'];
    const made = await addDirectory(admin, { ...account, hosts });
    const { bind_password: before } = await stored(made);
    const { bind_password: _, bind_password_set: __, ...params } = made.params;
    for (const [route, sent] of [
      [`PUT ${one(made)}`, made],
      [`PUT ${one(made)}`, { ...made, params }],
      [`PATCH ${one(made)}`, { params: { hosts: hosts.toReversed() } }],
      [`PATCH ${one(made)}`, { comments: 'noted', params: { timeout_s: 7 } }],
    ] as const)
      expect((await admin(route, sent)).body.params?.bind_password_set).toBe(true);
    expect((await stored(made)).bind_password).toBe(before);
  });

  it.each([
    ['server', { hosts: ['ldaps://elsewhere.example.com'] }],
    ['further server', { hosts: ['ldaps://directory.example.com', 'ldaps://elsewhere.example.com'] }],
    ['encryption', { start_tls: true }],
    ['authority', { ca_certificate: otherCa }],
  ])('must be sent again with another %s', async (_, change) => {
    const made = await addDirectory(admin, { ...account, ca_certificate: caPem });
    for (const [route, sent] of [
      [`PATCH ${one(made)}`, { params: change }],
      [`PUT ${one(made)}`, { ...made, params: { ...made.params, ...change } }],
    ] as const) {
      const { status, body } = await admin(route, sent);
      expect([status, body.code, body.errors]).toEqual([
        422,
        'secret_required',
        [expect.objectContaining({ pointer: '/params/bind_password', code: 'required' })],
      ]);
    }
    const again = { params: { ...change, bind_password: 'again' } };
    expect((await admin(`PATCH ${one(made)}`, again)).status).toBe(200);
  });

  it('is deleted with its account, and is not needed without one', async () => {
    const made = await addDirectory(admin, account);
    const { body } = await admin(`PATCH ${one(made)}`, { params: { bind_dn: '' } });
    expect(body.params.bind_password_set).toBe(false);
    expect((await stored(made)).bind_password).toBeNull();
    const elsewhere = { params: { hosts: ['ldaps://elsewhere.example.com'] } };
    expect((await admin(`PATCH ${one(made)}`, elsewhere)).status).toBe(200);
  });
});

describe('users of a directory', () => {
  it('have no local password, a fixed name, and the groups of the directory', async () => {
    const domain = await addDirectory(admin);
    const group = await addGroup(admin, domain, { external_id: 'cn=staff,dc=example,dc=com' });
    const user = await addUser(admin, domain, { password: null, groups: [group.id] });
    expect(user).toMatchObject({ groups: [], password_set: false, kind: 'person' });
    const path = `${usersPath(domain)}/${user.id}`;
    for (const [change, pointer] of [
      [{ password: goodPassword }, '/password'],
      [{ must_change_password: true }, '/must_change_password'],
      [{ name: unique('other') }, '/name'],
    ] as const)
      for (const answer of [
        await admin(`PATCH ${path}`, change),
        await admin(`PUT ${path}`, { ...user, ...change }),
      ])
        expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
    const body = { name: unique('user'), password: goodPassword };
    expect(pointersOf(await admin(`POST ${usersPath(domain)}`, body))).toEqual(['/password']);
    expect((await admin(`PATCH ${path}`, { groups: [group.id] })).body.groups).toEqual([]);
    expect((await admin(`PATCH ${path}`, { comments: 'noted', kind: 'service' })).status).toBe(200);
    expect((await admin(`GET ${groupsPath(domain)}/${group.id}`)).body.external_id).toBe(group.external_id);
  });

  it('do not count as the last administrator', async () => {
    const own = await startWorld();
    const administrator = await builtinRole(own.admin, 'administrator');
    const domain = await addDirectory(own.admin);
    await addUser(own.admin, domain, { password: null, roles: [administrator] });
    const deputy = await addMember(own, []);
    const deputyPath = `${usersPath(own.domain)}/${deputy.user.id}`;
    await own.admin(`PATCH ${deputyPath}`, { roles: [administrator] });
    const { body } = await logIn(own.portal, own.domain, deputy.user);
    const { body: list } = await own.admin(`GET ${domainsPath}?search=built-in`);
    const { body: users } = await own.admin(`GET ${usersPath(list.items[0])}?search=admin`);
    const first = `${usersPath(list.items[0])}/${users.items[0].id}`;
    const asDeputy = (route: string, change?: unknown) =>
      own.portal.send(route, { token: body.token, body: change });
    expect((await asDeputy(`PATCH ${first}`, { state: 'inactive' })).status).toBe(200);
    const last = await asDeputy(`PATCH ${domainsPath}/${own.domain.id}`, { state: 'disabled' });
    expect([last.status, last.body.reason]).toEqual([409, 'last_administrator']);
    await own.portal.close();
  });
});
