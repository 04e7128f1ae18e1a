import { AppError } from '../errors.ts';

/** Runs the work now or as soon as its turn comes. */
export type Semaphore = <T>(work: () => PromiseLike<T>) => Promise<T>;

/**
 * Lets at most `width` run at once; the others wait in line, in their order.
 * @throws AppError `overloaded` for one more than `maxWaiting` in line
 */
export function createSemaphore(width: number, maxWaiting = Number.POSITIVE_INFINITY): Semaphore {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async function turn(work) {
    if (running >= width) {
      if (waiting.length >= maxWaiting) throw new AppError('overloaded');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // The place passes to the next one in line; only when nobody waits does it become free.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
