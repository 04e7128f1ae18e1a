import type { RestState } from './deps.ts';

/**
 * The last value (absent before the first successful read), whether it is fresh, its age, and how long the caller
 * waited.
 */
export type CachedValue<T> = { value: T | undefined; isFresh: boolean; ageS: number; waitedS: number };

/**
 * Returns a cached reader. At most one read runs at a time. A caller waits for it at most `patienceMs` and then gets
 * the cached value. A read that ends later updates the cache. While the sidecar rests, the value of the last read counts
 * as fresh.
 * @param onFailure is called for every failed read
 */
export function cachedReader<T>(
  read: () => Promise<T>,
  patienceMs: number,
  onFailure: (error: unknown) => void,
  rest: RestState = neverResting,
): () => Promise<CachedValue<T>> {
  let cached: { value: T; at: number } | undefined;
  let running: Promise<boolean> | undefined;
  const startRead = async (): Promise<boolean> => {
    try {
      cached = { value: await read(), at: performance.now() };
      return true;
    } catch (error) {
      onFailure(error);
      return false;
    } finally {
      running = undefined;
    }
  };
  rest.beforeRest(startRead);
  return async () => {
    const startedAt = performance.now();
    const isSpared = rest.isResting() && cached !== undefined;
    if (!isSpared) running ??= startRead();
    const isFresh = isSpared || (await inTime(running ?? startRead(), patienceMs));
    const now = performance.now();
    const ageS = cached ? (now - cached.at) / 1000 : 0;
    return { value: cached?.value, isFresh, ageS, waitedS: (now - startedAt) / 1000 };
  };
}

const neverResting: RestState = { isResting: () => false, beforeRest: () => undefined };

/** @returns false if the read fails or does not end within `patienceMs` */
async function inTime(read: Promise<boolean>, patienceMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), patienceMs);
  try {
    return await Promise.race([read, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
