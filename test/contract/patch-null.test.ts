import { beforeAll, describe, expect, it } from 'vitest';
import { addDirectory, addFarm, addSite, domainsPath, useWorld } from '../support/factories.ts';
import type { Json } from '../support/portal.ts';
import { document, resolve } from './generated/described.ts';
import { type PatchedKind, patchedKinds } from './patched-kinds.ts';

const world = useWorld({ allowInsecure: true });
let kinds: Record<string, PatchedKind>;
beforeAll(async () => {
  kinds = await patchedKinds(world);
});

/** Schemas of merge patches of records, from the document. */
const schemas: Record<string, Record<string, Json>> = Object.fromEntries(
  Object.values<Json>(document.paths).flatMap(({ patch }) => {
    const { $ref } = patch?.requestBody?.content['application/merge-patch+json']?.schema ?? {};
    const name = $ref?.split('/').at(-1) ?? '';
    return name.endsWith('Patch') ? [[name, resolve({ $ref }).properties]] : [];
  }),
);
const takesNull = (schema: Json): boolean => {
  const { type, anyOf = [], enum: values = [] } = resolve(schema);
  return [type].flat().includes('null') || values.includes(null) || anyOf.some(takesNull);
};
/** Kinds without a creation of their own: the test cannot create an object with their optional members. */
const ofAccount = ['UserinfoPatch', 'PasskeyPatch'];
const names = Object.keys(schemas).filter((name) => !ofAccount.includes(name));
const kindOf = (name: string): PatchedKind => {
  const kind = kinds[name];
  if (!kind) throw new Error(`no kind has the merge patch ${name}`);
  return kind;
};
const create = async (kind: PatchedKind, given: Json = {}): Promise<Json> => {
  const { status, body } = await world.admin(`POST ${kind.path}`, { ...kind.body(), ...given });
  expect([status, body], JSON.stringify(given)).toEqual([201, body]);
  return body;
};
const read = async (kind: PatchedKind, { id }: Json): Promise<Json> =>
  (await world.admin(`GET ${kind.path}/${id}`)).body;
const patch = (kind: PatchedKind, { id }: Json, body: Json) => world.admin(`PATCH ${kind.path}/${id}`, body);

