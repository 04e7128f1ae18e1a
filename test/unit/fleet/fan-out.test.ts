import { describe, expect, it } from 'vitest';
import { AppError } from '../../../shared/kernel/errors.ts';
import { fanOut } from '../../../shared/sites/calls/fan-out.ts';

const items = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Tasks that a test ends itself, and the number of concurrent ones. */
function gate() {
  const waiting: (() => void)[] = [];
  let most = 0;
  return {
    most: () => most,
    waiting,
    enter: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        most = Math.max(most, waiting.length);
      }),
  };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a fan-out', () => {
  it('returns one outcome per item, in their order, whatever ends first', async () => {
    const held = gate();
    const all = fanOut(items(4), 5_000, async (n) => {
      await held.enter();
      if (n === 2) throw new Error('two');
      return n * 10;
    });
    await turn();
    for (const end of held.waiting.reverse()) end();
    const outcomes = await all;
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.value : String(outcome.error)))).toEqual([
      0,
      10,
      'Error: two',
      30,
    ]);
    for (const { tookMs } of outcomes) expect(tookMs).toBeGreaterThanOrEqual(0);
  });

  it('has at most six concurrent tasks', async () => {
    const held = gate();
    const all = fanOut(items(20), 5_000, held.enter);
    for (let done = 0; done < 20; ) {
      await turn();
      const ready = held.waiting.splice(0);
      done += ready.length;
      for (const end of ready) end();
    }
    expect(await all).toHaveLength(20);
    expect(held.most()).toBe(6);
  });

  it('returns at the deadline, aborts running tasks, and starts no others', async () => {
    const begun: number[] = [];
    const aborted: number[] = [];
    const started = performance.now();
    const outcomes = await fanOut(items(9), 60, async (n, signal) => {
      begun.push(n);
      if (n === 1) return 'quick';
      signal.addEventListener('abort', () => aborted.push(n));
      return never(signal);
    });
    expect(performance.now() - started).toBeLessThan(1_000);
    const codes = outcomes.map((outcome) =>
      outcome.ok
        ? outcome.value
        : outcome.error instanceof AppError
          ? outcome.error.code
          : String(outcome.error),
    );
    expect(codes.filter((code) => code === 'quick')).toEqual(['quick']);
    expect(codes).toHaveLength(9);
    await turn();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(aborted).toEqual([0, 2, 3, 4, 5, 6]);
    expect(codes[8]).toBe('upstream_timeout');
  });

  it('does not wait for tasks that ignore the abort', async () => {
    const [outcome] = await fanOut([1], 30, () => new Promise<never>(() => undefined));
    expect(outcome).toMatchObject({ ok: false, error: { code: 'upstream_timeout' } });
  });

  it('returns at once for no items', async () => {
    expect(await fanOut([], 5_000, async () => 1)).toEqual([]);
  });
});
