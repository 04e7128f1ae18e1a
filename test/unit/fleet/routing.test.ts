import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../functions/client/connections/rule-calls.ts';
import type { MemberFacts, RoutingFacts } from '../../../shared/routing/facts.ts';
import { route } from '../../../shared/routing/routing.ts';

const still = { turn: 0, random: () => 0 };
const node = { circuit: 'closed', status: 'pass' } as const;
const open = { circuit: 'open', status: 'pass' } as const;

const member = (farm_id: string, given: Partial<MemberFacts> = {}): MemberFacts => ({
  farm_id,
  servicepool_uuid: `pool of ${farm_id}`,
  priority: 1,
  enabled: true,
  farm: { enabled: true, maintenance: false, nodes: [node] },
  maintenance: false,
  unknown: false,
  usage_percent: null,
  entitled: true,
  refused: false,
  owned: false,
  full: false,
  ...given,
});

type Given = Omit<Partial<RoutingFacts>, 'rule'> & { rule?: Partial<RoutingFacts['rule']> };
const facts = (members: readonly MemberFacts[], { rule, ...given }: Given = {}): RoutingFacts => ({
  rule: {
    enabled: true,
    usable: true,
    policy: 'priority',
    failover: true,
    failover_from_owned: false,
    affinity: 'session',
    ...rule,
  },
  site: { enabled: true, maintenance: false },
  members,
  sessions: [],
  issued: null,
  preferences: [],
  ...given,
});
const session = (farm_id: string, given = {}) => ({
  session_uuid: `session at ${farm_id}`,
  farm_id,
  servicepool_uuid: `pool of ${farm_id}`,
  state: 'active',
  started_at: '2026-01-01T08:00:00Z',
  ...given,
});
const farmsOf = (given: RoutingFacts, chance = still) =>
  route(given, chance).candidates.map(({ farm_id }) => farm_id);
const three = [member('a', { priority: 3 }), member('b', { priority: 1 }), member('c', { priority: 2 })];

