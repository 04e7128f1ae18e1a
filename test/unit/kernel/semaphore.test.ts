import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../../../shared/kernel/concurrency/semaphore.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Tasks that a test ends itself, in the order in which they began. */
function heldWork() {
  const begun: { name: string; end: (error?: Error) => void }[] = [];
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push({ name, end: (error) => (error ? reject(error) : resolve(name)) });
    });
  return { begun, names: () => begun.map(({ name }) => name), work };
}

describe('a semaphore', () => {
  it('admits a fixed number of concurrent tasks, and the others in their order', async () => {
    const { begun, names, work } = heldWork();
    const turn = createSemaphore(2);
    const all = ['a', 'b', 'c', 'd'].map((name) => turn(work(name)));
    expect(names()).toEqual(['a', 'b']);
    begun[1]?.end();
    await settled();
    expect(names()).toEqual(['a', 'b', 'c']);
    begun[0]?.end();
    begun[2]?.end();
    await settled();
    begun[3]?.end();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('releases the slot of a failed task', async () => {
    const { begun, names, work } = heldWork();
    const turn = createSemaphore(1);
    const failing = turn(work('a'));
    const next = turn(work('b'));
    begun[0]?.end(new Error('lost'));
    await expect(failing).rejects.toThrow('lost');
    begun[1]?.end();
    expect(await next).toBe('b');
    expect(names()).toEqual(['a', 'b']);
  });

  it('refuses tasks when the queue is full, and accepts others when it is free again', async () => {
    const { begun, work } = heldWork();
    const turn = createSemaphore(1, 0);
    const first = turn(work('a'));
    await expect(turn(work('b'))).rejects.toMatchObject({ code: 'overloaded' });
    begun[0]?.end();
    await first;
    const later = turn(work('c'));
    begun[1]?.end();
    expect(await later).toBe('c');
  });
});
