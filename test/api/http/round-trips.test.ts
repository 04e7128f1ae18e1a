import { describe, expect, it } from 'vitest';
import {
  addDirectory,
  addGroup,
  addMember,
  addUser,
  adminOf,
  base,
  create,
  directoryBody,
  domainsPath,
  goodPassword,
  groupsPath,
  logIn,
  pool,
  resources,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import { addRule, memberOf, siteWithFarms, uuidOf } from '../../support/fleet/rules.ts';
import { addTwoFactorDomain, enrol, logIn2fa } from '../../support/identity/second-factor.ts';
import { codeOf } from '../../support/identity/totp-device.ts';
import type { Answer } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);

/** The number of database round trips of one request, including those after the response. */
async function tripsOf(status: number, work: () => Promise<Answer>): Promise<number> {
  await world.portal.settled();
  const before = world.portal.trips();
  expect((await work()).status).toBe(status);
  await world.portal.settled();
  return world.portal.trips() - before;
}

describe.each(
  resources.map((resource) => [resource.type, resource] as const),
)('of the database: a %s', (_, resource) => {
  it('is read in one round trip and written in three', async () => {
    const path = resource.path(world);
    const [plain, value] = resource.plain;
    expect(
      await tripsOf(201, () => admin(`POST ${path}`, resource.body(world))),
      'create',
    ).toBeLessThanOrEqual(3);
    const made = await create(admin, path, resource.body(world));
    const one = `${path}/${made.id}`;
    expect(await tripsOf(200, () => admin(`GET ${path}`)), 'list').toBe(1);
    expect(await tripsOf(200, () => admin(`GET ${path}?count=exact&search=a`)), 'count').toBe(1);
    expect(await tripsOf(200, () => admin(`GET ${one}`)), 'get').toBe(1);
    expect(await tripsOf(200, () => admin(`PATCH ${one}`, { [plain]: value })), 'patch').toBeLessThanOrEqual(
      3,
    );
    expect(await tripsOf(200, () => admin(`PUT ${one}`, made)), 'replace').toBeLessThanOrEqual(3);
    const { version } = (await admin(`GET ${one}/history`)).body.items.at(-1);
    expect(await tripsOf(200, () => admin(`GET ${one}/history`)), 'history').toBe(3);
    expect(await tripsOf(200, () => admin(`GET ${one}/history/${version}`)), 'version').toBe(2);
    expect(
      await tripsOf(200, () => admin(`POST ${one}/restore`, { version })),
      'restore',
    ).toBeLessThanOrEqual(4);
    expect(await tripsOf(204, () => admin(`DELETE ${one}`)), 'delete').toBeLessThanOrEqual(2);
    if (!resource.bulkDestroy) return;
    const last = await create(admin, path, resource.body(world));
    expect(
      await tripsOf(200, () =>
        admin(`${resource.bulkDestroyMethod ?? 'POST'} ${path}/bulk_destroy`, { ids: [last.id] }),
      ),
      'bulk',
    ).toBeLessThanOrEqual(3);
  });
});