describe('the policy of a rule', () => {
  it('orders by the priority of members', () => {
    expect(route(facts(three), still).candidates).toEqual(
      ['b', 'c', 'a'].map((farm) => ({
        farm_id: farm,
        servicepool_uuid: `pool of ${farm}`,
        reason: 'priority',
      })),
    );
  });

  it('puts each member first in turn, also when others are excluded', () => {
    const members = [...three, member('d', { enabled: false })];
    const first = (turn: number) =>
      farmsOf(facts(members, { rule: { policy: 'round_robin' } }), { ...still, turn })[0];
    expect([0, 1, 2, 3, 4, 5].map(first)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('prefers the least used pool, and unknown usage counts as full', () => {
    const members = [
      member('a'),
      member('b', { usage_percent: 80 }),
      member('c', { usage_percent: 20 }),
      member('d', { usage_percent: 80, priority: 0 }),
    ];
    expect(farmsOf(facts(members, { rule: { policy: 'least_loaded' } }))).toEqual(['c', 'd', 'b', 'a']);
  });

  it('has a random order with every member', () => {
    const drawn = (numbers: number[]) =>
      farmsOf(facts(three, { rule: { policy: 'random' } }), { turn: 0, random: () => numbers.shift() ?? 0 });
    expect(drawn([0.99, 0, 0])).toEqual(['c', 'a', 'b']);
    expect(drawn([0, 0.99, 0])).toEqual(['a', 'c', 'b']);
  });
});

describe("the caller's own", () => {
  it('priority groups precede the policy: the group first, then the farm in it', () => {
    const preferences = [
      { priority: 2, farm_id: 'c', farm_priority: 1 },
      { priority: 1, farm_id: 'a', farm_priority: 9 },
      { priority: 5, farm_id: 'a', farm_priority: 1 },
    ];
    const { candidates } = route(facts(three, { preferences }), still);
    expect(candidates.map(({ farm_id, reason }) => [farm_id, reason])).toEqual([
      ['a', 'priority_group'],
      ['c', 'priority_group'],
      ['b', 'priority'],
    ]);
  });

  it('live session takes precedence over everything, an active one over a disconnected one', () => {
    const sessions = [session('c', { state: 'disconnected' }), session('a')];
    const preferences = [{ priority: 1, farm_id: 'b', farm_priority: 1 }];
    const { candidates, conflict } = route(facts(three, { sessions, preferences }), still);
    expect(candidates.map(({ farm_id, reason }) => [farm_id, reason])).toEqual([
      ['a', 'live_session'],
      ['c', 'live_session'],
      ['b', 'priority_group'],
    ]);
    expect(conflict).toEqual([sessions[1], sessions[0]]);
  });

  it('session on a pool outside the rule neither attracts nor conflicts', () => {
    const elsewhere = session('a', { servicepool_uuid: 'another pool' });
    const { candidates, conflict } = route(facts(three, { sessions: [elsewhere, session('c')] }), still);
    expect(candidates[0]?.farm_id).toBe('c');
    expect(conflict).toBeUndefined();
  });

  it('connection issued within 120 s takes precedence until the snapshot has its session, a later one only on request', () => {
    const at = (age_s: number, affinity: RoutingFacts['rule']['affinity']) =>
      route(
        facts(three, {
          issued: { farm_id: 'a', servicepool_uuid: 'pool of a', age_s, outcome: 'issued' },
          rule: { affinity },
        }),
        still,
      ).candidates[0];
    expect(at(120, 'session')).toMatchObject({ farm_id: 'a', reason: 'issued_lately' });
    expect(at(121, 'session')).toMatchObject({ farm_id: 'b', reason: 'priority' });
    expect(at(1_000_000, 'last_used')).toMatchObject({ farm_id: 'a', reason: 'last_used' });
    expect(at(1, 'none')).toMatchObject({ farm_id: 'b' });
    const both = facts(three, {
      issued: { farm_id: 'a', servicepool_uuid: 'pool of a', age_s: 1, outcome: 'issued' },
      sessions: [session('c')],
    });
    expect(farmsOf(both)).toEqual(['c', 'a', 'b']);
  });

  it('session is ignored by a rule without affinity, but reported', () => {
    const given = facts(three, {
      rule: { affinity: 'none' },
      sessions: [session('a'), session('c')],
    });
    expect(farmsOf(given)).toEqual(['b', 'c', 'a']);
    expect(route(given, still).conflict).toHaveLength(2);
  });
});

describe('a farm in a rule', () => {
  const farm = (nodes: MemberFacts['farm']['nodes'], given = {}) => ({
    farm: { enabled: true, maintenance: false, nodes, ...given },
  });

  it('is reachable through any node with a closed circuit breaker, and last when it fails its probes', () => {
    const members = [
      member('a', farm([open])),
      member('b', farm([open, node])),
      member('c', farm([{ ...node, status: 'fail' }])),
      member('d', farm([{ ...node, circuit: 'half_open' }])),
      member('e', farm([{ ...node, status: 'unknown' }])),
      member('f', farm([])),
    ];
    expect(farmsOf(facts(members))).toEqual(['b', 'e', 'c']);
  });

  it('that is forbidden, closed or unavailable is explained by one obstacle', () => {
    const members = [
      member('a', farm([node], { enabled: false })),
      member('b', farm([open], { maintenance: true })),
      member('c', { entitled: false, maintenance: true }),
      member('d', { maintenance: true }),
      member('e', farm([open])),
      member('f', farm([])),
      member('g', { enabled: false }),
      member('h', { entitled: null }),
    ];
    const reasons = route(facts(members), still).explain.map((one) => [
      one.farm_id,
      one.outcome,
      one.step,
      one.reason,
    ]);
    expect(reasons).toEqual([
      ['h', 'chosen', 'policy', 'priority'],
      ['a', 'excluded', 'farm', 'farm_disabled'],
      ['b', 'excluded', 'farm', 'farm_maintenance'],
      ['c', 'excluded', 'entitlement', 'not_entitled'],
      ['d', 'excluded', 'pool', 'pool_maintenance'],
      ['e', 'excluded', 'node', 'circuit_open'],
      ['f', 'excluded', 'node', 'no_node'],
      ['g', 'excluded', 'member', 'member_disabled'],
    ]);
  });

  it('that is not for the user is explained by that, and its maintenance does not concern the user', () => {
    const members = [
      member('a', farm([node], { maintenance: true })),
      member('b', { unknown: true }),
      member('c', { enabled: false }),
    ].map((one, at) => ({ ...one, entitled: at === 1 ? null : false }));
    const routed = route(facts(members, { rule: { failover: false } }), still);
    expect(routed.explain.map(({ farm_id, reason }) => [farm_id, reason])).toEqual([
      ['a', 'not_entitled'],
      ['b', 'state_unknown'],
      ['c', 'member_disabled'],
    ]);
    expect(refusalOf(routed).members.reason).toBe('state_unknown');
    const others = members.filter(({ farm_id }) => farm_id !== 'b');
    expect(refusalOf(route(facts(others), still)).code).toBe('not_found');
  });

  it('is the only one without failover, with the reason at the others', () => {
    const { candidates, explain } = route(facts(three, { rule: { failover: false } }), still);
    expect(candidates.map(({ farm_id }) => farm_id)).toEqual(['b']);
    expect(explain.map(({ farm_id, outcome, reason }) => [farm_id, outcome, reason])).toEqual([
      ['b', 'chosen', 'priority'],
      ['c', 'excluded', 'failover_off'],
      ['a', 'excluded', 'failover_off'],
    ]);
  });

  it('of a disabled or forbidden rule, or of a site in maintenance, is excluded', () => {
    const reasonOf = (given: Given) => {
      const { candidates, explain } = route(facts(three, given), still);
      expect(candidates).toEqual([]);
      return [...new Set(explain.map(({ reason }) => reason))];
    };
    expect(reasonOf({ rule: { enabled: false } })).toEqual(['rule_disabled']);
    expect(reasonOf({ rule: { usable: false } })).toEqual(['rule_not_for_user']);
    expect(reasonOf({ site: { enabled: true, maintenance: true } })).toEqual(['site_maintenance']);
  });
});
