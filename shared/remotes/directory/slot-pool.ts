import { AppError } from '../../kernel/errors.ts';

/** A semaphore with a wait timeout; slots are assigned in FIFO order. */
export type SlotPool = {
  /** @throws AppError `overloaded` if the queue is full, or after `waitMs` milliseconds */
  take(waitMs: number): Promise<void>;
  give(): void;
};

export function createSlotPool(width: number, maxWaiting: number): SlotPool {
  let taken = 0;
  const waiting = new Set<() => void>();
  return {
    take: async (waitMs) => {
      if (taken < width) {
        taken += 1;
        return;
      }
      if (waiting.size >= maxWaiting) throw new AppError('overloaded');
      const slot = Promise.withResolvers<void>();
      waiting.add(slot.resolve);
      const timer = setTimeout(() => {
        waiting.delete(slot.resolve);
        slot.reject(new AppError('overloaded'));
      }, waitMs);
      try {
        await slot.promise;
      } finally {
        clearTimeout(timer);
      }
    },
    give: () => {
      const [next] = waiting;
      if (next === undefined) {
        taken -= 1;
        return;
      }
      // The slot passes to the next waiter, so that a new caller cannot overtake.
      waiting.delete(next);
      next();
    },
  };
}
