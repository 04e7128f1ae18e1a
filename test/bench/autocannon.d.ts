/** The package brings no types; these are the parts that are used. */
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
    /** One after the other on each connection, instead of the one below. */
    requests?: readonly { method: string; path: string; headers: Record<string, string>; body?: string }[];
    /** GET unless given. */
    method?: 'POST';
    body?: string;
  };
  type Result = { errors: number; timeouts: number; non2xx: number; '2xx': number };
  type Run = PromiseLike<Result> & {
    on(
      event: 'response',
      listener: (client: unknown, statusCode: number, bytes: number, milliseconds: number) => void,
    ): Run;
  };
  export default function autocannon(options: Options): Run;
}
