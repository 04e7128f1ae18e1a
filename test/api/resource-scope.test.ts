import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maintenanceWindows } from '../../db/schema/maintenance-windows.ts';
import { pools } from '../../db/schema/pools.ts';
import { workplaceSessions } from '../../db/schema/workplace-sessions.ts';
import { workplaces } from '../../db/schema/workplaces.ts';
import { permissions } from '../../shared/access/permissions.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { type ResourceType, resources, resourceTypes } from '../../shared/resources.ts';
import { everyOperation, pathOf, type Registered } from '../contract/described.ts';
import {
  type Ask,
  addDirectory,
  addDispatcher,
  addFarm,
  addGateway,
  addMember,
  addMonitoringRecord,
  addPriorityGroup,
  addRole,
  addRule,
  addSite,
  addTemplate,
  addUser,
  base,
  create,
  memberOf,
  startWorld,
  type World,
} from '../support/factories.ts';
import type { Json } from '../support/portal.ts';
import { addPart } from '../support/snapshot-rows.ts';

/** In each name and address of an object of the one site, and of the other. */
type Mark = 'alpha' | 'omega';
/** Identifiers of objects by type: what a caller may see of one site, and must not of the other. */
type Place = Record<'site' | 'farm' | 'dispatcher' | 'gateway' | 'priority_group' | 'rule' | Sited, string>;
type Sited = 'servicespool' | 'workplace' | 'spsession' | 'maintenance_window' | 'tag_of_farm';

let world: World;
let scoped: Ask;
let own: Place;
let other: Place;
let template: Json;
let usedByBoth: Json;
let shared: { gateway: Json; group: Json; role: Json };

async function addPlace(mark: Mark, user: Json): Promise<Place> {
  const { admin } = world;
  const { db } = world.portal;
  const site = await addSite(admin, { name: `${mark}-site`, uri: `${mark}-site`, comments: mark });
  const farm = await addFarm(admin, site, { name: `${mark}-farm`, comments: mark });
  const dispatcher = await addDispatcher(admin, farm, {
    name: `${mark}-node`,
    url: `https://${mark}.example.com`,
  });
  const gateway = await addGateway(admin, {
    name: `${mark}-gateway`,
    host: `${mark}-gw.example.com`,
    sites: [site.id],
  });
  const group = await addPriorityGroup(admin, {
    name: `${mark}-preference`,
    farms: [{ farm_id: farm.id, priority: 1 }],
    users: [user.id],
  });
  const rule = await addRule(admin, site, {
    name: `${mark}-rule`,
    display_name: `${mark} office`,
    members: [memberOf(farm)],
    users: [user.id],
  });
  const ids = { servicespool: newId(), workplace: newId(), spsession: newId() };
  const common = { farm_id: farm.id as string, servicepool_uuid: ids.servicespool };
  await db.insert(pools).values({
    ...{ farm_id: farm.id, uuid: ids.servicespool, name: `${mark}-pool`, name_key: `${mark}-pool` },
    ...{
      short_name: mark,
      comments: mark,
      state: 'ready',
      visible: true,
      maintenance: false,
      protocols: ['rdp'],
    },
    ...{ initial_srvs: 0, cache_l1_srvs: 0, cache_l2_srvs: 0, max_srvs: 10, workplaces_count: 10 },
    ...{ in_use_count: 0, in_preparation_count: 0, usage_percent: 95, restrained: false, tags: [mark] },
    maintenance_template_id: template.id,
  });
  await db.insert(workplaces).values({
    ...{ ...common, uuid: ids.workplace, servicepool_name: `${mark}-pool`, name: `${mark}-machine` },
    ...{ name_key: `${mark}-machine`, unique_id: mark, hostname: `${mark}.local`, ip: '10.0.0.1' },
    ...{
      state: 'ready',
      machine_state: 'running',
      in_use: true,
      maintenance: false,
      tags: [mark],
      node_revision: 1,
    },
  });
  await db.insert(workplaceSessions).values({
    ...{ ...common, uuid: ids.spsession, servicepool_name: `${mark}-pool`, workplace_uuid: ids.workplace },
    ...{ workplace_name: `${mark}-machine`, workplace_ip: '10.0.0.1', user_name: `${mark}-person` },
    ...{ user_domain: 'x', user_key: `x\\${mark}-person`, protocol: 'rdp', state: 'active' },
    ...{ started_at: new Date(), last_seen_at: new Date() },
  });
  for (const kind of ['servicespools', 'workplaces', 'spsessions', 'tags'] as const)
    await addPart(db, farm, kind, { error: 'upstream_failed' });
  const [window] = await db
    .insert(maintenanceWindows)
    .values({
      ...{ object_type: 'servicespool', about: `servicespool:${mark}`, object_name: `${mark}-pool` },
      ...{ farm_id: farm.id, pool_uuid: ids.servicespool, template_id: template.id },
    })
    .returning({ id: maintenanceWindows.id });
  await admin(`PATCH ${base}/sites/${site.id}`, { users: [user.id] });
  return {
    ...{ site: site.id, farm: farm.id, dispatcher: dispatcher.id, gateway: gateway.id },
    ...{ priority_group: group.id, rule: rule.id, maintenance_window: window?.id ?? '', tag_of_farm: mark },
    ...ids,
  };
}

