import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderFarms } from '../../../shared/sites/calls/order.ts';

const node = fc.record({
  circuit: fc.constantFrom('closed', 'open', 'half_open'),
  circuit_failures: fc.nat(3),
  status: fc.constantFrom('pass', 'fail', 'unauthorized', 'unknown'),
  response_time_ms: fc.option(fc.nat(5_000)),
});
type Node = typeof node extends fc.Arbitrary<infer T> ? T : never;
const farmsOf = fc.array(fc.record({ nodes: fc.array(node, { maxLength: 3 }) }), { maxLength: 8 });

const good: Node = { circuit: 'closed', circuit_failures: 0, status: 'pass', response_time_ms: 10 };
const farm = (name: string, ...nodes: Partial<Node>[]) => ({
  name,
  nodes: nodes.map((given) => ({ ...good, ...given })),
});

describe('the order of farms in a call', () => {
  it('has fast farms first, then unknown ones, then those that failed, last those without a node', () => {
    const ordered = orderFarms([
      farm('none'),
      farm('open', { circuit: 'open' }),
      farm('failed', { circuit_failures: 1 }),
      farm('refused', { status: 'unauthorized', response_time_ms: 20 }),
      farm('unknown', { status: 'unknown', response_time_ms: null }),
      farm('slow', { response_time_ms: 900 }),
      farm('fast', { circuit: 'open' }, { response_time_ms: 5 }),
    ]);
    expect(ordered.map(({ name }) => name)).toEqual([
      'fast',
      'slow',
      'unknown',
      'failed',
      'refused',
      'open',
      'none',
    ]);
  });

  it('keeps the order of equal farms, and drops none', () => {
    fc.assert(
      fc.property(farmsOf, (farms) => {
        const ordered = orderFarms(farms);
        expect(new Set(ordered)).toEqual(new Set(farms));
        expect(ordered).toHaveLength(farms.length);
        expect(orderFarms(ordered)).toEqual(ordered);
      }),
    );
    const equals = ['a', 'b', 'c'].map((name) => farm(name, {}));
    expect(orderFarms(equals)).toEqual(equals);
  });
});
