import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources, resourceTypes } from '../../../shared/resources.ts';
import {
  bodyShown,
  describedAs,
  everyOperation,
  type Registered,
} from '../../contract/generated/described.ts';
import { type Ask, base } from '../../support/factories.ts';
import { leaks, type Place, pathAt, startTwoSites, type TwoSites } from '../../support/fleet/two-sites.ts';
import type { Json } from '../../support/portal.ts';

let stand: TwoSites;
let admin: Ask;
let scoped: Ask;
let other: Place;
beforeAll(async () => {
  stand = await startTwoSites();
  ({ scoped, other } = stand);
  admin = stand.world.admin;
});
afterAll(() => stand.world.portal.close());

const textOf = ({ body }: { body: Json }): string => JSON.stringify(body) ?? '';
const modules = ['webui', 'aggregator', 'client', 'userinfo', 'auth', 'federation', 'discover'];
const ofTokens = everyOperation.filter(
  ({ module, browser, access }) => modules.includes(module) && !browser && access !== 'public',
);
const reads = ofTokens.filter(({ method }) => method === 'GET');
const byId = (operations: readonly Registered[]) =>
  operations.map((operation) => [operation.id, operation] as const);
const sited = resourceTypes.filter((type) => resources[type].siteScope === 'by_site');

describe('the data of the scope tests', () => {
  /** An operation that shows nothing of the other site to any caller would make the test meaningless. */
  it('is returned for the other site to a caller with all sites, by each operation', async () => {
    const silent: string[] = [];
    for (const operation of reads) {
      const answer = await admin(`GET ${pathAt(operation, other)}`);
      if (leaks(other, textOf(answer)).length === 0) silent.push(operation.id);
    }
    expect(silent.sort()).toMatchInlineSnapshot(`
      [
        "audit.buildExport",
        "audit.verify",
        "authenticator.describe",
        "authenticator.get",
        "authenticator.getRegistration",
        "authenticator.getSignInTest",
        "authenticator.getVersion",
        "authenticator.list",
        "authenticator.listIdentities",
        "authenticator.listTypes",
        "authenticator.listVersions",
        "certificate.listAll",
        "change.stream",
        "connection.check",
        "connection.get",
        "dashboard.user",
        "dispatcher.getVersion",
        "export.listOwn",
        "farm.getVersion",
        "gateway.getVersion",
        "group.get",
        "group.getVersion",
        "group.list",
        "group.listExternal",
        "group.listVersions",
        "image.get",
        "image.getOfProtocol",
        "image.getOfService",
        "issuedToken.list",
        "lockOut.list",
        "loginSession.list",
        "maintenance_template.get",
        "maintenance_template.getVersion",
        "maintenance_template.list",
        "maintenance_template.listVersions",
        "monitoring_record.buildExport",
        "nodeInfo.get",
        "passkey.list",
        "peer.get",
        "peer.list",
        "picture.get",
        "picture.getVersion",
        "picture.list",
        "picture.listVersions",
        "portal.buildExport",
        "portal.list",
        "portal.self",
        "portalUser.list",
        "priority_group.getVersion",
        "role.get",
        "role.getVersion",
        "role.listPermissions",
        "role.listVersions",
        "rule.getVersion",
        "scim.getConfig",
        "scim.getResourceType",
        "scim.getSchema",
        "scim.listResourceTypes",
        "scim.listSchemas",
        "scimGroup.get",
        "scimGroup.list",
        "scimUser.get",
        "scimUser.list",
        "search.find",
        "service.list",
        "serviceToken.list",
        "settings.get",
        "site.getVersion",
        "site.listAssignable",
        "systemParameters.get",
        "tag.buildExport",
        "tag.get",
        "tag.getVersion",
        "tag.list",
        "tag.listVersions",
        "theme.get",
        "user.get",
        "user.getVersion",
        "user.list",
        "user.listVersions",
        "user.showAccess",
        "userSession.list",
        "userinfo.get",
        "userinfo.listServiceTokens",
        "userinfo.listSessions",
        "userinfo.listViews",
        "webhook.get",
        "webhook.getVersion",
        "webhook.list",
        "webhook.listDeliveries",
        "webhook.listVersions",
      ]
    `);
    const lists = sited.filter((type) => reads.some(({ id }) => id === `${type}.list`));
    expect(lists.filter((type) => silent.includes(`${type}.list`))).toEqual([]);
    expect(lists.length).toBeGreaterThan(6);
  });
});