beforeAll(async () => {
  world = await startWorld();
  const { admin } = world;
  template = await addTemplate(admin, { name: 'of-both' });
  usedByBoth = await addUser(admin, world.domain, { name: 'of-both' });
  own = await addPlace('alpha', usedByBoth);
  other = await addPlace('omega', usedByBoth);
  shared = {
    gateway: await addGateway(admin, { name: 'of-both', sites: [own.site, other.site] }),
    group: await addPriorityGroup(admin, {
      name: 'of-both',
      farms: [own.farm, other.farm].map((farm_id) => ({ farm_id, priority: 1 })),
    }),
    role: await addRole(admin, ['sites.read'], { name: 'of-both', scope: { sites: [own.site, other.site] } }),
  };
  await addRole(admin, ['sites.read'], { name: 'of-the-other', scope: { sites: [other.site] } });
  for (const [mark, place] of [
    ['alpha', own],
    ['omega', other],
  ] as const)
    for (const type of resourceTypes)
      await addMonitoringRecord(admin, {
        ...{ level: 'error', object_type: type, message: `${mark} ${type}`, object_name: `${mark}-${type}` },
        object_id: type in place ? Reflect.get(place, type) : newId(),
        details: resources[type].lies === 'in_sites' ? { farm_id: place.farm } : {},
      });
  scoped = (await addMember(world, permissions, [own.site])).ask;
});
afterAll(() => world.portal.close());

/** Parts of an answer that tell of the other site. */
function leaks(text: string, exempt: readonly string[] = []): string[] {
  const names = [...text.matchAll(/[\w. -]*omega[\w. -]*/gi)].map(([found]) => found);
  const ids = Object.values(other).filter((id) => id !== 'omega' && text.includes(id));
  return [...names, ...ids].filter((found) => !exempt.includes(found));
}

const textOf = ({ body }: { body: Json }): string => JSON.stringify(body);

/** Journal records about what lies in no site are for everybody, whatever they say. */
const inNoSite = resourceTypes.filter((type) => resources[type].lies === 'nowhere');
const exempt = inNoSite.flatMap((type) => [`omega ${type}`, `omega-${type}`]);

const reads = everyOperation.filter(
  ({ module, method, browser }) => ['webui', 'aggregator'].includes(module) && method === 'GET' && !browser,
);

/** The same read of objects of one site: whatever a parameter is called, it gets an identifier of the right type. */
function pathAt(operation: Registered, place: Place): string {
  const { path } = operation;
  const type = resourceTypes.find((one) => operation.id.startsWith(`${one}.`));
  const id = (type && Reflect.get(place, type)) ?? place.site;
  const uuids = { farm_uuid: place.farm, farm_id: place.farm, servicepool_uuid: place.servicespool };
  return pathOf(operation, {
    ...{ id, uuid: id, site_id: place.site, rule_id: place.rule, ...uuids },
    ...(path.includes('/servicespools/{uuid}/') && { uuid: place.servicespool }),
  });
}

