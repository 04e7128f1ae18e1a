import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '../../../shared/context/permissions.ts';
import { type ResourceType, resources, resourceTypes } from '../../../shared/resources.ts';
import { everyOperation } from '../../contract/generated/described.ts';
import {
  type Ask,
  addDirectory,
  addMember,
  addRole,
  base,
  create,
  type World,
} from '../../support/factories.ts';
import {
  leaks as leaksOf,
  type Place,
  pathAt,
  startTwoSites,
  type TwoSites,
} from '../../support/fleet/two-sites.ts';
import type { Json } from '../../support/portal.ts';

let world: World;
let scoped: Ask;
let own: Place;
let other: Place;
let template: Json;
let usedByBoth: Json;
let shared: TwoSites['shared'];
beforeAll(async () => {
  const sites = await startTwoSites();
  ({ world, own, other, template, shared, scoped, user: usedByBoth } = sites);
});
afterAll(() => world.portal.close());

const leaks = (text: string, exempt: readonly string[] = []) => leaksOf(other, text, exempt);
const textOf = ({ body }: { body: Json }): string => JSON.stringify(body);

const reads = everyOperation.filter(
  ({ module, method, browser }) => ['webui', 'aggregator'].includes(module) && method === 'GET' && !browser,
);

describe('a caller of one site', () => {
  it.each(
    reads.map((operation) => [operation.id, operation] as const),
  )('gets no data of another site by %s', async (_, operation) => {
    for (const place of [own, other]) {
      const path = pathAt(operation, place);
      const answer = await scoped(`GET ${path}`);
      const asked = Object.values(place).filter((id) => path.includes(id));
      expect(leaks(textOf(answer), asked), `${path}: ${answer.status}`).toEqual([]);
      if (place === other && asked.some((id) => id.length === 36)) expect(answer.status, path).not.toBe(200);
    }
  });

  it('reads objects that span both sites in part, and cannot write them', async () => {
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

  it('writes gateways and priority groups of their own sites only', async () => {
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

  it('gets no data of other sites in refusals: references, conflicts, dry runs', async () => {
    const wide = await addMember(world, permissions);
    const narrowed = await addRole(
      world.admin,
      permissions.filter((one) => one.endsWith('.read')),
      {
        scope: { sites: [own.site] },
      },
    );
    // May delete everything and read only the own site, which limits the references in errors.
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

it('the servers of a domain are returned only for the scope of all sites', async () => {
  const domain = await addDirectory(world.admin, { hosts: ['ldaps://hidden.example.com'] });
  const path = `${base}/authenticators`;
  for (const query of [`/${domain.id}`, `?search=${domain.name}`]) {
    expect(textOf(await world.admin(`GET ${path}${query}`))).toContain('hidden.example.com');
    const { status, ...answer } = await scoped(`GET ${path}${query}`);
    expect(status, textOf(answer)).toBe(200);
    expect([status, textOf(answer).includes('hidden.example.com')]).toEqual([200, false]);
  }
});

it('each object kind declares its site and existing permissions', () => {
  const known = new Set(permissions.map((one) => one.split('.')[0]));
  const named = resourceTypes.flatMap((type: ResourceType) => resources[type].permissions ?? []);
  expect(named.filter((resource) => !known.has(resource))).toEqual([]);
});

it('every operation prefix is a declared object kind or a kind without objects', () => {
  const kinds = new Set<string>(resourceTypes);
  const prefixes = new Set(reads.map(({ id }) => id.split('.')[0] ?? ''));
  expect([...prefixes].filter((prefix) => !kinds.has(prefix)).sort()).toMatchInlineSnapshot(`
    [
      "certificate",
      "change",
      "dashboard",
      "image",
      "issuedToken",
      "lockOut",
      "loginSession",
      "nodeInfo",
      "portalUser",
      "search",
      "serviceToken",
      "systemParameters",
      "userSession",
    ]
  `);
});
