import { describe, expect, it } from 'vitest';
import { domainTypeNames, domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { createAuthority } from '../../simulator/authority.ts';
import {
  addDirectory,
  addMember,
  adminOf,
  audited,
  directoryBody,
  domainsPath,
  unique,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
const { caPem } = await createAuthority();

const types = domainTypeNames;
const formOf = async (type: string): Promise<Json[]> => (await admin(`GET ${domainsPath}/gui/${type}`)).body;

describe('the domain types', () => {
  it('are those of the registry, with their capabilities', async () => {
    const { status, body } = await admin(`GET ${domainsPath}/types`);
    expect([status, body.map(({ type }: Json) => type)]).toEqual([200, types]);
    for (const entry of body)
      expect(Object.keys(entry).sort()).toEqual([
        ...['create_users_supported', 'description', 'is_external', 'label_groupname', 'label_password'],
        ...['label_username', 'name', 'needs_password', 'pkinit_supported', 'provisioning_supported'],
        ...['search_groups_supported', 'search_users_supported', 'two_factor_supported', 'type'],
      ]);
    const told = body.map(({ is_external, needs_password }: Json) => [is_external, needs_password]);
    const supported = types.map((type) => domainTypeOf(type).supports);
    expect(told).toEqual(supported.map(({ localUsers, ownPassword }) => [!localUsers, ownPassword]));
  });

  it.each(types)('have a form for %s, in which only the type is fixed after the creation', async (type) => {
    const fixed = (await formOf(type)).filter(({ gui }) => gui.readonly);
    expect(fixed.map(({ name }) => name)).toEqual(['type']);
  });

  it('reject an unknown name', async () => {
    for (const route of [`GET ${domainsPath}/gui/radius`, `GET ${domainsPath}/gui/LDAP`])
      expect((await admin(route)).body.code).toBe('not_found');
    expect((await admin(`POST ${domainsPath}/test_params/radius`, {})).body.code).toBe('not_found');
  });

  it('are read with the permission to read domains, and tested with the permission to test them', async () => {
    const reader = await addMember(world, ['authenticators.read']);
    expect((await reader.ask(`GET ${domainsPath}/types`)).status).toBe(200);
    expect((await reader.ask(`GET ${domainsPath}/gui/ldap`)).status).toBe(200);
    const tester = await addMember(world, ['authenticators.test'], [world.site.id]);
    expect((await reader.ask(`POST ${domainsPath}/test_params/internal`, {})).status).toBe(403);
    expect((await tester.ask(`POST ${domainsPath}/test_params/internal`, {})).status).toBe(200);
    expect((await tester.ask(`GET ${domainsPath}/types`)).status).toBe(403);
  });
});

/** Values that a user may enter; a form takes the first that its constraints allow. */
const typed = [
  '',
  'ldaps://directory.example.com',
  'https://provider.example.com',
  'dc=example,dc=com',
  'EXAMPLE',
  'example',
];
const fits = (gui: Json, text: string): boolean =>
  text !== '' &&
  text.length <= (gui.length ?? Number.POSITIVE_INFINITY) &&
  new RegExp(gui.pattern ?? '', 'u').test(text);

/** A form filled in from its description only: it sets nothing but required fields. */
function fillIn(fields: Json[], given: Json = {}): Json {
  const body: Json = {};
  for (const { name, value, gui } of fields) {
    const text = typed.find((candidate) => fits(gui, candidate));
    const isOpen = gui.required && (value === '' || value.length === 0);
    const filled = isOpen ? (gui.type === 'editlist' ? [text] : text) : value;
    const path = name.split('.');
    const owner = path.slice(0, -1).reduce((object: Json, part: string) => (object[part] ??= {}), body);
    owner[path.at(-1)] = filled;
  }
  return { ...body, ...given };
}

describe.each(types)('the form of a domain of type %s', (type) => {
  it('creates the domain with only the values of its description', async () => {
    const name = unique('form');
    const { status, body } = await admin(
      `POST ${domainsPath}`,
      fillIn(await formOf(type), { name, small_name: name }),
    );
    expect([status, body.type, body.name], JSON.stringify(body.errors)).toEqual([201, type, name]);
  });

  it('has every property of the domain once, in order, each with its validation', async () => {
    const fields = await formOf(type);
    const { body } = await admin(`POST ${domainsPath}`, {
      ...fillIn(fields),
      name: unique('form'),
      small_name: unique('form'),
    });
    expect(fields.map(({ gui }) => gui.order)).toEqual(fields.map((_, at) => at + 1));
    const names = fields.map(({ name }) => name);
    const readOnly = [
      ...[
        'id',
        'uuid',
        'attributes',
        'users_count',
        'groups_count',
        'account_refused_at',
        'account_retry_at',
        'directory_authority',
        'other_directory',
        'other_directory_at',
      ],
      ...['created_at', 'updated_at'],
    ];
    const own = Object.keys(body).filter((member) => !readOnly.includes(member) && member !== 'params');
    const params = Object.keys(body.params).filter((member) => !member.endsWith('_set'));
    const shown = names.map((name) => name.split('.').slice(0, 2).join('.'));
    expect([...new Set(shown)].sort()).toEqual([...own, ...params.map((param) => `params.${param}`)].sort());
    expect(new Set(names).size).toBe(names.length);
  });

  it('has the exact bounds of each number and the exact choices', async () => {
    const fields = await formOf(type);
    const attempt = async (name: string, value: unknown) => {
      const body = fillIn(fields, { name: unique('form'), small_name: unique('form') });
      const [first = '', second] = name.split('.');
      if (second) body[first][second] = value;
      else body[first] = value;
      return [name, value, (await admin(`POST ${domainsPath}`, body)).status];
    };
    for (const { name, gui } of fields.filter(isLimited)) {
      for (const value of limitsOf(gui)) expect(await attempt(name, value)).toEqual([name, value, 201]);
      for (const value of beyond(gui)) expect(await attempt(name, value)).toEqual([name, value, 422]);
    }
  });
});

const isLimited = ({ name, gui }: Json): boolean =>
  ['numeric', 'choice'].includes(gui.type) && !name.includes('kerberos');
const limitsOf = ({ type, min_value, max_value, choices }: Json): unknown[] =>
  type === 'numeric' ? [min_value, max_value] : choices.map(({ id }: Json) => id);
const beyond = ({ type, min_value, max_value }: Json): unknown[] =>
  type === 'numeric' ? [min_value - 1, max_value + 1] : ['other'];

describe('the form of a directory', () => {
  it('marks required and secret fields', async () => {
    const fields = await formOf('active_directory');
    const required = fields.filter(({ gui }) => gui.required).map(({ name }) => name);
    expect(required).toEqual(['name', 'small_name', 'type', 'params.hosts', 'params.base_dn']);
    const of = (name: string) => fields.find((field) => field.name === name);
    expect(of('params.bind_password')).toMatchObject({ value: null, gui: { type: 'password' } });
    expect(of('params.user_id_attribute').value).toBe('sAMAccountName');
    expect(of('params.hosts').gui).toMatchObject({ type: 'editlist', min_value: 1, max_value: 5 });
    expect(of('params.timeout_s').gui).toMatchObject({ min_value: 1, max_value: 30, default: 5 });
    expect(of('type').gui.choices).toEqual([{ id: 'active_directory', text: 'Active Directory' }]);
  });
});

describe('a test of parameters', () => {
  const test = (body: Json, type = 'ldap') => admin(`POST ${domainsPath}/test_params/${type}`, body);
  const statusOf = (body: Json, name: string) =>
    body.checks.find((check: Json) => check.name === name)?.status;

  it('passes when the parameters could be saved, with each check, and writes nothing', async () => {
    const body = directoryBody({ bind_dn: 'cn=reader', bind_password: 'secret', ca_certificate: caPem });
    const { result, events } = await audited(world.portal, () =>
      test({ ...body, username: 'anna', password: 'x' }),
    );
    expect([result.status, result.body.success]).toEqual([200, true]);
    expect(result.body.checks.map(({ name, status }: Json) => [name, status])).toEqual([
      ['fields', 'pass'],
      ['params', 'pass'],
      ['addresses', 'pass'],
      ['account', 'pass'],
      ['kerberos', 'skipped'],
      ['attributes', 'pass'],
    ]);
    expect(events).toEqual([]);
    expect((await admin(`GET ${domainsPath}?search=${body.name}`)).body.items).toEqual([]);
    expect((await test({}, 'internal')).body.success).toBe(true);
  });

  it.each([
    ['fields', { priority: -1 }, {}],
    ['fields', { type: 'internal' }, {}],
    ['params', {}, { hosts: [] }],
    ['params', {}, { timeout_s: 31 }],
    ['params', {}, { ca_certificate: 'junk' }],
    ['params', {}, { surprise: true }],
    ['addresses', {}, { hosts: ['ldaps://10.0.0.1'] }],
    ['account', {}, { bind_dn: 'cn=reader' }],
    ['kerberos', {}, { kerberos: { realm: 'EXAMPLE.COM', kdc: ['10.0.0.1:88'], anchors: caPem } }],
  ])('reports the check %s as failed for %j and parameters %#', async (name, given, params) => {
    const { status, body } = await test(directoryBody(params, given));
    expect([status, body.success, statusOf(body, name)]).toEqual([200, false, 'fail']);
    expect(body.checks.filter((check: Json) => check.status === 'fail')).toHaveLength(1);
  });

  it('uses the stored secret of a domain for its own server, and requires it for another', async () => {
    const stored = await addDirectory(admin, { bind_dn: 'cn=reader', bind_password: 'secret' });
    const { body } = await test(stored);
    expect([body.success, statusOf(body, 'account')]).toEqual([true, 'pass']);
    const elsewhere = { ...stored, params: { ...stored.params, hosts: ['ldaps://elsewhere.example.com'] } };
    const refused = await test(elsewhere);
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
      422,
      'secret_required',
      '/params/bind_password',
    ]);
    const { id: _, ...without } = stored;
    expect(statusOf((await test(without)).body, 'account')).toBe('fail');
    expect((await test(stored, 'freeipa')).body.errors).toMatchObject([
      { pointer: '/id', code: 'not_found' },
    ]);
  });
});
