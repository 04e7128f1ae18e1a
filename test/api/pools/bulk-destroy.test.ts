import { describe, expect, it } from 'vitest';
import {
  addDispatcher,
  addDomain,
  addFarm,
  addGroup,
  addMember,
  addSite,
  addUser,
  adminOf,
  audited,
  base,
  builtin,
  create,
  domainsPath,
  groupsPath,
  resources,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);

const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const absentIds = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `01932b5e-7d8a-7c33-9d52-${String(at).padStart(12, '0')}`);
const destroyable = resources.filter(({ bulkDestroy }) => bulkDestroy);

describe.each(
  destroyable.map((resource) => [resource.type, resource] as const),
)('bulk_destroy of %ss', (_, resource) => {
  const add = (count: number): Promise<Json[]> =>
    Promise.all(
      Array.from({ length: count }, () => create(admin, resource.path(world), resource.body(world))),
    );
  const destroy = (body?: unknown) =>
    admin(`${resource.bulkDestroyMethod ?? 'POST'} ${resource.path(world)}/bulk_destroy`, body);

  it('deletes the given ids only, with one audit event, and may be repeated', async () => {
    const [first, second, third] = await add(3);
    const ids = [first.id, second.id, second.id.toUpperCase(), unknownId];
    const { result, events } = await audited(world.portal, () => destroy({ ids }));
    expect(result.status).toBe(200);
    expect(result.body).toMatchObject({
      deleted_count: 2,
      failed_count: 1,
      failed: [{ id: unknownId, code: 'not_found' }],
    });
    expect([...result.body.deleted].sort()).toEqual([first.id, second.id].sort());
    expect(events).toMatchObject([
      { event: 'portal.EntityAction', action: 'bulk_destroy', object_type: resource.type, count: 2 },
    ]);
    expect((await admin(`GET ${resource.path(world)}/${third.id}`)).status).toBe(200);
    const again = await destroy({ ids });
    expect(again.body).toMatchObject({ deleted_count: 0, deleted: [], failed_count: 3 });
  });

  it('deletes nothing for an empty body, empty ids, or both modes together', async () => {
    const [one] = await add(1);
    const bodies = [
      undefined,
      {},
      { ids: [] },
      { all: false },
      { all: null },
      { ids: [one.id], all: true },
      { ids: 'all' },
    ];
    const more = [{ ids: ['nobody'] }, { ids: [one.id, ...absentIds(500)] }, { all: true, but: [one.id] }];
    for (const body of [...bodies, ...more]) {
      const { status, body: problem } = await destroy(body);
      expect([status, problem.code], JSON.stringify(body)?.slice(0, 80)).toEqual([422, 'invalid_request']);
      for (const { pointer } of problem.errors) expect(pointer).toMatch(/^$|^\/./);
    }
    expect((await admin(`GET ${resource.path(world)}/${one.id}`)).status).toBe(200);
  });
});

