import { beforeAll, describe, expect, it } from 'vitest';
import { addDirectory, addMember, adminOf, audited, domainsPath, useWorld } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let domain: Json;
const admin = adminOf(world);

beforeAll(async () => {
  domain = await addDirectory(admin, { bind_dn: 'cn=reader', bind_password: 'secret' });
});

const path = ({ id }: Json = domain): string => `PATCH ${domainsPath}/${id}/attribute`;
const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

describe('the attributes of a domain', () => {
  it('are added, changed and deleted with one event each, and nothing else changes', async () => {
    const own = await addDirectory(admin, { bind_dn: 'cn=reader', bind_password: 'secret' });
    const phone = { name: 'phone', source: 'telephoneNumber', title: 'Phone' };
    const { result, events } = await audited(world.portal, () =>
      admin(path(own), { action: 'add', ...phone }),
    );
    expect([result.status, result.body]).toEqual([
      200,
      { ...own, attributes: [phone], updated_at: result.body.updated_at },
    ]);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      action: 'update',
      object_id: own.id,
      changes: [{ field: 'attributes', before: [], after: [phone] }],
    });
    const added = await admin(path(own), { action: 'add', name: 'mail' });
    expect(added.body.attributes).toEqual([phone, { name: 'mail', source: 'mail', title: '' }]);
    const changed = await admin(path(own), { action: 'change', name: 'PHONE', source: 'mobile' });
    expect(changed.body.attributes[0]).toEqual({ ...phone, source: 'mobile' });
    const left = await admin(path(own), { action: 'delete', name: 'phone' });
    expect(left.body.attributes.map(({ name }: Json) => name)).toEqual(['mail']);
    expect(left.body.params.bind_password_set).toBe(true);
    expect((await admin(`PUT ${domainsPath}/${own.id}`, own)).body.attributes).toEqual(left.body.attributes);
  });

  it('have unique names, and must exist to be changed or deleted', async () => {
    await admin(path(), { action: 'add', name: 'office', source: 'mail' });
    const twin = await admin(path(), { action: 'add', name: 'Office', source: 'mail' });
    expect([twin.status, twin.body.code, twin.body.errors[0].pointer]).toEqual([
      409,
      'already_exists',
      '/name',
    ]);
    for (const action of ['change', 'delete'])
      expect((await admin(path(), { action, name: 'absent' })).body.code).toBe('not_found');
    expect((await admin(path({ id: unknownId }), { action: 'add', name: 'x' })).status).toBe(404);
  });

  it('do not exist for an internal domain', async () => {
    const { status, body } = await admin(path(world.domain), { action: 'add', name: 'x' });
    expect([status, body.code, body.reason]).toEqual([409, 'invalid_state', 'no_directory']);
  });

  it.each([
    [{ action: 'rename', name: 'x' }, '/action'],
    [{ action: 'add' }, '/name'],
    [{ action: 'add', name: 'a b' }, '/name'],
    [{ action: 'add', name: 'x', source: '(uid=*)' }, '/source'],
    [{ action: 'add', name: 'x', title: 'x'.repeat(129) }, '/title'],
    [{ action: 'add', name: 'x', source: 'userPassword' }, '/source'],
    [{ action: 'add', name: 'unicodePwd' }, '/source'],
    [{ action: 'add', name: 'x', other: 1 }, '/other'],
  ])('reject %j', async (body, pointer) => {
    const answer = await admin(path(), body);
    expect([answer.status, answer.body.errors?.map((fault: Json) => fault.pointer)]).toEqual([
      422,
      [pointer],
    ]);
  });

  it('are written at the revision that was read', async () => {
    const { headers } = await admin(`GET ${domainsPath}/${domain.id}`);
    const ifMatch = { 'if-match': headers.get('etag') ?? '' };
    const first = await admin(path(), { action: 'add', name: 'first', source: 'mail' }, ifMatch);
    expect([first.status, first.headers.get('etag') === headers.get('etag')]).toEqual([200, false]);
    expect((await admin(path(), { action: 'add', name: 'second', source: 'mail' }, ifMatch)).status).toBe(
      412,
    );
  });

  it('are not lost when several are added concurrently', async () => {
    const own = await addDirectory(admin);
    const names = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(names.map((name) => admin(path(own), { action: 'add', name, source: 'mail' })));
    const { body } = await admin(`GET ${domainsPath}/${own.id}`);
    expect(body.attributes.map(({ name }: Json) => name).sort()).toEqual(names);
  });

  it('are changed with the permission to write domains', async () => {
    const reader = await addMember(world, ['authenticators.read']);
    const writer = await addMember(world, ['authenticators.update']);
    expect((await reader.ask(path(), { action: 'add', name: 'mine', source: 'mail' })).status).toBe(403);
    expect((await writer.ask(path(), { action: 'add', name: 'mine', source: 'mail' })).status).toBe(200);
  });
});