describe('STR-1, SEC-11: a caller of one site', () => {
  it.each(
    reads.map((operation) => [operation.id, operation] as const),
  )('learns nothing of another by %s', async (_, operation) => {
    for (const place of [own, other]) {
      const path = pathAt(operation, place);
      const answer = await scoped(`GET ${path}`);
      const asked = Object.values(place).filter((id) => path.includes(id));
      expect(leaks(textOf(answer), [...exempt, ...asked]), `${path}: ${answer.status}`).toEqual([]);
      if (place === other && asked.some((id) => id.length === 36)) expect(answer.status, path).not.toBe(200);
    }
  });

  it('sees of what lies in both his own part, and does not write it', async () => {
    const { gateway, group, role } = shared;
    const parts = {
      [`gateways/${gateway.id}`]: { sites: [own.site] },
      [`priority_groups/${group.id}`]: { farms: [{ farm_id: own.farm, priority: 1 }] },
      [`rbac/${role.id}`]: { scope: { sites: [own.site] } },
    };
    for (const [path, part] of Object.entries(parts)) {
      expect((await scoped(`GET ${base}/${path}`)).body).toMatchObject(part);
      for (const write of [
        () => scoped(`PATCH ${base}/${path}`, { name: 'taken-over' }),
        () => scoped(`DELETE ${base}/${path}`),
      ])
        expect((await write()).status, path).toBe(403);
      expect((await world.admin(`GET ${base}/${path}`)).body.name).toBe('of-both');
    }
    const bulk = await scoped(`PATCH ${base}/gateways/bulk_destroy`, { ids: [gateway.id, other.gateway] });
    expect(bulk.body).toMatchObject({
      deleted_count: 0,
      failed: [
        { id: gateway.id, code: 'forbidden' },
        { id: other.gateway, code: 'not_found' },
      ],
    });
  });

  it('writes gateways and priority groups of his own sites only', async () => {
    const gateway = await create(scoped, `${base}/gateways`, {
      name: 'mine',
      host: 'mine.test',
      sites: [own.site],
    });
    for (const sites of [[], [other.site], [own.site, other.site]]) {
      const body = { name: 'not-mine', host: 'mine.test', sites };
      expect((await scoped(`POST ${base}/gateways`, body)).status).toBe(403);
      expect((await scoped(`PUT ${base}/gateways/${gateway.id}`, body)).status).toBe(403);
    }
    expect((await scoped(`DELETE ${base}/gateways/${gateway.id}`)).status).toBe(204);
    const farms = (...ids: string[]) => ids.map((farm_id) => ({ farm_id, priority: 1 }));
    const mine = await create(scoped, `${base}/priority_groups`, { name: 'mine', farms: farms(own.farm) });
    for (const ids of [[], [other.farm], [own.farm, other.farm]])
      expect(
        (await scoped(`POST ${base}/priority_groups`, { name: 'no', farms: farms(...ids) })).status,
      ).toBe(403);
    expect((await scoped(`DELETE ${base}/priority_groups/${mine.id}`)).status).toBe(204);
  });

  it('reads in no refusal of what stands elsewhere: references, twins, dry runs', async () => {
    const wide = await addMember(world, permissions);
    const narrowed = await addRole(
      world.admin,
      permissions.filter((one) => one.endsWith('.read')),
      {
        scope: { sites: [own.site] },
      },
    );
    // Everything may be deleted, and only the own site be read: references are shown as far as that goes.
    const deletes = await addRole(
      world.admin,
      permissions.filter((one) => !one.endsWith('.read')),
    );
    const reader = await addRole(world.admin, ['users.read', 'authenticators.read']);
    const { ask } = await addMember(world, [], '*', { roles: [narrowed.id, deletes.id, reader.id] });
    for (const path of [
      `maintenance/${template.id}`,
      `authenticators/${world.domain.id}/users/${usedByBoth.id}`,
    ]) {
      const all = await wide.ask(`DELETE ${base}/${path}`);
      expect([all.status, leaks(textOf(all)).length > 0], path).toEqual([409, true]);
      const some = await ask(`DELETE ${base}/${path}`);
      expect([some.status, leaks(textOf(some))], path).toEqual([409, []]);
      expect(some.body.references.length, path).toBeGreaterThan(0);
    }
    const twins: [string, Json][] = [
      ['sites', { name: 'omega-site', uri: 'omega-site' }],
      ['farms', { name: 'omega-farm', site_id: own.site }],
      ['gateways', { name: 'omega-gateway', host: 'x.test', sites: [own.site] }],
      ['priority_groups', { name: 'omega-preference', farms: [{ farm_id: own.farm, priority: 1 }] }],
      ['rules', { name: 'omega-rule', site_id: own.site, match_tags: { any: ['x'], all: [] } }],
    ];
    for (const [path, body] of twins)
      for (const query of ['', '?dry_run=true']) {
        const answer = await scoped(`POST ${base}/${path}${query}`, body);
        const given = Object.values(body).map(String);
        expect(leaks(textOf(answer), given), `${path}${query}: ${answer.status}`).toEqual([]);
      }
  });
});

it('SEC-11: the servers of a domain are shown with the scope of all sites only', async () => {
  const domain = await addDirectory(world.admin, { hosts: ['ldaps://hidden.example.com'] });
  const path = `${base}/authenticators`;
  for (const query of [`/${domain.id}`, `?search=${domain.name}`]) {
    expect(textOf(await world.admin(`GET ${path}${query}`))).toContain('hidden.example.com');
    const { status, ...answer } = await scoped(`GET ${path}${query}`);
    expect(status, textOf(answer)).toBe(200);
    expect([status, textOf(answer).includes('hidden.example.com')]).toEqual([200, false]);
  }
});

it('STR-1: each kind of object says where it lies, and each permission that it names exists', () => {
  const known = new Set(permissions.map((one) => one.split('.')[0]));
  const named = resourceTypes.flatMap((type: ResourceType) => resources[type].permissions ?? []);
  expect(named.filter((resource) => !known.has(resource))).toEqual([]);
});

it('every type that operations are called after is a kind of object, or speaks of none', () => {
  const kinds = new Set<string>(resourceTypes);
  const prefixes = new Set(reads.map(({ id }) => id.split('.')[0] ?? ''));
  expect([...prefixes].filter((prefix) => !kinds.has(prefix)).sort()).toMatchInlineSnapshot(`
    [
      "dashboard",
      "image",
      "nodeInfo",
      "serviceToken",
      "systemParameters",
      "userSession",
    ]
  `);
});
