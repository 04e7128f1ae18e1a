import { AppError } from '../errors.ts';

/** Runs the work immediately if a slot is free, otherwise when a slot becomes free. */
export type Semaphore = <T>(work: () => PromiseLike<T>) => Promise<T>;

/**
 * At most `width` units of work run at once; further callers wait in FIFO order.
 * @throws AppError `overloaded` if `maxWaiting` callers wait already
 */
export function createSemaphore(width: number, maxWaiting = Number.POSITIVE_INFINITY): Semaphore {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async function runInSlot(work) {
    if (running >= width) {
      if (waiting.length >= maxWaiting) throw new AppError('overloaded');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // The slot passes to the next waiter and becomes free only if the queue is empty.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
