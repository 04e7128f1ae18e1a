/**
 * Runs a read, or joins a running read with the same key. Available only on runtimes where a promise may outlive the
 * request that created it; not on Workers.
 */
export type SingleFlight = <T>(key: string, read: () => Promise<T>) => Promise<T>;
