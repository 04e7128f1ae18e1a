import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyText, type MemberFacts, type RoutingFacts } from '../../../shared/routing/facts.ts';
import { route } from '../../../shared/routing/routing.ts';

const farmIds = ['f1', 'f2', 'f3', 'f4', 'f5'];
const farmId = fc.constantFrom(...farmIds);
const poolId = fc.constantFrom('p1', 'p2');
const mostly = fc.constantFrom(true, true, true, false);
const seldom = fc.constantFrom(false, false, false, true);

const member: fc.Arbitrary<MemberFacts> = fc.record({
  farm_id: farmId,
  servicepool_uuid: poolId,
  priority: fc.integer({ min: 0, max: 2 }),
  enabled: mostly,
  farm: fc.record({
    enabled: mostly,
    maintenance: seldom,
    nodes: fc.array(
      fc.record({
        circuit: fc.constantFrom('closed', 'closed', 'open', 'half_open'),
        status: fc.constantFrom('pass', 'fail', 'unauthorized', 'unknown'),
      }),
      { maxLength: 3 },
    ),
  }),
  maintenance: seldom,
  unknown: seldom,
  usage_percent: fc.option(fc.integer({ min: 0, max: 100 })),
  entitled: fc.constantFrom(true, true, null, false),
  refused: fc.constantFrom(false, false, false, true),
  owned: seldom,
  full: seldom,
});

const facts: fc.Arbitrary<RoutingFacts> = fc.record({
  rule: fc.record({
    enabled: mostly,
    usable: mostly,
    policy: fc.constantFrom('priority', 'round_robin', 'least_loaded', 'random'),
    failover: fc.boolean(),
    failover_from_owned: fc.boolean(),
    affinity: fc.constantFrom('session', 'last_used', 'none'),
  }),
  site: fc.record({ enabled: mostly, maintenance: seldom }),
  members: fc.uniqueArray(member, { selector: keyText, maxLength: 8 }),
  sessions: fc.uniqueArray(
    fc.record({
      session_uuid: fc.uuid(),
      farm_id: farmId,
      servicepool_uuid: poolId,
      state: fc.constantFrom('active', 'disconnected'),
      started_at: fc.option(fc.constantFrom('2026-01-01T08:00:00Z', '2026-01-02T08:00:00Z')),
    }),
    { selector: ({ session_uuid }) => session_uuid, maxLength: 3 },
  ),
  issued: fc.option(
    fc.record({
      farm_id: farmId,
      servicepool_uuid: poolId,
      age_s: fc.integer({ min: 0, max: 300 }),
      outcome: fc.constantFrom('issued', 'preparing', 'outcome_unknown'),
    }),
  ),
  preferences: fc.array(
    fc.record({
      priority: fc.integer({ min: 0, max: 2 }),
      farm_id: farmId,
      farm_priority: fc.integer({ min: 0, max: 2 }),
    }),
    { maxLength: 4 },
  ),
});

/** The same random value for each call. */
const chance = fc.record({
  turn: fc.nat(100),
  draws: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true })),
});
type Drawn = { turn: number; draws: number[] };
const again = ({ turn, draws }: Drawn) => {
  const left = [...draws];
  return { turn, random: () => left.shift() ?? 0 };
};
const holds = (law: (given: RoutingFacts, by: Drawn) => void) =>
  fc.assert(fc.property(facts, chance, law), { numRuns: 2_000 });
const keysOf = (given: RoutingFacts, by: Drawn) => route(given, again(by)).candidates.map(keyText);

/** Implemented again, so that an error in the code is not repeated here. */
const mayServe = ({ rule, site, sessions }: RoutingFacts, one: MemberFacts): boolean => {
  if (!rule.enabled || !rule.usable || !site.enabled) return false;
  if (!one.enabled || !one.farm.enabled || one.unknown) return false;
  // Maintenance ends no session: its user may reconnect.
  const isOwn = sessions.some((session) => keyText(session) === keyText(one));
  if (!isOwn && (site.maintenance || one.farm.maintenance || one.maintenance)) return false;
  if (one.refused || one.entitled === false) return false;
  return one.farm.nodes.filter(({ circuit }) => circuit === 'closed').length > 0;
};

/** Switched off, or not for the user: other members are used in its place, whatever the rule says about failover. */
const isOut = ({ rule, site }: RoutingFacts, one: MemberFacts): boolean =>
  !rule.enabled ||
  !rule.usable ||
  !site.enabled ||
  !one.enabled ||
  !one.farm.enabled ||
  one.refused ||
  one.entitled === false;

const hasSession = ({ sessions }: RoutingFacts, one: MemberFacts): boolean =>
  sessions.some((session) => keyText(session) === keyText(one));

