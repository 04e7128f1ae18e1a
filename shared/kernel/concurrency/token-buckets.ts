/** Quotas by key: each holds `limit` requests and fills evenly by as many a minute. */
export type TokenBuckets = {
  has(key: string): boolean;
  /**
   * Takes one request from the quota of the key; a limit of 0 is none.
   * @returns 0, or the seconds until one is there when there is none
   */
  take(key: string, limit: number, nowMs: number): number;
  /** Undoes a `take`. */
  giveBack(key: string): void;
  forget(key: string): void;
};

/** @param most keys that are remembered; the one unused for longest goes, and is as if it had never been used */
export function createTokenBuckets(most: number): TokenBuckets {
  const buckets = new Map<string, { level: number; atMs: number }>();
  return {
    has: (key) => buckets.has(key),
    take: (key, limit, nowMs) => {
      const found = buckets.get(key) ?? { level: Number.POSITIVE_INFINITY, atMs: nowMs };
      const gained = (Math.max(0, nowMs - found.atMs) / 60_000) * limit;
      const level = limit === 0 ? Number.POSITIVE_INFINITY : Math.min(limit, found.level + gained);
      // A map keeps the order of insertion: whatever is used moves to its end.
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
