import type { SingleFlight } from '../../kernel/concurrency/single-flight.ts';

/**
 * Shares running reads of this process by key: concurrent callers get the same result or error. The key must include
 * everything that the read depends on, including its type.
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
