import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** `path` is without its query; `at` in milliseconds. */
export type Call = { method: string; path: string; query: string; headers: IncomingHttpHeaders; at: number };

/** A received request: recorded before any fault is applied. */
export type Traffic = {
  /** The latest calls, oldest first; at least 5,000 of them. */
  readonly calls: readonly Call[];
  /** Requests without a complete response, now and at most. */
  readonly inFlight: number;
  readonly maxInFlight: number;
  record(incoming: IncomingMessage, outgoing: ServerResponse): void;
  reset(): void;
};

export function createTraffic(): Traffic {
  const calls: Call[] = [];
  const traffic = {
    calls,
    inFlight: 0,
    maxInFlight: 0,
    record: ({ method = 'GET', url = '/', headers }: IncomingMessage, outgoing: ServerResponse) => {
      const [path = '/', query = ''] = url.split('?', 2);
      if (calls.length >= 10_000) calls.splice(0, 5_000);
      calls.push({ method, path, query, headers, at: Date.now() });
      traffic.inFlight += 1;
      traffic.maxInFlight = Math.max(traffic.maxInFlight, traffic.inFlight);
      outgoing.once('close', () => {
        traffic.inFlight -= 1;
      });
    },
    reset: () => {
      calls.length = 0;
      traffic.maxInFlight = traffic.inFlight;
    },
  };
  return traffic;
}
