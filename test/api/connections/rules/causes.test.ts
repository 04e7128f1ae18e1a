import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dispatcherSessions } from '../../../../db/schema/routing/dispatcher-sessions.ts';
import { fullPools } from '../../../../db/schema/routing/full-pools.ts';
import { workplaceSessions } from '../../../../db/schema/snapshot/workplace-sessions.ts';
import { seededBroker } from '../../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../../simulator/openuds/start.ts';
import { addMember, adminOf, base, type Member, pool, useWorld } from '../../../support/factories.ts';
import {
  breakBroker,
  breakNode,
  type Fault,
  forgetFailures,
  mendBroker,
  mendNode,
} from '../../../support/fleet/causes.ts';
import {
  addRule,
  addSnapshotSession,
  type FarmWithNode,
  memberOf,
  siteWithFarms,
} from '../../../support/fleet/rules.ts';
import { addBroker } from '../../../support/openuds/site.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
let site: Json;
let near: FarmWithNode;
let idle: FarmWithNode;
let broker: Broker;
let brokerFarm: Json;
let alice: Member;

beforeAll(async () => {
  alice = await addMember(world, ['rules.explain'], '*', { name: 'Alice' });
  const made = await siteWithFarms(world, [{ pools: [pool('Office')] }, { pools: [pool('Office')] }]);
  site = made.site;
  [near, idle] = made.farms as [FarmWithNode, FarmWithNode];
  const users = [{ name: 'alice', groups: ['staff'] }];
  const seed = { users, pools: [{ name: 'Office', groups: ['staff'], maxDesktops: 100 }] };
  broker = await startOpenUds({ state: seededBroker(seed), wrongPasswordMs: 0 });
  ({ farm: brokerFarm } = await addBroker({ ...world, site: site as typeof world.site }, broker));
});
afterEach(async () => {
  mendNode(near);
  mendNode(idle);
  mendBroker(broker);
  await forgetFailures(world);
});
afterAll(async () => {
  await Promise.all([near, idle].map(({ node }) => node.simulator.close()));
  await broker.close();
});

type KindName = 'dispatcher' | 'openuds';
/** The member of the kind comes first, and an idle farm second. */
const membersOf = (kind: KindName) => [
  kind === 'dispatcher'
    ? memberOf(near, 'Office', { priority: 1 })
    : { farm_id: brokerFarm.id, servicepool_uuid: broker.state.pools[0]?.id ?? '', priority: 1 },
  memberOf(idle, 'Office', { priority: 2 }),
];
const breakMember = (kind: KindName, fault: Fault) =>
  kind === 'dispatcher' ? breakNode(near, fault) : breakBroker(broker, fault);
const client = (what: string, id: string, query = '') =>
  `GET /aggregator/api/client/v7.0/${site.uri}/${what}/${id}${query}`;
const connect = (id: string) => alice.ask(client('connectionInfo', id));
const check = (id: string) => alice.ask(client('preconnectionInfo', id, '?explain=true'));
const callsAt = ({ node }: FarmWithNode) =>
  node.simulator.calls.filter(({ path }) => path.includes('/connectionInfo/')).length;

const kinds: KindName[] = ['dispatcher', 'openuds'];
const everyKind = (fault: Fault, answer: string) => kinds.map((kind) => [kind, fault, answer] as const);
/** A cause that concerns the member: failover decides. The last column is the answer without failover. */
const passing = [
  ['dispatcher', 'no_free_workplace', '409 service_in_preparation no_free_workplace'],
  ['openuds', 'no_free_workplace', '409 invalid_state no_free_workplace'],
  ['dispatcher', 'preparation_failed', '409 service_in_preparation preparation_failed'],
  ['openuds', 'preparation_failed', '409 invalid_state preparation_failed'],
  ...everyKind('maintenance', '409 invalid_state maintenance'),
  ['dispatcher', 'closed', '409 service_in_preparation unavailable'],
  ['openuds', 'closed', '409 invalid_state unavailable'],
  ['dispatcher', 'no_answer', '502 upstream_failed server_error'],
  ['openuds', 'no_answer', '502 upstream_failed unreachable'],
  // The kind declares that an unanswered request may be repeated at another farm.
  ['dispatcher', 'unanswered', '502 upstream_failed unreachable'],
] as const;
/** A cause that ends the rule, with failover as well. */
const ending = [
  ...everyKind('invalid_request', '409 invalid_state refused_by_dispatcher'),
  ...everyKind('preparing', '409 service_in_preparation preparing'),
  ['openuds', 'unanswered', '503 upstream_unavailable outcome_unknown'],
] as const;

