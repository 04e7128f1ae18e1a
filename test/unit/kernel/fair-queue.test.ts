import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairQueue } from '../../../shared/kernel/concurrency/fair-queue.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A semaphore of width 1, whose tasks the test ends one by one, in the order in which they began. */
function gate(most: number, shares: Record<string, number> = { all: 1 }) {
  const begun: { name: string; end: () => void }[] = [];
  const refused: string[] = [];
  const turn = createFairQueue(1, most, shares);
  const come = (name: string, owner: string, line = 'all'): void => {
    const work = () => new Promise<void>((resolve) => begun.push({ name, end: resolve }));
    turn({ line, owner }, work).catch((error: { code: string }) => refused.push(`${name} ${error.code}`));
  };
  const names = async (): Promise<string[]> => {
    for (let at = 0; at < begun.length; at++) {
      begun[at]?.end();
      await settled();
    }
    return begun.map(({ name }) => name);
  };
  return { come, names, refused };
}

describe('a fair semaphore', () => {
  it('serves the owners of a queue in turn, each in their own order', async () => {
    const { come, names } = gate(10);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) come(name, name.slice(0, 1));
    expect(await names()).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('gives every queue its share of slots while it has waiting work', async () => {
    const { come, names } = gate(20, { first: 2, second: 1 });
    come('now', 'x', 'first');
    for (let at = 0; at < 6; at++) {
      come('f', 'x', 'first');
      come('s', 'y', 'second');
    }
    const order = (await names()).slice(1, 10);
    expect(order.filter((name) => name === 'f')).toHaveLength(6);
    expect(order.filter((name) => name === 's')).toHaveLength(3);
  });

  it('does not save slots for a queue that was empty', async () => {
    const { come, names } = gate(20, { first: 1, second: 1 });
    for (let at = 0; at < 9; at++) come('f', 'x', 'first');
    const order = names();
    await settled();
    await settled();
    for (let at = 0; at < 3; at++) come('s', 'y', 'second');
    const after = (await order).join('');
    expect(after).not.toContain('sss');
    expect(after).toMatch(/^f+(?:sf){2}sf+$/);
  });

  it('evicts the last entry of the largest owner for another owner, but not for an equal one', async () => {
    const { come, names, refused } = gate(4);
    for (const name of ['a0', 'a1', 'a2', 'a3', 'a4', 'a5']) come(name, 'a');
    come('b1', 'b');
    come('c1', 'c');
    await settled();
    expect(refused).toEqual(['a5 overloaded', 'a4 overloaded', 'a3 overloaded']);
    come('b2', 'b');
    come('d1', 'd');
    await settled();
    expect(refused.slice(3)).toEqual(['b2 overloaded', 'a2 overloaded']);
    expect(await names()).toEqual(['a0', 'a1', 'b1', 'c1', 'd1']);
  });

  it('evicts no entry of another queue, however full the own one is', async () => {
    const { come, names, refused } = gate(2, { first: 1, second: 1 });
    for (const name of ['a0', 'a1', 'a2', 'a3']) come(name, 'a', 'first');
    come('b1', 'b', 'second');
    expect(refused).toEqual([]);
    await settled();
    expect(refused).toEqual(['a3 overloaded']);
    expect((await names()).sort()).toEqual(['a0', 'a1', 'a2', 'b1']);
  });

  it('runs or refuses each task exactly once, in every order of arrival', async () => {
    const one = fc.record({
      owner: fc.constantFrom('a', 'b', 'c'),
      line: fc.constantFrom('first', 'second'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(one, { maxLength: 40 }),
        fc.integer({ min: 0, max: 6 }),
        async (all, most) => {
          const { come, names, refused } = gate(most, { first: 3, second: 1 });
          all.forEach(({ owner, line }, at) => void come(`n${at}`, owner, line));
          await settled();
          const ran = await names();
          const seen = [...ran, ...refused.map((text) => text.split(' ')[0])].sort();
          expect(seen).toEqual(all.map((_, at) => `n${at}`).sort());
        },
      ),
    );
  });
});
