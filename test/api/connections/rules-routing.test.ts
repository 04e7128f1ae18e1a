import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { issuedConnections } from '../../../db/schema/routing/issued-connections.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import {
  addGroup,
  addMember,
  addPriorityGroup,
  adminOf,
  audited,
  base,
  type Member,
  type NodeOptions,
  pool,
  useWorld,
} from '../../support/factories.ts';
import {
  addRule,
  addSnapshotPool,
  addSnapshotSession,
  ageLists,
  type FarmWithNode,
  memberOf,
  siteWithFarms,
  uuidOf,
} from '../../support/fleet/rules.ts';
import { sync } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const started: FarmWithNode[] = [];
const admin = adminOf(world);

afterEach(async () => {
  await Promise.all(started.splice(0).map(({ node }) => node.simulator.close()));
});

/** Farms that each have a pool `Office`, unless other pools are given. */
async function threeFarms(options: NodeOptions[] = [{}, {}, {}]) {
  const made = await siteWithFarms(
    world,
    options.map((given) => ({ pools: [pool('Office')], ...given })),
  );
  started.push(...made.farms);
  const [a, b, c] = made.farms;
  if (!a || !b || !c) throw new Error('three farms were asked for');
  return { site: made.site, a, b, c, all: [a, b, c] };
}
const inOrder = (farms: FarmWithNode[]) => farms.map((at, n) => memberOf(at, 'Office', { priority: n }));
const client = (site: Json, what: string) => `GET /aggregator/api/client/v7.0/${site.uri}/${what}`;
const connect = ({ ask }: Member, site: Json, id: string) => ask(client(site, `connectionInfo/${id}`));
const check = ({ ask }: Member, site: Json, id: string) => ask(client(site, `preconnectionInfo/${id}`));
const list = ({ ask }: Member, site: Json) => ask(client(site, 'servicesList/'));
const connectionsAt = ({ node }: FarmWithNode) =>
  node.simulator.calls.filter(({ path }) => path.includes('/connectionInfo/')).length;

describe('the list of services', () => {
  it('shows pools that a rule covers once, as the rule, with the states of its members', async () => {
    const member = await addMember(world, []);
    const { site, a, b, c, all } = await threeFarms([
      { pools: [pool('Office', { protocols: ['rdp'], state: 'busy' }), pool('Zoo')] },
      { pools: [pool('Office', { protocols: ['spice'], comments: 'Daily work' })] },
      { pools: [pool('Office', { entitled: { users: [], groups: ['nobody'] } })] },
    ]);
    const rule = await addRule(world, site, inOrder(all), { display_name: 'My desk' });
    const { body } = await list(member, site);
    expect(body.services.map(({ id, kind }: Json) => [id, kind])).toEqual([
      [rule.id, 'rule'],
      [`${a.farm.id}.${uuidOf(a, 'Zoo')}`, 'pool'],
    ]);
    expect(body.services[0]).toEqual({
      id: rule.id,
      kind: 'rule',
      name: 'My desk',
      description: 'Daily work',
      image_url: null,
      protocols: expect.arrayContaining(['rdp', 'spice']),
      in_use: false,
      maintenance: false,
      state: 'ready',
      members: 2,
      sessions: [],
      link: `/aggregator/api/client/v7.0/${site.uri}/connectionInfo/${rule.id}`,
      favourite: false,
      last_used_at: null,
      launch: null,
    });
    b.node.simulator.state.changePool('Office', { maintenance: true });
    await ageLists(world, member, 16);
    expect((await list(member, site)).body.services[0]).toMatchObject({ state: 'busy', maintenance: false });
    expect((await connect(member, site, `${c.farm.id}.${uuidOf(c, 'Office')}`)).status).toBe(404);
  });

  it('shows a rule to its users only, and its pools to no other user', async () => {
    const group = await addGroup(world.admin, world.domain);
    const [byName, byGroup, stranger] = [
      await addMember(world, []),
      await addMember(world, [], '*', { groups: [group.id] }),
      await addMember(world, []),
    ];
    const { site, a, all } = await threeFarms();
    const rule = await addRule(world, site, inOrder(all), {
      users: [byName.user.id],
      groups: [group.id],
    });
    const kinds = async (who: Member) => (await list(who, site)).body.services.map(({ kind }: Json) => kind);
    expect(await kinds(byName)).toEqual(['rule']);
    expect(await kinds(byGroup)).toEqual(['rule']);
    expect(await kinds(stranger)).toEqual([]);
    expect((await connect(stranger, site, rule.id)).status).toBe(404);
    const covered = `${a.farm.id}.${uuidOf(a, 'Office')}`;
    expect((await connect(byName, site, covered)).status).toBe(404);
    expect((await connect(stranger, site, covered)).status).toBe(404);
  });

  it('finds the members of a rule by the tags in the snapshot', async () => {
    const member = await addMember(world, []);
    const { site, a, b, c } = await threeFarms();
    await addSnapshotPool(world, a, 'Office', { tags: ['office', 'east'] });
    await addSnapshotPool(world, b, 'Office', { tags: ['office', 'west'] });
    await addSnapshotPool(world, c, 'Office', { tags: ['east'] });
    const rule = await addRule(world, site, [], { match_tags: { any: ['east', 'west'], all: ['office'] } });
    const { services } = (await list(member, site)).body;
    expect(services.find(({ id }: Json) => id === rule.id)).toMatchObject({ members: 2 });
    expect(services.filter(({ kind }: Json) => kind === 'pool')).toMatchObject([{ farm_id: c.farm.id }]);
    const { farm_id } = (await connect(member, site, rule.id)).body;
    expect([a.farm.id, b.farm.id]).toContain(farm_id);
  });

  it('reports two live sessions of one caller for one rule, and ends neither', async () => {
    const member = await addMember(world, []);
    const { site, a, b, all } = await threeFarms();
    for (const at of [a, b]) await connect(member, site, `${at.farm.id}.${uuidOf(at, 'Office')}`);
    const rule = await addRule(world, site, inOrder(all), { affinity: 'none' });
    const [service] = (await list(member, site)).body.services;
    const farms = (sessions: Json[]) => sessions.map(({ farm_id }) => farm_id).sort();
    expect(farms(service.conflict)).toEqual([a.farm.id, b.farm.id].sort());
    expect(farms(service.sessions)).toEqual([a.farm.id, b.farm.id].sort());
    await world.portal.settled();
    expect((await check(member, site, rule.id)).body.conflict).toHaveLength(2);
    expect([a, b].map(({ node }) => node.simulator.state.sessions.all().length)).toEqual([1, 1]);
  });
});