/** A user with a machine at a member stays there, unless the rule allows to leave it. */
const mayBeLed = (given: RoutingFacts, one: MemberFacts): boolean =>
  given.rule.failover_from_owned ||
  one.owned ||
  hasSession(given, one) ||
  !given.members.some((other) => other.owned && !isOut(given, other));

describe('the routing of a rule', () => {
  it('never selects a disabled, maintained, open-circuit or forbidden target, and with failover all others', () => {
    holds((given, by) => {
      const fit = given.members.filter((one) => mayServe(given, one) && mayBeLed(given, one)).map(keyText);
      const led = keysOf(given, by);
      if (given.rule.failover) expect([...led].sort()).toEqual(fit.sort());
      else expect(fit).toEqual(expect.arrayContaining(led));
    });
  });

  it('never gains a candidate by a withdrawn right', () => {
    holds((given, by) => {
      const failover = { ...given, rule: { ...given.rule, failover: true, failover_from_owned: true } };
      const before = keysOf(failover, by);
      const poorer: RoutingFacts[] = [
        { ...failover, rule: { ...failover.rule, usable: false } },
        ...failover.members.map((lost) => ({
          ...failover,
          members: failover.members.map((one) => (one === lost ? { ...one, entitled: false } : one)),
        })),
      ];
      for (const less of poorer) {
        expect(before).toEqual(expect.arrayContaining(keysOf(less, by)));
        const single = { ...less, rule: { ...less.rule, failover: false } };
        if (before.length === 0) expect(keysOf(single, by)).toEqual([]);
      }
    });
  });

  it('does not depend on the order in which the facts were read', () => {
    holds((given, by) => {
      const reversed = {
        ...given,
        members: given.members.toReversed(),
        sessions: given.sessions.toReversed(),
        preferences: given.preferences.toReversed(),
      };
      expect(route(reversed, again(by))).toEqual(route(given, again(by)));
    });
  });

  it('selects a live session of the caller where one can be reached', () => {
    holds((given, by) => {
      if (given.rule.affinity === 'none' || !given.rule.failover) return;
      const live = new Set(given.sessions.map(keyText));
      const reachable = given.members.some((one) => mayServe(given, one) && live.has(keyText(one)));
      if (reachable) expect(live.has(keysOf(given, by)[0] ?? '')).toBe(true);
    });
  });

  it('has without failover the first member alone, and none if that one cannot be used', () => {
    holds((given, by) => {
      const strict = { ...given, rule: { ...given.rule, failover: false } };
      const well = (one: MemberFacts): MemberFacts => ({
        ...{ ...one, maintenance: false, unknown: false },
        farm: { ...one.farm, maintenance: false, nodes: [{ circuit: 'closed', status: 'pass' }] },
      });
      const site = { ...given.site, maintenance: false };
      const [first] = keysOf({ ...strict, site, members: given.members.map(well) }, by);
      const usable = given.members.filter((one) => mayServe(given, one)).map(keyText);
      expect(keysOf(strict, by)).toEqual(first !== undefined && usable.includes(first) ? [first] : []);
    });
  });

  it('leads a user with a machine at a member nowhere else, unless the rule allows it', () => {
    holds((given, by) => {
      if (given.rule.failover_from_owned) return;
      const kept = given.members.filter((one) => one.owned && !isOut(given, one));
      if (kept.length === 0) return;
      const own = given.members.filter((one) => one.owned || hasSession(given, one)).map(keyText);
      expect(own).toEqual(expect.arrayContaining(keysOf(given, by)));
    });
  });

  it('changes only the order when pools are full, and not even that without failover', () => {
    holds((given, by) => {
      const empty = { ...given, members: given.members.map((one) => ({ ...one, full: false })) };
      const [before, after] = [keysOf(empty, by), keysOf(given, by)];
      if (given.rule.failover) expect(after.toSorted()).toEqual(before.toSorted());
      else expect(after).toEqual(before);
    });
  });

  it('explains every member exactly once, and as candidates those that it selects', () => {
    holds((given, by) => {
      const { explain, candidates } = route(given, again(by));
      expect(explain.map(keyText).sort()).toEqual(given.members.map(keyText).sort());
      const led = explain.filter(({ outcome }) => outcome !== 'excluded').map(keyText);
      expect(led).toEqual(candidates.map(keyText));
      expect(explain.filter(({ outcome }) => outcome === 'chosen')).toHaveLength(
        candidates.length > 0 ? 1 : 0,
      );
    });
  });

  it('reports all sessions on several members as a conflict', () => {
    holds((given, by) => {
      const keys = new Set(given.members.map(keyText));
      const own = given.sessions.filter((one) => keys.has(keyText(one)));
      const { conflict } = route(given, again(by));
      expect(new Set(conflict ?? [])).toEqual(new Set(own.length > 1 ? own : []));
    });
  });
});
