/** Token buckets by key. Each holds at most `limit` requests and refills at a constant rate of `limit` per minute. */
export type TokenBuckets = {
  has(key: string): boolean;
  /**
   * Takes one request from the bucket of the key. A limit of 0 disables the limit.
   * @returns 0 if a request was taken, otherwise the seconds until one is available
   */
  take(key: string, limit: number, nowMs: number): number;
  /** Undoes a `take`. */
  giveBack(key: string): void;
  forget(key: string): void;
};

/** @param most maximum number of keys; the least recently used one is evicted and starts over with a full bucket */
export function createTokenBuckets(most: number): TokenBuckets {
  const buckets = new Map<string, { level: number; atMs: number }>();
  return {
    has: (key) => buckets.has(key),
    take: (key, limit, nowMs) => {
      const found = buckets.get(key) ?? { level: Number.POSITIVE_INFINITY, atMs: nowMs };
      const gained = (Math.max(0, nowMs - found.atMs) / 60_000) * limit;
      const level = limit === 0 ? Number.POSITIVE_INFINITY : Math.min(limit, found.level + gained);
      // A map keeps the insertion order, so a used key moves to the end.
      buckets.delete(key);
      const [oldest] = buckets.size >= most ? buckets.keys() : [];
      if (oldest !== undefined) buckets.delete(oldest);
      buckets.set(key, { level: level < 1 ? level : level - 1, atMs: nowMs });
      return level < 1 ? ((1 - level) * 60) / limit : 0;
    },
    giveBack: (key) => {
      const found = buckets.get(key);
      if (found) found.level += 1;
    },
    forget: (key) => void buckets.delete(key),
  };
}
