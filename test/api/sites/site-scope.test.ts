import { beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '../../../shared/context/permissions.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import {
  type Ask,
  addDispatcher,
  addFarm,
  addGroup,
  addMember,
  addMonitoringRecord,
  addRole,
  addRule,
  addSite,
  addTemplate,
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

const world = useWorld();
let scoped: Ask;
type Place = { site: Json; farm: Json; node: Json };
let own: Place;
let other: Place;
const admin = adminOf(world);

async function addPlace(): Promise<Place> {
  const site = await addSite(admin);
  const farm = await addFarm(admin, site);
  return { site, farm, node: await addDispatcher(admin, farm) };
}

beforeAll(async () => {
  [own, other] = [await addPlace(), await addPlace()];
  scoped = (await addMember(world, permissions, [own.site.id])).ask;
});

const nodeBody = (farm: Json) => ({
  name: unique('node'),
  farm_id: farm.id,
  url: 'https://node.example.com',
});

describe('an administrator of one site', () => {
  it('lists and counts the rows of that site only, with every filter and search', async () => {
    const expected = { sites: own.site.id, farms: own.farm.id, dispatchers: own.node.id };
    for (const [collection, id] of Object.entries(expected)) {
      const { body } = await scoped(`GET ${base}/${collection}?count=exact`);
      expect([collection, body.items.map((item: Json) => item.id), body.total]).toEqual([
        collection,
        [id],
        1,
      ]);
    }
    for (const query of [
      `farms?site_id=${other.site.id}`,
      `dispatchers?site_id=${other.site.id}`,
      `dispatchers?farm_id=${other.farm.id}`,
      `sites?search=${other.site.name}`,
    ])
      expect((await scoped(`GET ${base}/${query}&count=exact`)).body).toEqual({
        items: [],
        next: null,
        total: 0,
      });
  });

  it('gets 404 for objects of another site with every method', async () => {
    const rows = { sites: other.site, farms: other.farm, dispatchers: other.node };
    for (const [collection, row] of Object.entries(rows)) {
      const one = `${base}/${collection}/${row.id}`;
      const statuses = [
        await scoped(`GET ${one}`),
        await scoped(`PUT ${one}`, row),
        await scoped(`PATCH ${one}`, { name: 'mine now' }),
        await scoped(`DELETE ${one}`),
      ].map(({ status }) => status);
      expect([collection, statuses]).toEqual([collection, [404, 404, 404, 404]]);
      const bulk = await scoped(`POST ${base}/${collection}/bulk_destroy`, { ids: [row.id] });
      expect(bulk.body).toMatchObject({ deleted_count: 0, failed: [{ id: row.id, code: 'not_found' }] });
      expect((await admin(`GET ${one}`)).body).toEqual(
        row.id === other.site.id ? { ...row, farms_count: 1 } : expect.objectContaining({ name: row.name }),
      );
    }
    expect((await scoped(`GET ${base}/sites/${other.site.id}/farms`)).status).toBe(404);
    expect((await scoped(`GET ${base}/farms/${other.farm.id}/dispatchers`)).status).toBe(404);
    expect((await scoped(`GET ${base}/sites/${own.site.id}/farms`)).body.items).toHaveLength(1);
    expect((await scoped('POST /api/auth/v7.0/jwtauth', { dispatcher_id: other.node.id })).status).toBe(404);
  });

  it('changes objects of that site', async () => {
    expect((await scoped(`PATCH ${base}/sites/${own.site.id}`, { comments: 'mine' })).status).toBe(200);
    const farm = await scoped(`POST ${base}/farms`, { name: unique('farm'), site_id: own.site.id });
    expect(farm.status).toBe(201);
    const node = await scoped(`POST ${base}/dispatchers`, nodeBody(farm.body));
    expect(node.status).toBe(201);
    expect((await scoped(`PATCH ${base}/dispatchers/${node.body.id}`, { priority: 3 })).status).toBe(200);
    expect((await scoped(`DELETE ${base}/dispatchers/${node.body.id}`)).status).toBe(204);
    expect(
      (await scoped(`POST ${base}/farms/bulk_destroy`, { ids: [farm.body.id] })).body.deleted_count,
    ).toBe(1);
  });

  it('gets the same error for another site and an unknown one when creating and moving', async () => {
    const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
    const attempts = (siteId: string, farmId: string) =>
      [
        [`POST ${base}/farms`, { name: unique('farm'), site_id: siteId }],
        [`PATCH ${base}/farms/${own.farm.id}`, { site_id: siteId }],
        [`POST ${base}/dispatchers`, nodeBody({ id: farmId })],
        [`PATCH ${base}/dispatchers/${own.node.id}`, { farm_id: farmId }],
      ] as const;
    const answers = async (siteId: string, farmId: string) => {
      const found: Json[] = [];
      for (const [route, body] of attempts(siteId, farmId)) {
        const {
          status,
          body: { instance: _, ...problem },
        } = await scoped(route, body);
        found.push([status, problem]);
      }
      return found;
    };
    const foreign = await answers(other.site.id, other.farm.id);
    expect(foreign).toEqual(await answers(unknownId, unknownId));
    expect(foreign.map(([status]) => status)).toEqual([422, 422, 422, 422]);
    expect((await admin(`GET ${base}/sites/${other.site.id}`)).body.farms_count).toBe(1);
    expect((await admin(`GET ${base}/farms/${own.farm.id}`)).body.site_id).toBe(own.site.id);
  });

  it('cannot create a site, and a name conflict does not name an object of another site', async () => {
    const { status, body } = await scoped(`POST ${base}/sites`, siteBody());
    expect([status, body.code]).toEqual([403, 'forbidden']);
    const twin = await scoped(`POST ${base}/farms`, { name: other.farm.name, site_id: own.site.id });
    expect(twin.status).toBe(409);
    expect(twin.body).not.toHaveProperty('existing_id');
  });

  it('deletes all objects of that site in a bulk deletion of all', async () => {
    const place = await addPlace();
    const { ask } = await addMember(world, permissions, [place.site.id]);
    const destroy = async (collection: string) =>
      (await ask(`POST ${base}/${collection}/bulk_destroy`, { all: true })).body.deleted;
    expect(await destroy('dispatchers')).toEqual([place.node.id]);
    expect(await destroy('farms')).toEqual([place.farm.id]);
    expect(await destroy('sites')).toEqual([place.site.id]);
    expect((await admin(`GET ${base}/dispatchers/${other.node.id}`)).status).toBe(200);
  });

  it('reads objects without a site and writes none of them', async () => {
    const group = await addGroup(admin, world.domain);
    const [users, groups] = [usersPath(world.domain), groupsPath(world.domain)];
    for (const path of [domainsPath, users, groups, `${base}/rbac`, `${groups}/${group.id}`])
      expect([path, (await scoped(`GET ${path}`)).status]).toEqual([path, 200]);
    const writes = [
      [`POST ${domainsPath}`, {}],
      [`PATCH ${domainsPath}/${world.domain.id}`, { comments: 'x' }],
      [`DELETE ${domainsPath}/${world.domain.id}`, undefined],
      [`POST ${users}`, {}],
      [`POST ${users}/bulk_destroy`, { all: true }],
      [`PATCH ${groups}/${group.id}`, { comments: 'x' }],
      [`DELETE ${groups}/${group.id}`, undefined],
      [`POST ${groups}/bulk_destroy`, { all: true }],
      [`POST ${base}/rbac`, { name: unique('role'), permissions: [] }],
    ] as const;
    for (const [route, body] of writes) {
      const answer = await scoped(route, body);
      expect([route, answer.status, answer.body.code]).toEqual([route, 403, 'forbidden']);
      expect(answer.body.required_permission).toMatch(/\./);
    }
  });

  it('cannot continue a list with the cursor of a caller with a wider scope', async () => {
    const { next } = (await admin(`GET ${base}/farms?limit=1`)).body;
    expect((await scoped(`GET ${base}/farms?limit=1&cursor=${next}`)).status).toBe(400);
  });
});

describe('information about objects outside the scope', () => {
  /** Every permission for all sites, except those to read these kinds of objects. */
  async function memberReading(narrow: readonly string[]): Promise<Ask> {
    const wide = permissions.filter((permission) => !narrow.includes(permission));
    const member = await addMember(world, narrow, [own.site.id]);
    const role = await addRole(admin, wide);
    const roles = [role.id, member.role.id];
    await admin(`PATCH ${usersPath(world.domain)}/${member.user.id}`, { roles });
    return member.ask;
  }

  it('is left out of a refused deletion', async () => {
    const template = await addTemplate(admin);
    const [site, far] = [own.site, other.site];
    for (const { id } of [site, far])
      await admin(`PATCH ${base}/sites/${id}`, { maintenance_template_id: template.id });
    const remove = async (ask: Ask) => {
      const { status, body } = await ask(`DELETE ${base}/maintenance/${template.id}`);
      return [status, body.references.map(({ id }: Json) => id).sort()];
    };
    expect(await remove(admin)).toEqual([409, [site.id, far.id].sort()]);
    expect(await remove(await memberReading(['sites.read']))).toEqual([409, [site.id]]);
    const { ask } = await addMember(world, ['maintenance.read', 'maintenance.delete']);
    expect(await remove(ask)).toEqual([409, []]);
  });

  it('is left out of a refused move of a farm', async () => {
    const [site, away] = [await addSite(admin), await addSite(admin)];
    const farm = await addFarm(admin, site);
    const rule = await addRule(admin, site, {
      members: [{ farm_id: farm.id, servicepool_uuid: newId(), priority: 1, enabled: true }],
    });
    const move = (ask: Ask) => ask(`PATCH ${base}/farms/${farm.id}`, { site_id: away.id });
    expect((await move(admin)).body.references).toMatchObject([{ id: rule.id }]);
    expect((await move(await memberReading(['rules.read']))).body).toMatchObject({
      code: 'in_use',
      references: [],
    });
  });

  it('is neither in records of the monitoring journal nor on the dashboard', async () => {
    const gone = await addPlace();
    const about = (object_type: string | null, object_id: string | null) =>
      addMonitoringRecord(admin, { level: 'error', object_type, object_id });
    const seen = [
      await about('site', own.site.id),
      await about('farm', own.farm.id),
      await about('dispatcher', own.node.id),
      await about('user', newId()),
      await about(null, null),
    ];
    const hidden = [
      await about('site', other.site.id),
      await about('farm', other.farm.id),
      await about('dispatcher', other.node.id),
      await about('dispatcher', gone.node.id),
      await about('farm', 'no id at all'),
      await about('gateway', newId()),
      await about('site of the moon', own.site.id),
    ];
    await admin(`DELETE ${base}/dispatchers/${gone.node.id}`);
    const ids = (rows: Json[]) => rows.map(({ id }) => id).sort();
    const [all, some] = [
      await admin(`GET ${base}/monitoring`),
      await scoped(`GET ${base}/monitoring?count=exact`),
    ];
    expect(ids(all.body.items)).toEqual(expect.arrayContaining(ids([...seen, ...hidden])));
    const shown = ids(some.body.items);
    expect([shown.filter((id) => ids(hidden).includes(id)), some.body.total]).toEqual([[], shown.length]);
    expect(shown).toEqual(expect.arrayContaining(ids(seen)));
    for (const { id } of hidden) {
      expect((await scoped(`GET ${base}/monitoring/${id}`)).status).toBe(404);
      expect((await admin(`GET ${base}/monitoring/${id}`)).status).toBe(200);
    }
    const { body } = await scoped(`GET ${base}/dashboard/admin`);
    expect(body.recent_failures.length).toBeGreaterThan(0);
    expect(ids(body.recent_failures).filter((id) => ids(hidden).includes(id))).toEqual([]);
  });
});

describe('two roles', () => {
  it('are combined: each permission applies within the sites of the roles that grant it', async () => {
    const member = await addMember(world, ['sites.read', 'farms.read'], [own.site.id]);
    const second = await admin(`POST ${base}/rbac`, {
      name: unique('role'),
      permissions: ['sites.read', 'sites.update'],
      scope: { sites: [other.site.id] },
    });
    await admin(`PATCH ${usersPath(world.domain)}/${member.user.id}`, {
      roles: [member.role.id, second.body.id],
    });
    const { body } = await member.ask(`GET ${base}/sites`);
    expect(body.items.map(({ id }: Json) => id).sort()).toEqual([own.site.id, other.site.id].sort());
    expect((await member.ask(`GET ${base}/farms`)).body.items.map(({ id }: Json) => id)).toEqual([
      own.farm.id,
    ]);
    expect((await member.ask(`PATCH ${base}/sites/${other.site.id}`, {})).status).toBe(200);
    expect((await member.ask(`PATCH ${base}/sites/${own.site.id}`, {})).status).toBe(404);
    expect((await member.ask('GET /api/userinfo')).body.scope.sites.sort()).toEqual(
      [own.site.id, other.site.id].sort(),
    );
  });

  it('and a role without sites grants none', async () => {
    const { ask } = await addMember(world, ['sites.read', 'sites.create'], []);
    expect((await ask(`GET ${base}/sites?count=exact`)).body).toEqual({ items: [], next: null, total: 0 });
    expect((await ask(`POST ${base}/sites`, siteBody())).status).toBe(403);
  });
});
