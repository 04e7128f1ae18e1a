/**
 * Runs a read, or joins the one of the same key that is under way. Only where promises may outlive the request that
 * made them; elsewhere there is none.
 */
export type SingleFlight = <T>(key: string, read: () => Promise<T>) => Promise<T>;
