import { describe, expect, it } from 'vitest';
import {
  adminOf,
  audited,
  create,
  goodPassword,
  type Resource,
  resources,
  unique,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);

const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const nested = resources.filter(({ type }) => ['user', 'group'].includes(type));

/** The response of the creation as it is read afterwards. */
const kept = ({ shownOnce }: Resource, made: Json): Json =>
  shownOnce === undefined ? made : { ...made, [shownOnce]: null };
const add = async (resource: Resource, given: Record<string, unknown> = {}): Promise<Json> =>
  kept(resource, await create(admin, resource.path(world), { ...resource.body(world), ...given }));
const pathOf = (resource: Resource, { id }: Json): string => `${resource.path(world)}/${id}`;

describe.each(resources.map((resource) => [resource.type, resource] as const))('a %s', (_, resource) => {
  const [plain, value, fallback] = resource.plain;

  it('is created with Location and ETag, read, changed and deleted', async () => {
    const body = resource.body(world);
    const created = await admin(`POST ${resource.path(world)}`, body);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: body.name, [plain]: fallback });
    const one = pathOf(resource, created.body);
    expect(created.headers.get('location')).toBe(one);
    const read = await admin(`GET ${one}`);
    expect(read.body).toEqual(kept(resource, created.body));
    if (!resource.shownOnce) expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    const patched = await admin(`PATCH ${one}`, { [plain]: value });
    expect(patched.status).toBe(200);
    expect(patched.body).toEqual({ ...read.body, [plain]: value, updated_at: patched.body.updated_at });
    expect(patched.headers.get('etag')).not.toBe(read.headers.get('etag'));
    const removed = await admin(`DELETE ${one}`);
    expect([removed.status, removed.body]).toEqual([204, '']);
    for (const verb of ['GET', 'PATCH', 'DELETE'])
      expect((await admin(`${verb} ${one}`, verb === 'PATCH' ? {} : undefined)).status, verb).toBe(404);
    expect((await admin(`PUT ${one}`, body)).status).toBe(404);
  });

  it('accepts by PUT the result of GET without a change', async () => {
    const made = await add(resource, { [plain]: value });
    const { status, body } = await admin(`PUT ${pathOf(resource, made)}`, made);
    expect(status).toBe(200);
    expect(body).toEqual({ ...made, updated_at: body.updated_at });
  });

  it('has defaults for optional properties after a PUT without them and a PATCH with null', async () => {
    const made = await add(resource, { [plain]: value });
    const nulled = await admin(`PATCH ${pathOf(resource, made)}`, { [plain]: null });
    expect([nulled.status, nulled.body[plain]]).toEqual([200, fallback]);
    await admin(`PATCH ${pathOf(resource, made)}`, { [plain]: value });
    const { [plain]: _, ...bare } = made;
    const replaced = await admin(`PUT ${pathOf(resource, made)}`, bare);
    expect([replaced.status, replaced.body[plain]]).toEqual([200, fallback]);
  });

  it('rejects unknown properties, wrong types and missing names, each by its pointer', async () => {
    const made = await add(resource);
    const one = pathOf(resource, made);
    const body = { ...resource.body(world), is_superuser: true, 'a/b~c': 1, [plain]: { deep: 1 } };
    const { status, body: problem } = await admin(`POST ${resource.path(world)}`, body);
    const pointers = problem.errors.map(({ pointer }: Json) => pointer).sort();
    expect([status, problem.code, pointers]).toEqual([
      422,
      'invalid_request',
      [`/${plain}`, '/a~1b~0c', '/is_superuser'].sort(),
    ]);
    const attempts = [
      [`POST ${resource.path(world)}`, { ...resource.body(world), name: undefined }, '/name'],
      [`POST ${resource.path(world)}`, { ...resource.body(world), name: '   ' }, '/name'],
      [`POST ${resource.path(world)}`, { ...resource.body(world), name: ' \u200b\u2060' }, '/name'],
      [`POST ${resource.path(world)}`, { ...resource.body(world), name: 'x'.repeat(257) }, '/name'],
      [`POST ${resource.path(world)}`, { ...resource.body(world), name: 'a\nb' }, '/name'],
      [`POST ${resource.path(world)}`, { ...resource.body(world), name: 'a\0b' }, '/name'],
      [`PUT ${one}`, { [plain]: value }, '/name'],
      [`PATCH ${one}`, { name: null }, '/name'],
      [`PATCH ${one}`, { is_superuser: true }, '/is_superuser'],
      [`PATCH ${one}`, '{"__proto__":{"name":"x"}}', '/__proto__'],
    ] as const;
    for (const [route, sent, pointer] of attempts) {
      const answer = await admin(route, sent);
      const told = answer.body.errors?.map((error: Json) => error.pointer);
      expect([route, answer.status, told?.includes(pointer)], JSON.stringify(answer.body)).toEqual([
        route,
        422,
        true,
      ]);
    }
    expect((await admin(`GET ${one}`)).body).toEqual(made);
  });

  it('ignores read-only properties in POST, PUT and PATCH', async () => {
    const forged = { id: unknownId, uuid: unknownId, created_at: '2001-01-01T00:00:00.000Z', updated_at: 1 };
    const readOnly = Object.fromEntries(
      Object.entries(forged).filter(([name]) => name !== 'uuid' || nested.includes(resource)),
    );
    const made = await add(resource, readOnly);
    expect(made.id).not.toBe(unknownId);
    const patched = await admin(`PATCH ${pathOf(resource, made)}`, readOnly);
    expect(patched.body).toEqual({ ...made, updated_at: patched.body.updated_at });
  });

  it('is refused with the id of the existing record when the name is taken, in any case and Unicode form', async () => {
    const name = unique('Ёлка é');
    const made = await add(resource, { name });
    for (const twin of [name, name.toUpperCase(), ` ${name.normalize('NFD')} `]) {
      const { status, body } = await admin(`POST ${resource.path(world)}`, {
        ...resource.body(world),
        name: twin,
      });
      expect([status, body.code, body.existing_id, body.errors?.[0]?.pointer]).toEqual([
        409,
        'already_exists',
        made.id,
        '/name',
      ]);
    }
    if (resource.fixedName) return;
    const other = await add(resource);
    const renamed = await admin(`PATCH ${pathOf(resource, other)}`, { name: name.toLowerCase() });
    expect([renamed.status, renamed.body.existing_id]).toEqual([409, made.id]);
    expect((await admin(`PATCH ${pathOf(resource, made)}`, { name: name.toUpperCase() })).status).toBe(200);
  });

  it('supports If-Match and If-None-Match', async () => {
    const made = await add(resource);
    const one = pathOf(resource, made);
    const read = await admin(`GET ${one}`);
    const etag = read.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"1\.[\w-]+"$/);
    const unchanged = await admin(`GET ${one}`, undefined, { 'if-none-match': `"x", W/${etag}` });
    expect([unchanged.status, unchanged.body, unchanged.headers.get('etag')]).toEqual([304, '', etag]);
    const fresh = await admin(`PATCH ${one}`, { [plain]: value }, { 'if-match': `"7.x", ${etag}` });
    expect(fresh.status).toBe(200);
    expect((await admin(`GET ${one}`, undefined, { 'if-none-match': etag })).status).toBe(200);
    for (const stale of [etag, `W/${etag}`, '"2"', 'garbage']) {
      const conditions = { 'if-match': stale };
      expect((await admin(`PATCH ${one}`, { [plain]: null }, conditions)).body.code).toBe(
        'precondition_failed',
      );
      expect((await admin(`PUT ${one}`, made, conditions)).status).toBe(412);
      expect((await admin(`DELETE ${one}`, undefined, conditions)).status).toBe(412);
    }
    expect((await admin(`GET ${one}`)).body[plain]).toEqual(value);
    expect((await admin(`PATCH ${one}`, {}, { 'if-match': '*' })).status).toBe(200);
    const last = (await admin(`GET ${one}`)).headers.get('etag') ?? '';
    expect((await admin(`DELETE ${one}`, undefined, { 'if-match': last })).status).toBe(204);
  });

  it('writes one audit event per write with the states before and after, and none for a failed write', async () => {
    const { result: made, events: creation } = await audited(world.portal, () => add(resource));
    const one = pathOf(resource, made);
    const common = {
      event: 'portal.EntityAction',
      category: 'config',
      result: 'success',
      user_name: 'admin',
    };
    const object = { object_type: resource.type, object_id: made.id, object_name: made.name };
    expect(creation).toMatchObject([{ ...common, ...object, action: 'create' }]);
    expect(creation[0]?.changes).toContainEqual({ field: 'name', before: null, after: made.name });
    const update = await audited(world.portal, () => admin(`PATCH ${one}`, { [plain]: value }));
    const change = { field: plain, before: fallback, after: value };
    expect(update.events).toMatchObject([{ ...common, ...object, action: 'update', changes: [change] }]);
    expect(update.events[0]).toMatchObject({
      method: 'PATCH',
      request_id: update.result.headers.get('x-request-id'),
    });
    const failures = await audited(world.portal, () =>
      Promise.all([
        admin(`PATCH ${one}`, { [plain]: null }, { 'if-match': '"1.x"' }),
        admin(`POST ${resource.path(world)}`, { ...resource.body(world), name: made.name }),
        admin(`PATCH ${one}`, { bogus: 1 }),
        admin(`DELETE ${resource.path(world)}/${unknownId}`),
      ]),
    );
    expect(failures.result.map(({ status }) => status)).toEqual([412, 409, 422, 404]);
    expect(failures.events).toEqual([]);
    const removal = await audited(world.portal, () => admin(`DELETE ${one}`));
    expect(removal.events).toMatchObject([{ ...common, ...object, action: 'delete' }]);
    expect(removal.events[0]?.changes).toContainEqual({ field: 'name', before: made.name, after: null });
    expect(JSON.stringify([...creation, ...update.events, ...removal.events])).not.toContain(goodPassword);
  });

  it('is 404 for an unknown id and an invalid UUID', async () => {
    for (const id of [unknownId, 'nobody', "'; drop table users", '%00'])
      expect((await admin(`GET ${resource.path(world)}/${encodeURIComponent(id)}`)).status, id).toBe(404);
    const made = await add(resource);
    expect((await admin(`GET ${pathOf(resource, { id: made.id.toUpperCase() })}`)).body).toEqual(made);
  });

  it('is created exactly once by two concurrent creations of one name', async () => {
    const body = resource.body(world);
    const answers = await Promise.all([1, 2, 3].map(() => admin(`POST ${resource.path(world)}`, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const made = answers.find(({ status }) => status === 201)?.body;
    for (const { status, body: twin } of answers) if (status === 409) expect(twin.existing_id).toBe(made.id);
  });
});

describe.each(nested.map((resource) => [resource.type, resource] as const))('a nested %s', (_, resource) => {
  it('is 404 under another owner for every method', async () => {
    const made = await add(resource);
    const other = {
      ...world,
      domain: await create(admin, '/api/webui/aggregator/authenticators', {
        name: unique('other'),
        small_name: unique('other'),
        type: 'internal',
      }),
    };
    const one = `${resource.path(other)}/${made.id}`;
    expect((await admin(`GET ${one}`)).status).toBe(404);
    expect((await admin(`PUT ${one}`, made)).status).toBe(404);
    expect((await admin(`PATCH ${one}`, { comments: 'x' })).status).toBe(404);
    expect((await admin(`DELETE ${one}`)).status).toBe(404);
    const { body } = await admin(`POST ${resource.path(other)}/bulk_destroy`, { ids: [made.id] });
    expect(body).toMatchObject({ deleted_count: 0, failed: [{ id: made.id, code: 'not_found' }] });
    expect((await admin(`GET ${pathOf(resource, made)}`)).body).toEqual(made);
  });

  it('is not created, changed or deleted under an unknown owner', async () => {
    const nowhere = resource.path({ ...world, domain: { id: unknownId } });
    expect((await admin(`POST ${nowhere}`, resource.body(world))).status).toBe(404);
    expect((await admin(`PATCH ${nowhere}/${unknownId}`, {})).status).toBe(404);
    expect((await admin(`POST ${nowhere}/bulk_destroy`, { all: true })).status).toBe(404);
  });

  it('may have the name of one in another domain', async () => {
    const made = await add(resource);
    const domain = await create(admin, '/api/webui/aggregator/authenticators', {
      name: unique('other'),
      small_name: unique('other'),
      type: 'internal',
    });
    const body = { ...resource.body(world), name: made.name };
    expect((await admin(`POST ${resource.path({ ...world, domain })}`, body)).status).toBe(201);
  });
});