describe('a caller of one site', () => {
  it.each(byId(reads))('gets no data of another site by %s', async (_, operation) => {
    const path = pathAt(operation, other);
    const answer = await scoped(`GET ${path}`);
    const asked = path.split(/[/?]/);
    expect(leaks(other, textOf(answer), asked), `${path}: ${answer.status}`).toEqual([]);
  });

  /** A value of the other site for each list parameter that has one. */
  const wanted = (): Record<string, readonly string[]> => ({
    search: ['omega'],
    site_id: [other.site],
    farm_id: [other.farm],
    dispatcher_id: [other.dispatcher],
    servicepool_uuid: [other.servicespool],
    object_id: [other.site, other.farm, other.maintenance_window],
    object_type: sited,
    tag: ['omega'],
    user: ['omega-person'],
    owner: ['omega-person'],
    code: [''],
    count: ['exact'],
    explain: ['true'],
    user_id: [stand.user.id],
    sort: ['name', '-name', '-at', '-started_at'],
  });
  const queried = reads.filter(({ query }) => query !== undefined);

  /** Filters that would find only rows of the other site. */
  const isForeign = (name: string, value: string): boolean =>
    name !== 'object_id' && [other.site, other.farm, 'omega-person'].includes(value);

  async function assertSilent(path: string, name: string, value: string): Promise<void> {
    const query = `${path}?${name}=${encodeURIComponent(value)}`;
    const { status, body } = await scoped(`GET ${query}`);
    const asked = [...path.split('/'), value];
    expect(leaks(other, JSON.stringify(body), asked), `${query}: ${status}`).toEqual([]);
    if (!body.items) return;
    if (name === 'count') expect([query, body.total]).toEqual([query, body.items.length]);
    if (isForeign(name, value)) expect([query, body.items]).toEqual([query, []]);
  }

  it.each(byId(queried))('gets no data of another site by the parameters of %s', async (_, operation) => {
    const parameters: Json[] = describedAs(operation).parameters;
    for (const { name, in: place } of parameters)
      for (const value of place === 'query' ? (wanted()[name] ?? []) : [])
        await assertSilent(pathAt(operation, other), name, value);
  });

  const writes = ofTokens.filter(
    ({ method, id, module }) => method !== 'GET' && module !== 'auth' && !id.startsWith('userinfo.'),
  );
  /** A body that is refused for the objects it names, and not for its schema. */
  const bodyFor = (operation: Registered): Json => {
    const text = JSON.stringify(bodyShown(operation) ?? {});
    const id = /"(01932b5e[-\w]+)"/g;
    return JSON.parse(text.replace(id, `"${other.farm}"`));
  };

  it.each(
    byId(writes),
  )('reads and changes nothing of another site by %s, with or without a dry run', async (_, operation) => {
    const path = pathAt(operation, other);
    const body = operation.method === 'DELETE' ? undefined : bodyFor(operation);
    for (const headers of [{ 'x-dry-run': 'true' }, {}]) {
      const answer = await scoped(`${operation.method} ${path}`, body, headers);
      const asked = [...path.split('/'), other.farm];
      expect(leaks(other, textOf(answer), asked), `${path}: ${answer.status}`).toEqual([]);
      const names =
        sited.some((type) => operation.id.startsWith(`${type}.`)) && /\{\w+\}/.test(operation.path);
      if (names)
        expect([403, 404, 422], `${path}: ${answer.status} ${textOf(answer)}`).toContain(answer.status);
    }
  });

  it('gets the same 404 for objects of another site and unknown ones', async () => {
    const bodies: [string, Json][] = [
      ['farms', { name: 'mine', site_id: other.site }],
      ['dispatchers', { name: 'mine', farm_id: other.farm, url: 'https://mine.example.com' }],
      ['rules', { name: 'mine', site_id: other.site, match_tags: { any: ['x'], all: [] } }],
      [
        'rules',
        {
          ...{ name: 'mine', site_id: stand.own.site },
          members: [{ farm_id: other.farm, servicepool_uuid: other.servicespool }],
        },
      ],
    ];
    for (const [path, body] of bodies)
      for (const headers of [{ 'x-dry-run': 'true' }, {}]) {
        const answer = await scoped(`POST ${base}/${path}`, body, headers);
        expect([path, answer.status]).toEqual([path, 422]);
        expect(leaks(other, textOf(answer)), path).toEqual([]);
      }
  });

  it.each([
    'sites',
    'farms',
    'dispatchers',
    'gateways',
  ])('deletes no %s of another site in bulk', async (path) => {
    const method = path === 'gateways' ? 'PATCH' : 'POST';
    for (const body of [{ all: true }, { ids: Object.values(other).filter((id) => id.length === 36) }]) {
      const { status, body: would } = await scoped(`${method} ${base}/${path}/bulk_destroy`, body, {
        'x-dry-run': 'true',
      });
      if (status === 403) continue;
      expect(status).toBe(200);
      const destroyed = JSON.stringify([would.would.body.deleted, would.would.events]);
      expect(leaks(other, destroyed), path).toEqual([]);
    }
  });

  it.each([
    'audit',
    'monitoring',
    'tags',
    'appnodes/portals',
  ])('cannot export %s in any format', async (path) => {
    for (const format of ['csv', 'ndjson', 'json']) {
      const ordered = await scoped(`GET ${base}/${path}/export?format=${format}`);
      expect([ordered.status, ordered.body.code]).toEqual([403, 'forbidden']);
    }
    expect((await scoped(`POST ${base}/${path}/export`, {})).status).toBe(403);
  });

  it('has a dashboard that counts the objects of the own site', async () => {
    const counted = async (ask: Ask) => (await ask(`GET ${base}/dashboard/admin`)).body.counters;
    // One gateway of the own site, and the one of both sites.
    const objects = { sites: 1, farms: 1, dispatchers: 1, gateways: 2, workplaces: 1, sessions: 1 };
    expect(await counted(scoped)).toMatchObject(objects);
    const all = await counted(admin);
    for (const [name, own] of Object.entries(objects)) expect([name, all[name] > own]).toEqual([name, true]);
  });

  it('has not changed the other site', async () => {
    const farm = (await admin(`GET ${base}/farms/${other.farm}`)).body;
    expect(farm).toMatchObject({ name: 'omega-farm', site_id: other.site, comments: 'omega' });
    expect((await admin(`GET ${base}/sites/${other.site}`)).body).toMatchObject({ name: 'omega-site' });
    expect((await admin(`GET ${base}/rules/${other.rule}`)).body).toMatchObject({ name: 'omega-rule' });
    expect((await admin(`GET ${base}/dispatchers/${other.dispatcher}`)).body.name).toBe('omega-node');
    expect((await admin(`GET ${base}/gateways/${other.gateway}`)).body.name).toBe('omega-gateway');
  });
});
