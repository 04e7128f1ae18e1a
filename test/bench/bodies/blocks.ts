import { createHasher } from '../../../shared/identity/passwords.ts';
import { rounded } from '../load.ts';

/** Processor time in milliseconds that this process needs for some work. */
export async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Runs work and returns the longest time in milliseconds for which it blocked the event loop. Between two turns of the
 * loop only the work can run, so that a long turn is caused by the work.
 */
export async function longestBlock<T>(work: () => Promise<T>): Promise<{ block: number; result: T }> {
  let longest = 0;
  let isRunning = true;
  let last = performance.now();
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work();
  // The last part of the work belongs to a turn that has not ended.
  await new Promise((resolve) => setImmediate(resolve));
  isRunning = false;
  return { block: longest, result };
}

/** Processor time in milliseconds of one hash of a password: a request may need as much, and a turn a tenth of it. */
export async function hashTime(repeats: number): Promise<number> {
  const hasher = createHasher();
  const times: number[] = [];
  while (times.length < repeats) {
    times.push(await cpuOf(() => hasher.hash('a password')));
  }
  return rounded(Math.min(...times), 2);
}
