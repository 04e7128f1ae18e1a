import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Connection, ConnectionTable } from '../../../shared/runtime/node/connection-table.ts';

type Step =
  | { kind: 'connect'; address: number }
  | { kind: 'begin' | 'end' | 'leave' | 'oldest'; which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('connect' as const), address: fc.nat(3) }) },
  fc.record({ kind: fc.constantFrom('begin', 'end', 'leave', 'oldest'), which: fc.nat(20) }),
);

/** The same rules in a simple form: idle connections in a list, the oldest first. */
function createModel(total: number, perAddress: number) {
  const open: { id: number; address: number; requests: number }[] = [];
  const idle: number[] = [];
  const closed: number[] = [];
  const drop = (id: number | undefined): boolean => {
    if (id === undefined) return false;
    open.splice(
      open.findIndex((one) => one.id === id),
      1,
    );
    if (idle.includes(id)) idle.splice(idle.indexOf(id), 1);
    return true;
  };
  const close = (candidates: number[]): boolean => {
    const [oldest] = candidates;
    if (oldest !== undefined) closed.push(oldest);
    return drop(oldest);
  };
  const of = (address: number) => open.filter((one) => one.address === address);
  return {
    closed,
    ids: () => open.map(({ id }) => id),
    connect: (id: number, address: number): boolean => {
      const own = idle.filter((one) => of(address).some((other) => other.id === one));
      const isOwnLimit = of(address).length >= perAddress;
      const isLimit = !isOwnLimit && open.length >= total;
      const isLargest = of(address).length * 2 > open.length;
      if (isOwnLimit && !close(own)) return false;
      if (isLimit && !((isLargest && close(own)) || close(idle))) return false;
      open.push({ id, address, requests: 0 });
      idle.push(id);
      return true;
    },
    begin: (id: number) => {
      const one = open.find((other) => other.id === id);
      if (!one) return;
      one.requests += 1;
      if (idle.includes(id)) idle.splice(idle.indexOf(id), 1);
    },
    end: (id: number) => {
      const one = open.find((other) => other.id === id);
      if (!one || one.requests === 0) return;
      one.requests -= 1;
      if (one.requests === 0) idle.push(id);
    },
    leave: (id: number) => void (open.some((one) => one.id === id) && drop(id)),
    oldest: () => close(idle),
  };
}

type Tried = {
  table: ConnectionTable<number>;
  model: ReturnType<typeof createModel>;
  known: Connection<number>[];
};

/** Applies the same to both. */
function takeStep({ table, model, known }: Tried, id: number, next: Step): void {
  if (next.kind === 'oldest') {
    expect(table.closeOldest()).toBe(model.oldest());
    return;
  }
  if (next.kind === 'connect') {
    const connection = table.admit(id, `192.0.2.${next.address}`);
    expect(connection !== undefined).toBe(model.connect(id, next.address));
    if (connection) known.push(connection);
    return;
  }
  const connection = known[next.which % Math.max(1, known.length)];
  // A server ends only requests that have begun.
  if (!connection || (next.kind === 'end' && connection.requests === 0)) return;
  if (next.kind === 'leave') table.remove(connection);
  else table[next.kind](connection);
  model[next.kind](connection.socket);
}

describe('connection limits', () => {
  it('close the same connections as a simple reference list, in every order of events', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 60 }),
        (total, perAddress, steps) => {
          const closed: number[] = [];
          const table = new ConnectionTable<number>({ total, perAddress }, (id) => void closed.push(id));
          const model = createModel(total, perAddress);
          const known: Connection<number>[] = [];
          for (const [id, next] of steps.entries()) takeStep({ table, model, known }, id, next);
          expect(closed).toEqual(model.closed);
          expect([...table.all()].map(({ socket }) => socket)).toEqual(model.ids());
          expect(table.size).toBe(model.ids().length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuse a connection without a free descriptor, unless an idle one can be closed', () => {
    const closed: string[] = [];
    let isScarce = false;
    const limits = { total: 10, perAddress: 10 };
    const table = new ConnectionTable<string>(
      limits,
      (socket) => void closed.push(socket),
      () => isScarce,
    );
    const first = table.admit('first', '192.0.2.1');
    table.admit('second', '192.0.2.1');
    if (first) table.begin(first);
    isScarce = true;
    expect(table.admit('third', '192.0.2.2')?.socket).toBe('third');
    expect(closed).toEqual(['second']);
    const third = [...table.all()].find(({ socket }) => socket === 'third');
    if (third) table.begin(third);
    expect(table.admit('fourth', '192.0.2.3')).toBeUndefined();
  });
});
