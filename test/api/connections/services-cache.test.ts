import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { serviceLists } from '../../../db/schema/snapshot/service-lists.ts';
import {
  addGroup,
  addMember,
  adminOf,
  base,
  logIn,
  type Member,
  type NodeOptions,
  pool,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import {
  addRule,
  ageLists,
  type FarmWithNode,
  memberOf,
  siteWithFarms,
  uuidOf,
} from '../../support/fleet/rules.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const started: FarmWithNode[] = [];
const admin = adminOf(world);

afterEach(async () => {
  await Promise.all(started.splice(0).map(({ node }) => node.simulator.close()));
});

async function twoFarms(options: NodeOptions[] = [{ pools: [pool('East')] }, { pools: [pool('West')] }]) {
  const made = await siteWithFarms(world, options);
  started.push(...made.farms);
  const [east, west] = made.farms;
  if (!east || !west) throw new Error('two farms were asked for');
  return { site: made.site, east, west };
}
const pathOf = (site: Json) => `GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`;
/** The list, after its background writes. */
async function list({ ask }: Member, site: Json) {
  const answer = await ask(pathOf(site));
  await world.portal.settled();
  return answer;
}
const names = ({ body }: Json): string[] => body.services.map(({ name }: Json) => name);
const statusOf = ({ body }: Json, { farm }: FarmWithNode) =>
  body.sites.find(({ farm_id }: Json) => farm_id === farm.id);
const asked = ({ node }: FarmWithNode) =>
  node.simulator.calls.filter(({ path }) => path.endsWith('/client/v7.0/services')).length;

describe('a cached list of services', () => {
  it('is served for 15 seconds with its age, and requested again after that', async () => {
    const member = await addMember(world, []);
    const { site, east, west } = await twoFarms();
    await list(member, site);
    east.node.simulator.state.changePool('East', { name: 'Orient' });
    await ageLists(world, member, 10);
    const kept = await list(member, site);
    expect([names(kept), asked(east), asked(west)]).toEqual([['East', 'West'], 1, 1]);
    expect(statusOf(kept, east)).toMatchObject({ status: 'ok', age_ms: expect.any(Number) });
    expect(statusOf(kept, east).age_ms).toBeGreaterThanOrEqual(10_000);
    expect(statusOf(kept, east).took_ms).toBeUndefined();
    expect(kept.body.domains).toContainEqual(expect.objectContaining({ linked: true }));
    await ageLists(world, member, 6);
    const anew = await list(member, site);
    expect([names(anew), asked(east), asked(west)]).toEqual([['Orient', 'West'], 2, 2]);
    expect(statusOf(anew, east)).toMatchObject({ status: 'ok', age_ms: 0 });
  });

  it('replaces the list of a failing farm, marked as stale, for ten minutes', async () => {
    const member = await addMember(world, []);
    const { site, east, west } = await twoFarms();
    await list(member, site);
    west.node.simulator.knobs.failing = 500;
    await ageLists(world, member, 300);
    const stale = await list(member, site);
    expect(names(stale)).toEqual(['East', 'West']);
    expect([statusOf(stale, east).status, statusOf(stale, west)]).toMatchObject([
      'ok',
      { status: 'stale', error: 'upstream_failed' },
    ]);
    expect(statusOf(stale, west).age_ms).toBeGreaterThanOrEqual(300_000);
    await ageLists(world, member, 301);
    const gone = await list(member, site);
    expect([names(gone), statusOf(gone, west)]).toMatchObject([
      ['East'],
      { status: 'error', fetched_at: null, age_ms: null },
    ]);
  });

  it('makes the answer 200 with stale services when all farms are down, and 503 without a cached list', async () => {
    const [member, newcomer] = [await addMember(world, []), await addMember(world, [])];
    const { site, east, west } = await twoFarms();
    await list(member, site);
    await ageLists(world, member, 16);
    for (const { node } of [east, west]) node.simulator.knobs.reset = true;
    const all = await list(member, site);
    expect([all.status, names(all)]).toEqual([200, ['East', 'West']]);
    expect([east, west].map((at) => statusOf(all, at).status)).toEqual(['stale', 'stale']);
    const nothing = await list(newcomer, site);
    expect([nothing.status, nothing.body.code, nothing.body.sites.length]).toEqual([
      503,
      'upstream_unavailable',
      2,
    ]);
  });

  it('is served for a farm with open circuit breakers, which is not called', async () => {
    const [member, newcomer] = [await addMember(world, []), await addMember(world, [])];
    const { site, east, west } = await twoFarms();
    await list(member, site);
    await ageLists(world, member, 16);
    await world.portal.db
      .update(dispatchers)
      .set({ circuit: 'open', circuit_probe_until: new Date(Date.now() + 60_000) })
      .where(eq(dispatchers.id, west.node.dispatcher.id));
    const kept = await list(member, site);
    expect([names(kept), asked(east), asked(west)]).toEqual([['East', 'West'], 2, 1]);
    expect(statusOf(kept, west)).toMatchObject({ status: 'circuit_open', fetched_at: expect.any(String) });
    const without = await list(newcomer, site);
    expect([names(without), statusOf(without, west).fetched_at]).toEqual([['East'], null]);
  });

  it('is specific to an address, a user name and a set of groups: another key has another list', async () => {
    const group = await addGroup(world.admin, world.domain);
    const { user, token } = await addMember(world, []);
    const { site, east } = await twoFarms();
    const from = async (ip: string) => {
      const session =
        ip === '127.0.0.1' ? token : (await logIn(world.portal, world.domain, user, {}, ip)).body.token;
      await world.portal.send(pathOf(site), { token: session, ip });
      await world.portal.settled();
      return asked(east);
    };
    expect(await from('127.0.0.1')).toBe(1);
    expect(await from('127.0.0.1')).toBe(1);
    expect(await from('203.0.113.7')).toBe(2);
    await admin(`PATCH ${usersPath(world.domain)}/${user.id}`, { groups: [group.id] });
    expect(await from('203.0.113.7')).toBe(3);
    // Any change of permissions invalidates all cached lists.
    await addRule(world, site, []);
    expect(await from('203.0.113.7')).toBe(4);
  });

  it('is requested again after a connection, which it does not contain', async () => {
    const member = await addMember(world, []);
    const { site, east } = await twoFarms();
    const [{ link }] = (await list(member, site)).body.services;
    expect((await member.ask(`GET ${link}`)).status).toBe(200);
    const [shown] = (await list(member, site)).body.services;
    expect([shown.in_use, shown.sessions.length, asked(east)]).toEqual([true, 1, 2]);
  });

  it('is never overwritten by an older list', async () => {
    const member = await addMember(world, []);
    const { site, east } = await twoFarms();
    await list(member, site);
    await ageLists(world, member, -60);
    const [before] = await world.portal.db
      .select()
      .from(serviceLists)
      .where(eq(serviceLists.farm_id, east.farm.id));
    await world.portal.db.update(serviceLists).set({ subject: 'of another key' });
    await list(member, site);
    const [after] = await world.portal.db
      .select()
      .from(serviceLists)
      .where(eq(serviceLists.farm_id, east.farm.id));
    expect(after?.fetched_at).toEqual(before?.fetched_at);
  });
});

describe('a withdrawn right', () => {
  it('of the portal is gone from the list and from connections at once', async () => {
    const member = await addMember(world, []);
    const { site, east, west } = await twoFarms();
    const members = [memberOf(east, 'East'), memberOf(west, 'West')];
    const group = await addGroup(world.admin, world.domain);
    await admin(`PATCH ${usersPath(world.domain)}/${member.user.id}`, { groups: [group.id] });
    const rule = await addRule(world, site, members, { groups: [group.id] });
    const kinds = async () => (await list(member, site)).body.services.map(({ kind }: Json) => kind);
    expect(await kinds()).toEqual(['rule']);
    await admin(`PATCH ${usersPath(world.domain)}/${member.user.id}`, { groups: [] });
    expect(await kinds()).toEqual([]);
    const launch = `GET /aggregator/api/client/v7.0/${site.uri}/connectionInfo/${rule.id}`;
    expect((await member.ask(launch)).status).toBe(404);
    await admin(`PATCH ${base}/sites/${site.id}`, { authenticators: [] });
    expect((await list(member, site)).status).toBe(404);
  });

  it('of a dispatcher is gone from the list within 15 seconds, and from connections at once', async () => {
    const member = await addMember(world, []);
    const { site, east, west } = await twoFarms();
    const rule = await addRule(world, site, [memberOf(east, 'East')]);
    expect((await list(member, site)).body.services).toHaveLength(2);
    east.node.simulator.state.changePool('East', { entitled: { users: [], groups: [] } });
    west.node.simulator.state.changePool('West', { entitled: { users: [], groups: [] } });
    expect((await list(member, site)).body.services).toHaveLength(2);
    const launch = (id: string) =>
      member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/connectionInfo/${id}`);
    expect((await launch(rule.id)).status).toBe(404);
    expect((await launch(`${west.farm.id}.${uuidOf(west, 'West')}`)).status).toBe(404);
    await ageLists(world, member, 15);
    expect((await list(member, site)).body.services).toEqual([]);
  });
});