describe('changes: PATCH null', () => {
  it('changes: PATCH null is tested for every kind with a merge patch', () => {
    expect(Object.keys(kinds).sort()).toEqual(names.sort());
    expect(names.length).toBeGreaterThan(10);
  });

  it.each(
    names,
  )('changes: PATCH null sets the default of each optional property of %s, or removes it', async (name) => {
    const kind = kindOf(name);
    const { ignored = [], refused = {}, beside = {} } = kind;
    const optional = Object.entries(schemas[name] ?? {}).filter(([, schema]) => takesNull(schema));
    const members = optional.map(([member]) => member).filter((member) => !ignored.includes(member));
    // A new member must be added here.
    expect(members.sort()).toEqual(Object.keys(kind.others).sort());
    const fresh = await read(kind, await create(kind));
    for (const member of members) {
      const made = await read(kind, await create(kind, kind.others[member]));
      const { status, body } = await patch(kind, made, { ...beside[member], [member]: null });
      const after = await read(kind, made);
      if (refused[member] !== undefined) {
        expect([member, status, body.errors?.[0]]).toMatchObject([
          member,
          422,
          { pointer: `/${member}`, code: refused[member] },
        ]);
        expect(after).toEqual(made);
        continue;
      }
      expect([member, status], JSON.stringify(body)).toEqual([member, 200]);
      expect([member, shown(after, member)]).toEqual([member, expectedOf(fresh, after, member)]);
      const { updated_at: _, acknowledged_at: __, acknowledged_by: ___, ...rest } = made;
      const others = Object.keys(rest).filter((one) => one !== member && !(one in (beside[member] ?? {})));
      for (const one of others.filter((other) => !derivedFrom(member).includes(other)))
        expect([member, one, after[one]]).toEqual([member, one, made[one]]);
    }
  });

  /** The values of a fresh record; for derived texts the derived value. */
  const expectedOf = (fresh: Json, after: Json, member: string): unknown => {
    const [value, isSet] = shown(fresh, member);
    const computed: Json = {
      display_name: after.name,
      match_tags: null,
      at: expect.not.stringMatching(/^2020/),
    };
    return [member in computed ? computed[member] : value, isSet];
  };
  const shown = (record: Json, member: string): unknown[] => [record[member], record[`${member}_set`]];
  const derivedFrom = (member: string): string[] =>
    ({
      kind: ['password_set'],
      health_key: ['health_key_set'],
      enabled: ['state'],
      maintenance: ['state'],
      maintenance_template_id: ['state'],
    })[member] ?? [];

  it.each(names)('changes: PATCH null is rejected for the required properties of %s', async (name) => {
    const kind = kindOf(name);
    const required = Object.entries(schemas[name] ?? {}).filter(([, schema]) => !takesNull(schema));
    expect(required.length).toBeGreaterThan(0);
    const made = await read(kind, await create(kind));
    for (const [member] of required) {
      const { status, body } = await patch(kind, made, { [member]: null });
      expect([member, status, body.errors?.[0]]).toMatchObject([
        member,
        422,
        { pointer: `/${member}`, code: 'required' },
      ]);
    }
    expect(await read(kind, made)).toEqual(made);
  });

  it.each(names)('changes: PATCH null changes nothing where %s has nothing to remove', async (name) => {
    const kind = kindOf(name);
    const made = await read(kind, await create(kind));
    for (const member of kind.ignored ?? []) {
      const { status, body } = await patch(kind, made, { [member]: null });
      expect([member, status]).toEqual([member, 200]);
      expect(body).toEqual({ ...made, updated_at: body.updated_at });
    }
  });

  it('changes: PATCH null works within nested objects as in RFC 7396', async () => {
    const { admin } = world;
    const site = await addSite(admin, { location: { latitude: 1, longitude: 2, country: 'NL' } });
    const path = `/api/webui/aggregator/sites/${site.id}`;
    const nested = await admin(`PATCH ${path}`, { location: { country: null } });
    expect(nested.body.location).toEqual({ latitude: 1, longitude: 2, country: '' });
    const refused = await admin(`PATCH ${path}`, { location: { latitude: null } });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/location/latitude']);
    const account = { bind_dn: 'cn=reader', bind_password: 'secret', user_filter: '(uid=*)' };
    const directory = await addDirectory(admin, account);
    const one = `${domainsPath}/${directory.id}`;
    const { body } = await admin(`PATCH ${one}`, { params: { user_filter: null, bind_password: null } });
    expect(body.params).toMatchObject({ user_filter: '', bind_password_set: false, bind_dn: 'cn=reader' });
    const gone = await admin(`PATCH ${one}`, { params: null });
    expect([gone.status, gone.body.errors.map(({ pointer }: Json) => pointer)]).toEqual([
      422,
      expect.arrayContaining(['/params/hosts']),
    ]);
  });

  it('changes: PATCH null is accepted for each optional property of an action as well', () => {
    const bodies = Object.entries<Json>(document.paths).flatMap(([path, { patch }]) => {
      const body = resolve(patch?.requestBody?.content['application/merge-patch+json']?.schema ?? {});
      return body.required === undefined && path.match(/\/\{\w+\}$/) ? [] : [{ path, body }];
    });
    const optional = bodies.flatMap(({ path, body: { properties = {}, required = [] } }) =>
      Object.keys(properties)
        .filter((member) => !required.includes(member) && !path.endsWith('bulk_destroy'))
        .map((member) => [path, member, takesNull(properties[member])]),
    );
    expect(optional.length).toBeGreaterThan(5);
    expect(optional.filter(([, , isTaken]) => !isTaken)).toEqual([]);
  });

  it('changes: PATCH null sets the defaults of a domain attribute', async () => {
    const directory = await addDirectory(world.admin);
    const path = `PATCH ${domainsPath}/${directory.id}/attribute`;
    const change = async (given: Json) => {
      const { status, body } = await world.admin(path, { name: 'mail', ...given });
      return [status, body.attributes];
    };
    const named = { source: 'telephoneNumber', title: 'Phone' };
    expect(await change({ action: 'add', ...named })).toEqual([200, [{ name: 'mail', ...named }]]);
    const nulled = { action: 'change', source: null, title: null };
    expect(await change(nulled)).toEqual([200, [{ name: 'mail', source: 'mail', title: '' }]]);
  });

  it('changes: PATCH null removes the language of the own account', async () => {
    const { admin } = world;
    expect((await admin('PATCH /api/userinfo', { language: 'ru' })).body.language).toBe('ru');
    expect((await admin('PATCH /api/userinfo', { language: null })).body.language).toBeNull();
  });

  it('changes: PATCH null never moves a placed record', async () => {
    const farm = await addFarm(world.admin, world.site);
    const { status } = await world.admin(`PATCH /api/webui/aggregator/farms/${farm.id}`, { site_id: null });
    expect(status).toBe(422);
  });
});
