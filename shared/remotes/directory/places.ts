import { AppError } from '../../kernel/errors.ts';

/** A limited number of places, given in the order in which they were asked for. */
export type Places = {
  /** @throws AppError `overloaded` when the line is full, or the wait lasts longer than this */
  take(waitMs: number): Promise<void>;
  give(): void;
};

export function createPlaces(width: number, maxWaiting: number): Places {
  let taken = 0;
  const waiting = new Set<() => void>();
  return {
    take: async (waitMs) => {
      if (taken < width) {
        taken += 1;
        return;
      }
      if (waiting.size >= maxWaiting) throw new AppError('overloaded');
      const turn = Promise.withResolvers<void>();
      waiting.add(turn.resolve);
      const timer = setTimeout(() => {
        waiting.delete(turn.resolve);
        turn.reject(new AppError('overloaded'));
      }, waitMs);
      try {
        await turn.promise;
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
      // The place passes on, so that a newcomer does not overtake.
      waiting.delete(next);
      next();
    },
  };
}
