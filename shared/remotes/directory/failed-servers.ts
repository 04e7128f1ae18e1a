/** Time in milliseconds for which a failed server is tried last. */
const avoidedMs = 30_000;
const maxEntries = 1_000;

/** Servers that failed recently. */
export type FailedServers = {
  has(host: string): boolean;
  add(host: string): void;
  remove(host: string): void;
  /** Returns the hosts, with those that failed recently last. */
  inOrder(hosts: readonly string[]): string[];
};

/** @param now monotonic clock in milliseconds */
export function createFailedServers(
  onAdd: (host: string) => void = () => undefined,
  now: () => number = () => performance.now(),
): FailedServers {
  const failedAt = new Map<string, number>();
  const has = (host: string): boolean => (failedAt.get(host) ?? Number.NEGATIVE_INFINITY) > now() - avoidedMs;
  return {
    has,
    add: (host) => {
      const [oldest] = failedAt.size >= maxEntries ? failedAt.keys() : [];
      if (oldest !== undefined) failedAt.delete(oldest);
      failedAt.set(host, now());
      onAdd(host);
    },
    remove: (host) => void failedAt.delete(host),
    inOrder: (hosts) => [...hosts.filter((host) => !has(host)), ...hosts.filter(has)],
  };
}
