import type { SingleFlight } from '../../kernel/concurrency/single-flight.ts';

/**
 * Reads that are under way in this process, by key: who asks the same meanwhile gets the same answer, or its error.
 * A key is to name everything that the read depends on, its type as well.
 */
export function createSingleFlight(): SingleFlight {
  const underWay = new Map<string, Promise<unknown>>();
  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const found = underWay.get(key);
    if (found) return found as Promise<T>;
    const started = read().finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  };
}
