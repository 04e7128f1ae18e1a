import { afterEach, describe, expect, it } from 'vitest';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import {
  addDispatcher,
  addDomain,
  addFarm,
  addGroup,
  addMember,
  addNode,
  addSite,
  adminOf,
  base,
  dispatcherState,
  groupsPath,
  logIn,
  type Member,
  pool,
  type SimulatedNode,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const nodes: SimulatedNode[] = [];
const admin = adminOf(world);

afterEach(async () => {
  await Promise.all(nodes.splice(0).map(({ simulator }) => simulator.close()));
});

type Options = Parameters<typeof addNode>[2];
async function node(farm: Json, options?: Options): Promise<SimulatedNode> {
  const one = await addNode(world, farm, options);
  nodes.push(one);
  return one;
}

/** A site that all users of the world's domain may access, with farms of one node each. */
async function siteWith(farms: readonly Options[]) {
  const site = await addSite(admin, { authenticators: [world.domain.id] });
  const made: { farm: Json; node: SimulatedNode }[] = [];
  for (const options of farms) {
    const farm = await addFarm(admin, site);
    made.push({ farm, node: await node(farm, options) });
  }
  return { site, farms: made };
}

const list = ({ ask }: Pick<Member, 'ask'>, site: Json) =>
  ask(`GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`);
const names = ({ body }: Json): string[] => body.services.map(({ name }: Json) => name);
const setDeadline = (value: number) =>
  world.portal.db
    .insert(systemParameters)
    .values({ name: 'aggregator.list_deadline_ms', value, updated_at: new Date() });

describe('the list of services', () => {
  it('merges the services of all farms of the site by name, each with its link', async () => {
    const member = await addMember(world, []);
    const { site, farms } = await siteWith([
      { pools: [pool('office'), pool('Ädit')] },
      { pools: [pool('CAD', { state: 'preparing', comments: 'Drawing' })] },
    ]);
    const { status, body } = await list(member, site);
    expect(status).toBe(200);
    expect(names({ body })).toEqual(['CAD', 'office', 'Ädit']);
    const [cad] = body.services;
    const [, second] = farms;
    const uuid = second?.node.simulator.state.poolNamed('CAD').uuid;
    expect(cad).toEqual({
      id: `${second?.farm.id}.${uuid}`,
      kind: 'pool',
      name: 'CAD',
      description: 'Drawing',
      image_url: null,
      protocols: ['rdp', 'spice'],
      in_use: false,
      maintenance: false,
      state: 'busy',
      farm_id: second?.farm.id,
      sessions: [],
      link: `/aggregator/api/client/v7.0/${site.uri}/connectionInfo/${second?.farm.id}.${uuid}`,
      favourite: false,
      last_used_at: null,
      launch: null,
    });
    expect(
      body.sites.map(({ farm_id, status: state, age_ms }: Json) => [farm_id, state, age_ms]).sort(),
    ).toEqual(farms.map(({ farm }) => [farm.id, 'ok', 0]).sort());
    expect((await member.ask(`GET ${cad.link}`)).status).toBe(409);
  });

  it('compares labels without regard to case, and excludes farms that do not have the label', async () => {
    const member = await addMember(world, []);
    const other = await addDomain(admin);
    const label = world.domain.small_name;
    const { site, farms } = await siteWith([
      { pools: [pool('linked')], labels: [label.toUpperCase()] },
      { pools: [pool('foreign')], labels: [other.small_name] },
    ]);
    const { body } = await list(member, site);
    expect(names({ body })).toEqual(['linked']);
    const entry = (id: string) => body.domains.find(({ local_uuid }: Json) => local_uuid === id);
    const [linked, foreign] = farms;
    expect(entry(world.domain.id)).toEqual({
      authSmallName: label,
      auth: world.domain.name,
      local_uuid: world.domain.id,
      linked: true,
      farms: [
        { farm_id: linked?.farm.id, dispatcher_uuid: linked?.node.simulator.state.domains[0]?.authUuid },
      ],
    });
    expect(entry(other.id)).toMatchObject({ linked: true, farms: [{ farm_id: foreign?.farm.id }] });
    expect(foreign?.node.simulator.calls.map(({ path }) => path)).not.toContain('/api/client/v7.0/services');
  });

  it('shows the visible domains and the hidden domain of the user only', async () => {
    const [own, foreign] = [
      await addDomain(admin, { state: 'hidden' }),
      await addDomain(admin, { state: 'hidden' }),
    ];
    const member = await addMember({ ...world, domain: own }, []);
    const site = await addSite(admin, { authenticators: [own.id] });
    const ids = (await list(member, site)).body.domains.map(({ local_uuid }: Json) => local_uuid);
    expect(ids).toContain(own.id);
    expect(ids).toContain(world.domain.id);
    expect(ids).not.toContain(foreign.id);
  });

  it('sends the dispatcher the name, label, groups and address of the user', async () => {
    const group = await addGroup(admin, world.domain, { name: 'Payroll' });
    const idle = await addGroup(admin, world.domain, { name: 'Board', state: 'inactive' });
    const member = await addMember(world, [], '*', { groups: [group.id, idle.id] });
    const { site } = await siteWith([
      {
        pools: [
          pool('by group', { entitled: { users: [], groups: ['payroll'] } }),
          pool('by name', {
            entitled: { users: [`${world.domain.small_name}\\${member.user.name}`], groups: [] },
          }),
          pool('by idle group', { entitled: { users: [], groups: ['board'] } }),
          pool('of others', { entitled: { users: ['corp\\somebody'], groups: [] } }),
        ],
      },
    ]);
    expect(names(await list(member, site))).toEqual(['by group', 'by name']);
    await admin(`PATCH ${usersPath(world.domain)}/${member.user.id}`, { groups: [] });
    expect(names(await list(member, site))).toEqual(['by name']);
  });

  it('is available to users with access to the site by domain, by name or by group only', async () => {
    const [domain, group] = [await addDomain(admin), await addGroup(admin, world.domain)];
    const [byDomain, byName, byGroup, stranger] = [
      await addMember({ ...world, domain }, []),
      await addMember(world, []),
      await addMember(world, [], '*', { groups: [group.id] }),
      await addMember(world, ['sites.read', 'sites.update']),
    ];
    const site = await addSite(admin, {
      authenticators: [domain.id],
      users: [byName.user.id],
      groups: [group.id],
    });
    const statuses = async () =>
      (await Promise.all([byDomain, byName, byGroup, stranger].map((member) => list(member, site)))).map(
        ({ status }) => status,
      );
    expect(await statuses()).toEqual([200, 200, 200, 404]);
    await admin(`PATCH ${groupsPath(world.domain)}/${group.id}`, { state: 'inactive' });
    expect(await statuses()).toEqual([200, 200, 404, 404]);
    await admin(`PATCH ${base}/sites/${site.id}`, { users: [], authenticators: [] });
    expect(await statuses()).toEqual([404, 404, 404, 404]);
    const ids = (await stranger.ask('GET /api/userinfo')).body.sites.map(({ id }: Json) => id);
    expect(ids).not.toContain(site.id);
  });

  it('is 404 for a disabled or unknown site, and needs a session', async () => {
    const member = await addMember(world, []);
    const site = await addSite(admin, { authenticators: [world.domain.id] });
    expect((await member.ask('GET /api/userinfo')).body.sites).toContainEqual({
      id: site.id,
      uri: site.uri,
      name: site.name,
    });
    await admin(`PATCH ${base}/sites/${site.id}`, { enabled: false });
    expect((await list(member, site)).status).toBe(404);
    expect((await list(member, { uri: 'nowhere' })).status).toBe(404);
    expect((await list(member, { uri: '%27' })).status).toBe(404);
    const path = `GET /aggregator/api/client/v7.0/${site.uri}/servicesList`;
    expect((await world.portal.send(path)).status).toBe(401);
  });

  it('reports disabled farms and farms in maintenance as not called', async () => {
    const member = await addMember(world, []);
    const { site, farms } = await siteWith([
      { pools: [pool('a')] },
      { pools: [pool('b')] },
      { pools: [pool('c')] },
    ]);
    await admin(`PATCH ${base}/farms/${farms[0]?.farm.id}`, { enabled: false });
    await admin(`PATCH ${base}/farms/${farms[1]?.farm.id}`, { maintenance: true });
    const { body } = await list(member, site);
    expect(names({ body })).toEqual(['c']);
    const states = Object.fromEntries(body.sites.map(({ farm_id, status }: Json) => [farm_id, status]));
    expect(farms.map(({ farm }) => states[farm.id])).toEqual(['disabled', 'maintenance', 'ok']);
    await admin(`PATCH ${base}/sites/${site.id}`, { maintenance: true });
    const closed = await list(member, site);
    expect([closed.status, names(closed)]).toEqual([200, ['c']]);
    expect(closed.body.services[0]).toMatchObject({ maintenance: true, state: 'maintenance' });
    expect(farms[0]?.node.simulator.calls).toEqual([]);
  });
});

describe('a farm that does not answer', () => {
  it('is named, and the services of the others are returned within the deadline', async () => {
    await setDeadline(400);
    const member = await addMember(world, []);
    const { site, farms } = await siteWith([
      { pools: [pool('there')] },
      { pools: [pool('lost')], simulator: { knobs: { hang: 'headers' } } },
      { pools: [pool('dripped')], simulator: { knobs: { dripping: true } } },
      { pools: [pool('broken')], simulator: { knobs: { lies: 'html' } } },
    ]);
    const started = performance.now();
    const { status, body } = await list(member, site);
    expect(performance.now() - started).toBeLessThan(900);
    expect([status, names({ body })]).toEqual([200, ['there']]);
    const states = Object.fromEntries(
      body.sites.map((entry: Json) => [entry.farm_id, [entry.status, entry.error]]),
    );
    expect(farms.map(({ farm }) => states[farm.id])).toEqual([
      ['ok', undefined],
      ['timeout', 'upstream_timeout'],
      ['timeout', 'upstream_timeout'],
      ['error', 'upstream_failed'],
    ]);
    await world.portal.db.delete(systemParameters);
  });

  it('makes the answer 503 with the failed farms when there is no other farm', async () => {
    const member = await addMember(world, []);
    const { site, farms } = await siteWith([
      { simulator: { knobs: { failing: 500 } } },
      { simulator: { knobs: { reset: true } } },
    ]);
    const { status, body, headers } = await list(member, site);
    expect([status, body.code, body.site]).toEqual([503, 'upstream_unavailable', site.uri]);
    expect(headers.get('retry-after')).toBe('5');
    expect(body.sites.map(({ farm_id, status: state }: Json) => [farm_id, state]).sort()).toEqual(
      farms.map(({ farm }) => [farm.id, 'error']).sort(),
    );
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  });

  it('is reported with its cause, also when it has no node', async () => {
    const member = await addMember(world, []);
    const { site } = await siteWith([{ pools: [pool('there')] }]);
    const empty = await addFarm(admin, site);
    const { body } = await list(member, site);
    expect(names({ body })).toEqual(['there']);
    expect(body.sites.find(({ farm_id }: Json) => farm_id === empty.id)).toMatchObject({
      status: 'error',
      error: 'upstream_unavailable',
    });
  });

  it('through one node is called through the next', async () => {
    const member = await addMember(world, []);
    const site = await addSite(admin, { authenticators: [world.domain.id] });
    const farm = await addFarm(admin, site);
    const state = dispatcherState(world, { pools: [pool('still here')] });
    await node(farm, { state, dispatcher: { priority: 1 }, simulator: { knobs: { reset: true } } });
    await node(farm, { state, dispatcher: { priority: 2 } });
    expect(names(await list(member, site))).toEqual(['still here']);
  });

  it('is one of at most six concurrent calls', async () => {
    await setDeadline(3_000);
    const member = await addMember(world, []);
    const site = await addSite(admin, { authenticators: [world.domain.id] });
    const one = await node(await addFarm(admin, site), { simulator: { knobs: { hang: 'headers' } } });
    for (let n = 0; n < 8; n++) {
      const { url, ca_certificate } = one.dispatcher;
      await addDispatcher(admin, await addFarm(admin, site), { url, ca_certificate });
    }
    expect((await list(member, site)).status).toBe(503);
    expect(one.simulator.calls).toHaveLength(6);
    await world.portal.db.delete(systemParameters);
  });
});

describe('a user with two addresses', () => {
  it('has a session key of the dispatcher for each', async () => {
    const { user } = await addMember(world, []);
    const { site, farms } = await siteWith([{ pools: [pool('a')] }]);
    const from = async (ip: string) => {
      const { token } = (await logIn(world.portal, world.domain, user, {}, ip)).body;
      const answer = await world.portal.send(`GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`, {
        token,
        ip,
      });
      await world.portal.settled();
      return answer.status;
    };
    expect([await from('203.0.113.7'), await from('203.0.113.7'), await from('203.0.113.8')]).toEqual([
      200, 200, 200,
    ]);
    const exchanges = farms[0]?.node.simulator.calls.filter(({ path }) => path.endsWith('/jwtauth')) ?? [];
    // One for the aggregator itself, one for each address.
    expect(exchanges).toHaveLength(3);
  });
});