describe('a connection through a rule', () => {
  it('goes to the first member, is stored, and its audit event names the member', async () => {
    const member = await addMember(world, []);
    const { site, a, b, c } = await threeFarms();
    const rule = await addRule(world, site, inOrder([b, a, c]));
    const { result, events } = await audited(world.portal, () => connect(member, site, rule.id));
    expect([result.status, result.body]).toMatchObject([200, { service_id: rule.id, farm_id: b.farm.id }]);
    expect(events).toMatchObject([
      {
        event: 'aggregator.ConnectionIssued',
        object_id: rule.id,
        details: { farm: b.farm.name, farm_id: b.farm.id, reason: 'priority' },
      },
    ]);
    const rows = await world.portal.db
      .select()
      .from(issuedConnections)
      .where(eq(issuedConnections.user_id, member.user.id));
    expect(rows).toMatchObject([{ rule_id: rule.id, farm_id: b.farm.id }]);
  });

  it('prefers the live session in the snapshot, and before that the connection issued last', async () => {
    const [seen, unseen] = [await addMember(world, []), await addMember(world, [])];
    const { site, a, b, c } = await threeFarms();
    const rule = await addRule(world, site, inOrder([a, b, c]));
    await addSnapshotSession(world, c, 'Office', seen);
    expect((await connect(seen, site, rule.id)).body.farm_id).toBe(c.farm.id);
    const { db } = world.portal;
    const row = {
      user_id: unseen.user.id,
      rule_id: rule.id,
      ...memberOf(b, 'Office'),
    };
    await db.insert(issuedConnections).values({ ...row, issued_at: new Date() });
    expect((await check(unseen, site, rule.id)).body.farm_id).toBe(b.farm.id);
    await db
      .update(issuedConnections)
      .set({ issued_at: new Date(Date.now() - 121_000) })
      .where(eq(issuedConnections.user_id, unseen.user.id));
    expect((await check(unseen, site, rule.id)).body.farm_id).toBe(a.farm.id);
  });

  it.each([
    ['DOMAIN\\user', (name: string, label: string) => [`${label.toUpperCase()}\\${name}`, '']],
    ['DOMAIN\\user beside the domain', (name: string, label: string) => [`NETBIOS\\${name}`, label]],
    ['user@suffix', (name: string, label: string) => [`${name}@corp.example.com`, label]],
    ['user@domain', (name: string, label: string) => [`${name.toUpperCase()}@${label}`, '']],
  ])('prefers the live session of the user that the node spells as %s', async (_title, spelled) => {
    const member = await addMember(world, []);
    const { site, b, all } = await threeFarms();
    const rule = await addRule(world, site, inOrder(all));
    const only = await addRule(world, site, [memberOf(b, 'Office')]);
    await connect(member, site, only.id);
    const [user, domain] = spelled(member.user.name, world.domain.small_name);
    b.node.simulator.knobs.alter = (list, row) => (list === 'spsessions' ? { ...row, user, domain } : row);
    await sync(world.portal, b.farm as { id: string }, 'spsessions');
    expect((await connect(member, site, rule.id)).body.farm_id).toBe(b.farm.id);
  });

  it('prefers the farms of the priority groups of the user', async () => {
    const group = await addGroup(world.admin, world.domain);
    const [his, other] = [
      await addMember(world, [], '*', { groups: [group.id] }),
      await addMember(world, []),
    ];
    const { site, a, b, c } = await threeFarms();
    const rule = await addRule(world, site, inOrder([a, b, c]));
    await addPriorityGroup(admin, {
      groups: [group.id],
      farms: [{ farm_id: c.farm.id, priority: 1 }],
    });
    expect((await connect(his, site, rule.id)).body.farm_id).toBe(c.farm.id);
    expect((await connect(other, site, rule.id)).body.farm_id).toBe(a.farm.id);
  });

  it('takes the members in turn, and a preceding check does not advance the turn', async () => {
    const { site, all } = await threeFarms();
    const rule = await addRule(world, site, inOrder(all), { policy: 'round_robin', affinity: 'none' });
    for (let n = 0; n < 6; n++) {
      const member = await addMember(world, []);
      const checked = (await check(member, site, rule.id)).body.farm_id;
      expect((await connect(member, site, rule.id)).body.farm_id).toBe(checked);
    }
    expect(all.map(connectionsAt)).toEqual([2, 2, 2]);
  });

  it('goes to the least used pool', async () => {
    const member = await addMember(world, []);
    const { site, a, b, all } = await threeFarms();
    await addSnapshotPool(world, a, 'Office', { usage_percent: 70 });
    await addSnapshotPool(world, b, 'Office', { usage_percent: 30 });
    const rule = await addRule(world, site, inOrder(all), { policy: 'least_loaded' });
    expect((await connect(member, site, rule.id)).body.farm_id).toBe(b.farm.id);
  });

  it('fails over to the next farm, unless the rule disables failover', async () => {
    const member = await addMember(world, []);
    const { site, a, b, all } = await threeFarms();
    const rule = await addRule(world, site, inOrder(all));
    const strict = await addRule(world, site, inOrder(all), { failover: false });
    a.node.simulator.knobs.failing = 500;
    expect((await check(member, site, rule.id)).body.farm_id).toBe(b.farm.id);
    expect((await connect(member, site, rule.id)).body.farm_id).toBe(b.farm.id);
    const refused = await connect(member, site, strict.id);
    expect([refused.status, refused.body.code, refused.body.farm]).toEqual([
      502,
      'upstream_failed',
      a.farm.name,
    ]);
  });

  it('continues when a dispatcher does not find the pool for the caller, and is 404 when none finds it', async () => {
    const member = await addMember(world, []);
    const denied = { pools: [pool('Office', { entitled: { users: [], groups: ['nobody'] } })] };
    const { site, a, b, c } = await threeFarms([denied, {}, denied]);
    const rule = await addRule(world, site, inOrder([a, b, c]), { failover: false });
    expect((await connect(member, site, rule.id)).body.farm_id).toBe(b.farm.id);
    const none = await addRule(world, site, inOrder([a, c]));
    expect((await connect(member, site, none.id)).status).toBe(404);
    expect((await check(member, site, none.id)).status).toBe(404);
  });

  it('does not call farms in maintenance or with open circuit breakers', async () => {
    const member = await addMember(world, []);
    const { site, a, b, c } = await threeFarms();
    const rule = await addRule(world, site, inOrder([a, b, c]));
    const only = await addRule(world, site, inOrder([a]));
    const open = eq(dispatchers.id, b.node.dispatcher.id);
    await admin(`PATCH ${base}/farms/${a.farm.id}`, { maintenance: true });
    await world.portal.db
      .update(dispatchers)
      .set({ circuit: 'open', circuit_probe_until: new Date(Date.now() + 60_000) })
      .where(open);
    expect((await connect(member, site, rule.id)).body.farm_id).toBe(c.farm.id);
    expect([connectionsAt(a), connectionsAt(b)]).toEqual([0, 0]);
    const refused = await connect(member, site, only.id);
    expect([refused.status, refused.body.reason]).toEqual([409, 'maintenance']);
    expect((await check(member, site, only.id)).body).toMatchObject({
      verdict: 'abandon',
      reason_code: 'maintenance',
      farm_id: a.farm.id,
    });
    const cut = await addRule(world, site, inOrder([b]));
    const dead = await connect(member, site, cut.id);
    expect([dead.status, dead.body.code]).toEqual([503, 'upstream_unavailable']);
  });

  it('is 404 for a rule that is disabled, of another site, or unknown', async () => {
    const member = await addMember(world, []);
    const { site, all } = await threeFarms();
    const elsewhere = await siteWithFarms(world, []);
    const rule = await addRule(world, site, inOrder(all));
    const disabled = await addRule(world, site, inOrder(all), { enabled: false });
    expect((await connect(member, elsewhere.site, rule.id)).status).toBe(404);
    expect((await connect(member, site, disabled.id)).status).toBe(404);
    expect((await connect(member, site, crypto.randomUUID())).status).toBe(404);
  });
});
