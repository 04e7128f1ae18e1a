import { describe, expect, it } from 'vitest';
import { permissions } from '../../../shared/context/permissions.ts';
import {
  addDomain,
  addFarm,
  addGroup,
  addMember,
  addPriorityGroup,
  addUser,
  adminOf,
  audited,
  base,
  domainsPath,
  groupsPath,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/priority_groups`;
const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const world = useWorld();
const admin = adminOf(world);

/** By id, as in responses. */
const sorted = (farms: { farm_id: string; priority: number }[]) =>
  [...farms].sort((a, b) => (a.farm_id < b.farm_id ? -1 : 1));
const prefer = ({ id }: Json, priority: number) => ({ farm_id: String(id), priority });

describe('priority groups', () => {
  it('have every property in their answers, with defaults', async () => {
    const name = unique('preference');
    const made = (await admin(`POST ${path}`, { name })).body;
    expect(made).toEqual({
      id: made.id,
      name,
      comments: '',
      priority: 1,
      users: [],
      groups: [],
      farms: [],
      created_at: made.created_at,
      updated_at: made.created_at,
    });
  });

  it('have their users and the priority of each farm', async () => {
    const [first, second] = [await addFarm(admin, world.site), await addFarm(admin, world.site)];
    const [user, group] = [await addUser(admin, world.domain), await addGroup(admin, world.domain)];
    const made = await addPriorityGroup(admin, {
      users: [user.id, user.id],
      groups: [group.id],
      farms: [prefer(second, 5), { farm_id: first.id.toUpperCase() }],
    });
    const farms = sorted([prefer(first, 1), prefer(second, 5)]);
    expect(made).toMatchObject({ users: [user.id], groups: [group.id], farms });
    const one = `${path}/${made.id}`;
    expect((await admin(`PUT ${one}`, made)).body).toMatchObject({ farms, users: [user.id] });
    const swapped = [prefer(second, 1), prefer(first, 2)];
    expect((await admin(`PATCH ${one}`, { farms: swapped })).body.farms).toEqual(sorted(swapped));
    expect((await admin(`PATCH ${one}`, { farms: [prefer(first, 9)] })).body.farms).toEqual([
      prefer(first, 9),
    ]);
    const listed = await admin(`GET ${path}?search=${made.name}`);
    expect(listed.body.items).toMatchObject([{ farms: [prefer(first, 9)], groups: [group.id] }]);
    expect((await admin(`PATCH ${one}`, { farms: null, users: [] })).body).toMatchObject({
      farms: [],
      users: [],
      groups: [group.id],
    });
  });

  it('change by another priority of a farm, not by another order', async () => {
    const farms = [prefer(world.farm, 1), prefer(await addFarm(admin, world.site), 2)];
    const made = await addPriorityGroup(admin, { farms });
    const patch = (changed: object[]) =>
      audited(world.portal, () => admin(`PATCH ${path}/${made.id}`, { farms: changed }));
    expect((await patch([...made.farms].reverse())).events).toMatchObject([{ changes: [] }]);
    const other = made.farms.map((farm: Json) => ({ ...farm, priority: farm.priority + 1 }));
    expect((await patch(other)).events).toMatchObject([
      { changes: [{ field: 'farms', before: made.farms, after: other }] },
    ]);
  });

  it('name each farm once, and existing ones only', async () => {
    const made = await addPriorityGroup(admin);
    const twice = [prefer(world.farm, 1), prefer({ id: world.farm.id.toUpperCase() }, 2)];
    const attempts = [
      [{ farms: twice }, '/farms/1/farm_id'],
      [{ farms: [prefer({ id: unknownId }, 1)] }, '/farms'],
      [{ farms: [{ priority: 1 }] }, '/farms/0/farm_id'],
      [{ farms: [{ ...prefer(world.farm, 1), name: 'x' }] }, '/farms/0/name'],
      [{ farms: [prefer(world.farm, -1)] }, '/farms/0/priority'],
      [{ farms: [world.farm.id] }, '/farms/0'],
      [{ users: [unknownId] }, '/users'],
      [{ groups: [unknownId] }, '/groups'],
    ] as const;
    for (const [given, pointer] of attempts)
      for (const route of [`POST ${path}`, `PATCH ${path}/${made.id}`]) {
        const name = unique('refused');
        const { status, body } = await admin(route, { name, ...given });
        expect([status, body.errors?.map((error: Json) => error.pointer)]).toEqual([422, [pointer]]);
      }
    expect((await admin(`GET ${path}/${made.id}`)).body).toEqual(made);
  });

  it('prevent the deletion of the objects they name, and are listed as references', async () => {
    const domain = await addDomain(admin);
    const farm = await addFarm(admin, world.site);
    const [user, group] = [await addUser(admin, domain), await addGroup(admin, domain)];
    const users = await addPriorityGroup(admin, { users: [user.id], farms: [prefer(farm, 1)] });
    const groups = await addPriorityGroup(admin, { groups: [group.id] });
    const reference = ({ id, name }: Json) => ({ type: 'priority_group', id, name });
    const kept = [
      [`${base}/farms/${farm.id}`, [reference(users)]],
      [`${usersPath(domain)}/${user.id}`, [reference(users)]],
      [`${groupsPath(domain)}/${group.id}`, [reference(groups)]],
      [`${domainsPath}/${domain.id}`, [reference(users), reference(groups)]],
    ] as const;
    for (const [one, references] of kept) {
      const { status, body } = await admin(`DELETE ${one}`);
      expect([one, status, body.code, body.references]).toEqual([one, 409, 'in_use', references]);
      const [, collection = '', id] = /^(.*)\/(.*)$/.exec(one) ?? [];
      const bulk = await admin(`POST ${collection}/bulk_destroy`, { ids: [id] });
      expect(bulk.body).toMatchObject({ deleted_count: 0, failed: [{ id, code: 'in_use' }] });
    }
    for (const { id } of [users, groups]) expect((await admin(`DELETE ${path}/${id}`)).status).toBe(204);
    for (const [one] of kept) expect((await admin(`DELETE ${one}`)).status).toBe(204);
  });

  it('have no bulk_destroy: the path is a group id', async () => {
    const made = await addPriorityGroup(admin);
    expect((await admin(`POST ${path}/bulk_destroy`, { all: true })).status).toBe(405);
    expect((await admin(`PATCH ${path}/bulk_destroy`, {})).status).toBe(404);
    expect((await admin(`GET ${path}/bulk_destroy`)).status).toBe(404);
    expect((await admin(`GET ${path}/${made.id}`)).status).toBe(200);
  });

  it('are read with a limited scope and written with the scope of all sites only', async () => {
    const made = await addPriorityGroup(admin);
    const { ask } = await addMember(world, permissions, [world.site.id]);
    expect((await ask(`GET ${path}`)).body.items).not.toEqual([]);
    const writes = [
      await ask(`POST ${path}`, { name: unique('mine') }),
      await ask(`PUT ${path}/${made.id}`, made),
      await ask(`PATCH ${path}/${made.id}`, { priority: 2 }),
      await ask(`DELETE ${path}/${made.id}`),
    ];
    expect(writes.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const weak = (await addMember(world, ['sites.read'])).ask;
    expect((await weak(`GET ${path}`)).body).toMatchObject({ required_permission: 'priority_groups.read' });
  });
});
