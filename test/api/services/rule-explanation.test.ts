import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addMember,
  addPriorityGroup,
  addSite,
  base,
  type Member,
  pool,
  useWorld,
} from '../../support/factories.ts';
import { setCircuit } from '../../support/fleet/maintenance.ts';
import {
  addRule,
  addSnapshotSession,
  type FarmWithNode,
  memberOf,
  siteWithFarms,
} from '../../support/fleet/rules.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let site: Json;
let farms: FarmWithNode[];
let rule: Json;
let user: Member;
let explainer: Member;
const farm = (at: number) => farms[at] as FarmWithNode;

beforeAll(async () => {
  const options = Array.from({ length: 4 }, () => ({ pools: [pool('Office')] }));
  ({ site, farms } = await siteWithFarms(world, options));
  rule = await addRule(
    world,
    site,
    farms.map((at, n) => memberOf(at, 'Office', { priority: n })),
  );
  user = await addMember(world, []);
  explainer = await addMember(world, ['rules.explain'], [site.id]);
  await world.admin(`PATCH ${base}/farms/${farm(0).farm.id}`, { maintenance: true });
  for (const at of [0, 1]) await setCircuit(world.portal, farm(at).node, 'open');
});
afterAll(async () => {
  await Promise.all(farms.map(({ node }) => node.simulator.close()));
});

const explain = (who: Member, userId = user.user.id, id = rule.id) =>
  who.ask(`GET ${base}/rules/${id}/explain?user_id=${userId}`);
const outcomes = ({ body }: { body: Json }) =>
  body.members.map(({ farm_id, outcome, reason }: Json) => [farm_id, outcome, reason]);

describe('the explanation of a rule', () => {
  it('has the order of the members, and everything that excludes one of them', async () => {
    const answer = await explain(explainer);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      rule: { id: rule.id, enabled: true, for_user: true, by_tags: false, policy: 'priority' },
      site: { id: site.id, enabled: true, for_user: true, maintenance: false },
      user: { id: user.user.id, name: user.user.name },
    });
    expect(outcomes(answer).slice(0, 2)).toEqual([
      [farm(2).farm.id, 'chosen', 'priority'],
      [farm(3).farm.id, 'candidate', 'priority'],
    ]);
    const of = (at: number) => answer.body.members.find((one: Json) => one.farm_id === farm(at).farm.id);
    expect(of(0).obstacles).toEqual([
      { step: 'farm', reason: 'farm_maintenance' },
      { step: 'node', reason: 'circuit_open' },
    ]);
    expect(of(1)).toMatchObject({
      reason: 'circuit_open',
      farm_name: farm(1).farm.name,
      nodes: [{ id: farm(1).node.dispatcher.id, circuit: 'open', enabled: true }],
    });
  });

  it('names the priority group that orders the farms, and the open session that comes before it', async () => {
    const group = await addPriorityGroup(world.admin, {
      users: [user.user.id],
      farms: [{ farm_id: farm(3).farm.id, priority: 2 }],
    });
    const grouped = await explain(explainer);
    expect(grouped.body.members[0]).toMatchObject({
      farm_id: farm(3).farm.id,
      step: 'priority_group',
      priority_group: { id: group.id, name: group.name, farm_priority: 2 },
    });
    await addSnapshotSession(world, farm(2), 'Office', user);
    const held = await explain(explainer);
    expect(outcomes(held)[0]).toEqual([farm(2).farm.id, 'chosen', 'live_session']);
  });

  it('calls no dispatcher', async () => {
    const calls = () => farms.reduce((sum, { node }) => sum + node.simulator.calls.length, 0);
    const before = calls();
    await explain(explainer, explainer.user.id);
    await world.portal.settled();
    expect(calls()).toBe(before);
  });

  it('has the assignment by the latest service list of the user', async () => {
    const of = async (at: number) => {
      const { members } = (await explain(explainer)).body;
      return members.find((one: Json) => one.farm_id === farm(at).farm.id);
    };
    // A new rule makes earlier service lists invalid.
    const hidden = await addRule(world, site, [
      { farm_id: farm(3).farm.id, servicepool_uuid: crypto.randomUUID() },
    ]);
    expect(await of(3)).toMatchObject({ entitled: null, domain_linked: null, listed_at: null });
    await user.ask(`GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`);
    await world.portal.settled();
    expect(await of(3)).toMatchObject({ entitled: true, domain_linked: true, obstacles: [] });
    const { listed_at } = await of(3);
    expect(Date.now() - Date.parse(listed_at)).toBeLessThan(60_000);
    expect((await explain(explainer, undefined, hidden.id)).body.members).toMatchObject([
      { entitled: false, obstacles: [{ step: 'entitlement', reason: 'not_entitled' }] },
    ]);
  });

  it('explains a rule for others, a disabled rule, and a site that the user may not use', async () => {
    const others = await addRule(world, site, [memberOf(farm(2), 'Office')], { users: [explainer.user.id] });
    expect((await explain(explainer, undefined, others.id)).body).toMatchObject({
      rule: { for_user: false },
      members: [{ obstacles: [{ step: 'rule', reason: 'rule_not_for_user' }] }],
    });
    const off = await addRule(world, site, [memberOf(farm(2), 'Office')], { enabled: false });
    expect((await explain(explainer, undefined, off.id)).body.members).toMatchObject([
      { outcome: 'excluded', reason: 'rule_disabled' },
    ]);
    const closed = await addSite(world.admin);
    const elsewhere = await addRule(world, closed, []);
    const wide = await addMember(world, ['rules.explain']);
    expect((await explain(wide, undefined, elsewhere.id)).body).toMatchObject({
      site: { id: closed.id, enabled: true, for_user: false },
      members: [],
    });
    expect((await explain(explainer, undefined, elsewhere.id)).status).toBe(404);
  });

  it('needs the permission, a rule and a user', async () => {
    const reader = await addMember(world, ['rules.read']);
    expect((await explain(reader)).body).toMatchObject({
      code: 'forbidden',
      required_permission: 'rules.explain',
    });
    expect((await explain(explainer, crypto.randomUUID())).status).toBe(404);
    expect((await explain(explainer, undefined, crypto.randomUUID())).status).toBe(404);
  });

  it('is for the caller by default', async () => {
    const { body } = await explainer.ask(`GET ${base}/rules/${rule.id}/explain`);
    expect(body.user).toMatchObject({ id: explainer.user.id, name: explainer.user.name });
  });
});