describe('bulk_destroy of all', () => {
  it('deletes the users of the domain and of no other', async () => {
    const [domain, other] = await Promise.all([addDomain(admin), addDomain(admin)]);
    await Promise.all([addUser(admin, domain), addUser(admin, domain), addGroup(admin, domain)]);
    const kept = await addUser(admin, other);
    const { body } = await admin(`POST ${usersPath(domain)}/bulk_destroy`, { all: true });
    expect(body).toMatchObject({ deleted_count: 2, failed_count: 0 });
    expect((await admin(`GET ${groupsPath(domain)}?count=exact`)).body.total).toBe(1);
    expect((await admin(`GET ${usersPath(other)}/${kept.id}`)).status).toBe(200);
  });

  it('keeps the caller and objects in use, and reports them', async () => {
    const { domain, admin: caller } = await builtin(admin);
    const [gone, used] = [await addUser(admin, domain), await addUser(admin, domain)];
    const site = await addSite(admin, { users: [used.id] });
    const { body } = await admin(`POST ${usersPath(domain)}/bulk_destroy`, { all: true });
    expect(body.deleted).toEqual([gone.id]);
    expect(body.failed).toHaveLength(2);
    expect(body.failed).toContainEqual(expect.objectContaining({ id: caller.id, code: 'invalid_state' }));
    expect(body.failed).toContainEqual(expect.objectContaining({ id: used.id, code: 'in_use' }));
    await admin(`PATCH ${base}/sites/${site.id}`, { users: [] });
    expect((await admin(`POST ${usersPath(domain)}/bulk_destroy`, { all: true })).body.deleted).toEqual([
      used.id,
    ]);
  });

  it('keeps the built-in domain, domains with users or groups that a site names, and the domain of the caller', async () => {
    const { domain: own } = await builtin(admin);
    const [free, named, byUser, byGroup] = [
      await addDomain(admin),
      await addDomain(admin),
      await addDomain(admin),
      await addDomain(admin),
    ];
    const [user, group] = [await addUser(admin, byUser), await addGroup(admin, byGroup)];
    await addSite(admin, { authenticators: [named.id], users: [user.id], groups: [group.id] });
    await addUser(admin, free);
    const ids = [own, free, named, byUser, byGroup].map(({ id }) => id);
    const { body } = await admin(`POST ${domainsPath}/bulk_destroy`, { ids });
    expect(body.deleted).toEqual([free.id]);
    const codes = Object.fromEntries(body.failed.map(({ id, code }: Json) => [id, code]));
    expect(codes).toEqual({
      [own.id]: 'invalid_state',
      [named.id]: 'in_use',
      [byUser.id]: 'in_use',
      [byGroup.id]: 'in_use',
    });
    expect((await admin(`GET ${usersPath(byUser)}/${user.id}`)).status).toBe(200);
  });

  it('keeps sites with farms and farms with nodes, and works from the leaves upwards', async () => {
    const site = await addSite(admin);
    const farm = await addFarm(admin, site);
    const node = await addDispatcher(admin, farm);
    const destroy = async (collection: string, { id }: Json) =>
      (await admin(`POST ${base}/${collection}/bulk_destroy`, { ids: [id] })).body;
    expect(await destroy('sites', site)).toMatchObject({ deleted_count: 0, failed: [{ code: 'in_use' }] });
    expect(await destroy('farms', farm)).toMatchObject({ deleted_count: 0, failed: [{ code: 'in_use' }] });
    expect(await destroy('dispatchers', node)).toMatchObject({ deleted_count: 1 });
    expect(await destroy('farms', farm)).toMatchObject({ deleted_count: 1 });
    expect(await destroy('sites', site)).toMatchObject({ deleted_count: 1 });
  });

  it('keeps users with more permissions than the caller, and their domains', async () => {
    const domain = await addDomain(admin);
    const { ask } = await addMember(world, ['users.delete', 'authenticators.delete']);
    const strong = await addMember({ ...world, domain }, ['sites.delete']);
    const weak = await addUser(admin, domain);
    const users = await ask(`POST ${usersPath(domain)}/bulk_destroy`, { all: true });
    expect(users.body).toMatchObject({
      deleted: [weak.id],
      failed: [{ id: strong.user.id, code: 'forbidden' }],
    });
    const domains = await ask(`POST ${domainsPath}/bulk_destroy`, { ids: [domain.id] });
    expect(domains.body).toMatchObject({ deleted: [], failed: [{ id: domain.id, code: 'forbidden' }] });
  });

  it('reports at most a hundred failures and counts all', async () => {
    const farm = await addFarm(admin, world.site);
    await addDispatcher(admin, farm);
    const { body } = await admin(`POST ${base}/farms/bulk_destroy`, { ids: [farm.id, ...absentIds(150)] });
    expect([body.deleted_count, body.failed_count, body.failed.length]).toEqual([0, 151, 100]);
  });

  it('deletes hundreds in one request', async () => {
    const domain = await addDomain(admin);
    const made = await Promise.all(Array.from({ length: 120 }, () => addGroup(admin, domain)));
    const ids = made.map(({ id }) => id);
    const { body } = await admin(`POST ${groupsPath(domain)}/bulk_destroy`, { ids });
    expect([body.deleted_count, body.failed_count]).toEqual([120, 0]);
  });

  it('does not exist for roles: the path is a role id', async () => {
    expect((await admin(`POST ${base}/rbac/bulk_destroy`, { all: true })).status).toBe(405);
    expect((await admin(`GET ${base}/rbac/bulk_destroy`)).status).toBe(404);
  });
});
