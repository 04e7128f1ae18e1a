/** The package has no types; these are the parts in use. */
declare module 'autocannon/autocannon.js' {
  type Options = {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Milliseconds. */
    sampleInt: number;
    /** Requests a second of all connections together. */
    overallRate?: number;
    headers?: Record<string, string>;
    /** Sequentially on each connection, instead of the rate below. */
    requests?: readonly { method: string; path: string; headers: Record<string, string>; body?: string }[];
    /** Default GET. */
    method?: 'POST';
    body?: string;
    /** Called for each connection. */
    setupClient?: (client: Client) => void;
  };
  export type Client = { setHeaders(headers: Record<string, string>): void };
  type Result = { errors: number; timeouts: number; non2xx: number; '2xx': number };
  type Run = PromiseLike<Result> & {
    on(
      event: 'response',
      listener: (client: unknown, statusCode: number, bytes: number, milliseconds: number) => void,
    ): Run;
  };
  export default function autocannon(options: Options): Run;
}