const told = ({ status, body }: { status: number; body: Json }) =>
  [status, body.code, body.reason ?? body.reason_code].join(' ');

describe('a rule whose first member gives no connection', () => {
  it.each(passing)('of the kind %s because of %s goes on to the next one', async (kind, fault) => {
    const rule = await addRule(world, site, membersOf(kind));
    breakMember(kind, fault);
    expect((await connect(rule.id)).body.farm_id).toBe(idle.farm.id);
  });

  it.each(
    passing,
  )('of the kind %s because of %s answers so without failover', async (kind, fault, answer) => {
    const rule = await addRule(world, site, membersOf(kind), { failover: false });
    const before = callsAt(idle);
    breakMember(kind, fault);
    expect(told(await connect(rule.id))).toBe(answer);
    expect(callsAt(idle)).toBe(before);
  });

  it.each(
    kinds.flatMap((kind) => [true, false].map((failover) => [kind, failover] as const)),
  )('of the kind %s because of a missing right goes on with failover %s', async (kind, failover) => {
    const rule = await addRule(world, site, membersOf(kind), { failover });
    breakMember(kind, 'not_entitled');
    expect((await connect(rule.id)).body.farm_id).toBe(idle.farm.id);
  });

  it.each(ending)('of the kind %s because of %s ends there with failover', async (kind, fault, answer) => {
    const rule = await addRule(world, site, membersOf(kind));
    const before = callsAt(idle);
    breakMember(kind, fault);
    const answered = await connect(rule.id);
    expect(told(answered)).toBe(answer);
    expect(callsAt(idle)).toBe(before);
    if (fault !== 'invalid_request') expect(answered.headers.get('retry-after')).toMatch(/^[1-9]/);
  });

  it('is the only one that is called without failover, also if the members are drawn', async () => {
    const members = [memberOf(near, 'Office'), memberOf(idle, 'Office')];
    const rule = await addRule(world, site, members, { policy: 'random', failover: false });
    breakNode(near, 'closed');
    breakNode(idle, 'closed');
    const calls = () => callsAt(near) + callsAt(idle);
    const before = calls();
    for (let n = 0; n < 8; n++)
      expect(told(await connect(rule.id))).toBe('409 service_in_preparation unavailable');
    expect(calls()).toBe(before + 8);
  });

  it('names the cause of the last member if no other is left', async () => {
    const rule = await addRule(world, site, membersOf('openuds'));
    breakMember('openuds', 'closed');
    breakNode(idle, 'no_free_workplace');
    expect(told(await connect(rule.id))).toBe('409 service_in_preparation no_free_workplace');
  });

  it('in maintenance that the portal knows answers so without failover, and is not called', async () => {
    const rule = await addRule(world, site, membersOf('dispatcher'), { failover: false });
    await admin(`PATCH ${base}/farms/${near.farm.id}`, { maintenance: true });
    const before = callsAt(idle);
    expect(told(await connect(rule.id))).toBe('409 invalid_state maintenance');
    expect(callsAt(idle)).toBe(before);
    await admin(`PATCH ${base}/farms/${near.farm.id}`, { maintenance: false });
  });
});

describe('a refused key', () => {
  const refuse = () =>
    Object.assign(near.node.simulator.knobs, { path: '/api/client/v7.0/connectionInfo', failing: 403 });

  it('leads to the next member, unless the user has a session at the first one', async () => {
    const rule = await addRule(world, site, membersOf('dispatcher'));
    refuse();
    expect((await connect(rule.id)).body.farm_id).toBe(idle.farm.id);
    await forgetFailures(world);
    await addSnapshotSession(world, near, 'Office', alice);
    expect(told(await connect(rule.id))).toBe('502 upstream_refused forbidden');
    await world.portal.db.delete(workplaceSessions);
  });
});