describe('database round trips', () => {
  it('are one for requests about the caller, modules and nested lists', async () => {
    const reads = [
      '/api/userinfo',
      '/api/discover/',
      '/api/auth/v7.0/settings',
      `${base}/sites/${world.site.id}/farms`,
      `${base}/farms/${world.farm.id}/dispatchers`,
      `${base}/sites/${world.site.id}/rules`,
      '/api/userinfo/themes',
      `/api/userinfo/images/${world.site.id}`,
      `${base}/sites/users-groups-from-domains`,
      `${base}/rbac/permissions`,
      '/api/aggregator/v7.0/portals/self',
    ];
    for (const path of reads)
      expect([path, await tripsOf(200, () => admin(`GET ${path}`))]).toEqual([path, 1]);
  });

  it('are none before the path, the method and the session are valid, and one for an invalid token', async () => {
    const { portal } = world;
    expect(await tripsOf(404, () => admin('GET /api/nowhere'))).toBe(0);
    expect(await tripsOf(405, () => admin(`PUT ${base}/sites`))).toBe(0);
    expect(await tripsOf(401, () => portal.send(`GET ${base}/sites`))).toBe(0);
    expect(await tripsOf(401, () => portal.send(`GET ${base}/sites`, { token: 'x' }))).toBe(1);
    expect(await tripsOf(422, () => admin(`POST ${base}/sites`, {}))).toBe(1);
  });

  it('are three for a write of a user with or without a password, and for a login', async () => {
    const body = { name: 'trips of a user', password: goodPassword };
    expect(await tripsOf(201, () => admin(`POST ${usersPath(world.domain)}`, body))).toBeLessThanOrEqual(3);
    const { user } = await addMember(world, []);
    const one = `${usersPath(world.domain)}/${user.id}`;
    expect(await tripsOf(200, () => admin(`PATCH ${one}`, { state: 'inactive' }))).toBeLessThanOrEqual(3);
    expect(await tripsOf(200, () => admin(`PATCH ${one}`, { state: 'active' }))).toBeLessThanOrEqual(3);
    expect(await tripsOf(200, () => admin(`PATCH ${one}`, { password: goodPassword }))).toBeLessThanOrEqual(
      3,
    );
    expect(await tripsOf(200, () => logIn(world.portal, world.domain, user))).toBeLessThanOrEqual(3);
    expect(
      await tripsOf(401, () => logIn(world.portal, world.domain, user, { password: 'x' })),
    ).toBeLessThanOrEqual(3);
  });

  it('are four for each step of a login with a second factor, and three when a group skips it', async () => {
    const { portal } = world;
    const domain = await addTwoFactorDomain(admin);
    const user = await addUser(admin, domain);
    expect(await tripsOf(403, () => logIn(portal, domain, user))).toBeLessThanOrEqual(3);
    expect(await tripsOf(200, () => logIn2fa(portal, domain, user))).toBeLessThanOrEqual(4);
    const { body } = await logIn2fa(portal, domain, user);
    const now = portal.deps.clock();
    expect(await tripsOf(200, () => enrol(portal, domain, user, body, now))).toBeLessThanOrEqual(4);
    expect(await tripsOf(200, () => logIn2fa(portal, domain, user))).toBeLessThanOrEqual(4);
    const next = { code: codeOf(body.enrolment.secret, new Date(now.getTime() + 30_000)) };
    expect(await tripsOf(200, () => logIn2fa(portal, domain, user, next))).toBeLessThanOrEqual(4);
    expect(await tripsOf(401, () => logIn2fa(portal, domain, user, next))).toBeLessThanOrEqual(4);
    const one = `${usersPath(domain)}/${user.id}`;
    const reset = { two_factor_enrolled: false };
    expect(await tripsOf(200, () => admin(`PATCH ${one}`, reset))).toBeLessThanOrEqual(3);
    const group = await addGroup(admin, domain, { skip_two_factor: true });
    await admin(`PATCH ${one}`, { groups: [group.id] });
    expect(await tripsOf(200, () => logIn(portal, domain, user))).toBeLessThanOrEqual(3);
  });

  it('are three for a directory with a secret, its attributes and a meta group, and two for a test of parameters', async () => {
    const account = { bind_dn: 'cn=reader', bind_password: 'secret' };
    expect(
      await tripsOf(201, () => admin(`POST ${domainsPath}`, directoryBody(account))),
    ).toBeLessThanOrEqual(3);
    const domain = await addDirectory(admin, account);
    const one = `${domainsPath}/${domain.id}`;
    const params = { hosts: ['ldaps://elsewhere.example.com'], bind_password: 'again' };
    expect(await tripsOf(200, () => admin(`PATCH ${one}`, { params }))).toBeLessThanOrEqual(3);
    const attribute = { action: 'add', name: 'phone', source: 'mobile' };
    expect(await tripsOf(200, () => admin(`PATCH ${one}/attribute`, attribute))).toBeLessThanOrEqual(3);
    const tested = { ...domain, params: { ...domain.params, ...params } };
    expect(
      await tripsOf(200, () => admin(`POST ${domainsPath}/test_params/ldap`, tested)),
    ).toBeLessThanOrEqual(2);
    const part = await addGroup(admin, domain);
    const meta = { name: 'meta', type: 'meta', groups: [part.id], skip_two_factor: true };
    const made = await tripsOf(201, () => admin(`POST ${groupsPath(domain)}`, meta));
    expect(made).toBeLessThanOrEqual(3);
    const all = { all: true };
    expect(
      await tripsOf(200, () => admin(`POST ${groupsPath(domain)}/bulk_destroy`, all)),
    ).toBeLessThanOrEqual(3);
  });

  it('are two for a connection with a cached key, with one dispatcher call, and one for a list', async () => {
    const member = await addMember(world, []);
    const { site, farms } = await siteWithFarms(world, [{ pools: [pool('Office')] }]);
    const [at] = farms;
    if (!at) throw new Error('no farm');
    const { simulator } = at.node;
    const id = `${at.farm.id}.${uuidOf(at, 'Office')}`;
    const ask = (what: string) => member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/${what}`);
    expect((await ask('servicesList/')).status).toBe(200);
    await world.portal.settled();
    simulator.resetCalls();
    expect(await tripsOf(200, () => ask('servicesList/')), 'a kept list').toBe(1);
    expect(simulator.calls).toEqual([]);
    expect(await tripsOf(200, () => ask(`connectionInfo/${id}`))).toBe(2);
    expect(simulator.calls.map((call) => call.path.split('/').at(-2))).toEqual(['connectionInfo']);
    simulator.resetCalls();
    // The second stores the list after the response.
    expect(await tripsOf(200, () => ask('servicesList/')), 'a list that is not fresh').toBe(2);
    expect(simulator.calls.map((call) => call.path)).toEqual(['/api/client/v7.0/services']);
    simulator.resetCalls();
    expect(await tripsOf(200, () => ask(`preconnectionInfo/${id}`))).toBe(1);
    expect(simulator.calls).toHaveLength(1);
    await simulator.close();
  });

  it('are two for a connection through a rule, with one call of one dispatcher', async () => {
    const member = await addMember(world, []);
    const { site, farms } = await siteWithFarms(world, [
      { pools: [pool('Office', { entitled: { users: [], groups: ['nobody'] } })] },
      { pools: [pool('Office')] },
      { pools: [pool('Office')] },
    ]);
    const members = farms.map((at, priority) => memberOf(at, 'Office', { priority }));
    const rule = await addRule(world, site, members);
    const ask = (what: string) => member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/${what}`);
    expect((await ask('servicesList/')).body.services).toHaveLength(1);
    await world.portal.settled();
    for (const { node } of farms) node.simulator.resetCalls();
    const called = () =>
      farms.map(({ node }) => node.simulator.calls.map(({ path }) => path.split('/').at(-2)));
    expect(await tripsOf(200, () => ask(`preconnectionInfo/${rule.id}`))).toBe(1);
    expect(called()).toEqual([[], ['preconnectionInfo'], []]);
    for (const { node } of farms) node.simulator.resetCalls();
    expect(await tripsOf(200, () => ask(`connectionInfo/${rule.id}`))).toBe(2);
    expect(called()).toEqual([[], ['connectionInfo'], []]);
    await Promise.all(farms.map(({ node }) => node.simulator.close()));
  });
});
