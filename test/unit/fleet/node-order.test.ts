import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NodeFacts, orderNodes } from '../../../shared/sites/calls/order.ts';

const statuses = ['pass', 'fail', 'unauthorized', 'unknown'] as const;
const balancings = ['priority', 'round_robin', 'least_loaded'] as const;
const node: fc.Arbitrary<NodeFacts> = fc.record({
  id: fc.uuid(),
  priority: fc.integer({ min: 0, max: 3 }),
  status: fc.constantFrom(...statuses),
  response_time_ms: fc.option(fc.integer({ min: 0, max: 50 })),
});
const nodes = fc.uniqueArray(node, { selector: ({ id }) => id, maxLength: 8 });
const balancing = fc.constantFrom(...balancings);
const ranks = { pass: 0, unknown: 1, unauthorized: 2, fail: 2 };
const ids = (of: readonly NodeFacts[]): string[] => of.map(({ id }) => id);

describe('the order of nodes', () => {
  it('contains each node once and does not change its argument', () => {
    fc.assert(
      fc.property(nodes, balancing, fc.nat(), (given, how, turn) => {
        const before = ids(given);
        expect(ids(orderNodes(given, how, turn)).sort()).toEqual([...before].sort());
        expect(ids(given)).toEqual(before);
      }),
    );
  });

  it('never has a less healthy node before a healthier one', () => {
    fc.assert(
      fc.property(nodes, balancing, fc.nat(), (given, how, turn) => {
        const found = orderNodes(given, how, turn).map(({ status }) => ranks[status]);
        expect(found).toEqual([...found].sort());
      }),
    );
  });

  it('does not depend on the order in which nodes were read', () => {
    fc.assert(
      fc.property(nodes, balancing, fc.nat(), (given, how, turn) => {
        expect(ids(orderNodes([...given].reverse(), how, turn))).toEqual(ids(orderNodes(given, how, turn)));
      }),
    );
  });

  it('follows priority or the response time among nodes of equal health', () => {
    fc.assert(
      fc.property(nodes, fc.nat(), (given, turn) => {
        const healthy = given.map((one) => ({ ...one, status: 'pass' as const }));
        const priorities = orderNodes(healthy, 'priority', turn).map(({ priority }) => priority);
        expect(priorities).toEqual([...priorities].sort((a, b) => a - b));
        const times = orderNodes(healthy, 'least_loaded', turn).map((one) => one.response_time_ms ?? 1_000);
        expect(times).toEqual([...times].sort((a, b) => a - b));
      }),
    );
  });

  it('puts each healthy node first equally often', () => {
    fc.assert(
      fc.property(nodes, fc.nat(1_000), (given, start) => {
        fc.pre(given.length > 0);
        const healthy = given.map((one) => ({ ...one, status: 'pass' as const }));
        const firsts = healthy.map((_, n) => orderNodes(healthy, 'round_robin', start + n)[0]?.id);
        expect(new Set(firsts).size).toBe(healthy.length);
      }),
    );
  });

  it('puts healthy nodes first equally often also beside failing ones', () => {
    const facts = (id: string, status: NodeFacts['status']): NodeFacts => ({
      id,
      status,
      priority: 1,
      response_time_ms: null,
    });
    const farm = [facts('a', 'pass'), facts('b', 'fail'), facts('c', 'pass')];
    const firsts = Array.from({ length: 12 }, (_, turn) => orderNodes(farm, 'round_robin', turn)[0]?.id);
    expect(firsts.filter((id) => id === 'a')).toHaveLength(6);
    expect(firsts.filter((id) => id === 'c')).toHaveLength(6);
  });
});