describe('the next request after one', () => {
  it.each([
    ['a machine in preparation', 'preparing'],
    ['an unknown outcome', 'unanswered'],
  ] as const)('with %s begins with the same member', async (_title, fault) => {
    const options = { policy: 'round_robin', affinity: 'none' } as const;
    const rule = await addRule(world, site, membersOf('openuds'), options);
    breakMember('openuds', fault);
    const farmOf = async () => (await connect(rule.id)).body.farm_id;
    // The members take turns: the second request would begin with the other member.
    let first = await connect(rule.id);
    if (first.status === 200) first = await connect(rule.id);
    expect(first.status).not.toBe(200);
    await world.portal.settled();
    mendBroker(broker);
    expect(await farmOf()).toBe(brokerFarm.id);
  });

  it('tries a pool that was full last for five seconds, and only changes the order', async () => {
    const { db } = world.portal;
    const rule = await addRule(world, site, membersOf('dispatcher'), { affinity: 'none' });
    breakMember('dispatcher', 'no_free_workplace');
    await connect(rule.id);
    await world.portal.settled();
    mendNode(near);
    const before = callsAt(near);
    expect((await connect(rule.id)).body.farm_id).toBe(idle.farm.id);
    expect(callsAt(near)).toBe(before);
    mendNode(idle);
    breakNode(idle, 'closed');
    expect((await connect(rule.id)).body.farm_id).toBe(near.farm.id);
    mendNode(idle);
    await db.update(fullPools).set({ full_at: new Date(Date.now() - 6_000) });
    expect((await connect(rule.id)).body.farm_id).toBe(near.farm.id);
  });
});

describe('the trace of a rule', () => {
  const reasons = ({ explain }: Json) =>
    explain.map(({ farm_id, step, outcome, reason }: Json) => [farm_id, step, outcome, reason]);

  it('names the members that were passed over, and the one that answered', async () => {
    const rule = await addRule(world, site, membersOf('openuds'), { affinity: 'none' });
    breakMember('openuds', 'no_free_workplace');
    const { body } = await check(rule.id);
    expect(body).toMatchObject({ verdict: 'connect', farm_id: idle.farm.id });
    expect(reasons(body)).toEqual([
      [brokerFarm.id, 'call', 'passed_over', 'no_free_workplace'],
      [idle.farm.id, 'policy', 'chosen', 'priority'],
    ]);
  });

  it('names a missing right and the final cause', async () => {
    const rule = await addRule(world, site, membersOf('openuds'), { affinity: 'none' });
    breakMember('openuds', 'not_entitled');
    breakNode(idle, 'preparing');
    const { body } = await check(rule.id);
    expect(body).toMatchObject({ verdict: 'wait', reason_code: 'preparing' });
    expect(reasons(body)).toEqual([
      [brokerFarm.id, 'call', 'excluded', 'not_entitled'],
      [idle.farm.id, 'call', 'final', 'preparing'],
    ]);
  });
});

describe('all members of a rule', () => {
  it('share one time limit', async () => {
    const hanging = { path: '/api/client/v7.0/connectionInfo', hang: 'headers' } as const;
    const many = Array.from({ length: 4 }, () => ({
      pools: [pool('Office')],
      simulator: { knobs: hanging },
    }));
    const { site: slow, farms } = await siteWithFarms(world, many);
    const members = farms.map((at, priority) => memberOf(at, 'Office', { priority }));
    const rule = await addRule(world, slow, members);
    const limit = (value: number) =>
      admin(`PUT ${base}/tconfig`, { aggregator: { call_timeout_ms: { value } } });
    await limit(300);
    const answer = await alice.ask(`GET /aggregator/api/client/v7.0/${slow.uri}/connectionInfo/${rule.id}`);
    await limit(5_000);
    expect(answer.body.code).toBe('upstream_timeout');
    expect(farms.map(callsAt).reduce((sum, calls) => sum + calls)).toBeLessThan(4);
    await Promise.all(farms.map(({ node }) => node.simulator.close()));
  });

  it('end with it although a broker has not issued the key yet', async () => {
    const rule = await addRule(world, site, membersOf('openuds').slice(0, 1));
    const limit = (value: number) =>
      admin(`PUT ${base}/tconfig`, { aggregator: { call_timeout_ms: { value } } });
    await limit(600);
    await world.portal.db.delete(dispatcherSessions);
    broker.knobs.delayMs = 480;
    broker.resetCalls();
    const answer = await connect(rule.id);
    expect(answer.body.code).toBe('upstream_timeout');
    // The last step of a key, after more answers than fit into the limit.
    expect(broker.calls.filter(({ path }) => path.includes('/page/ticket/'))).toEqual([]);
    broker.knobs.delayMs = 0;
    await limit(5_000);
  });
});
