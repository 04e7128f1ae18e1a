/** Facts about a request that only the runtime can provide. Hono passes them as `env`. */
export type Invocation = {
  client: {
    /** The IP address of the client. IPv4-mapped forms are normalised. */
    ip: string;
    /** The request used HTTPS, to this process or to the proxy in front of it. */
    secure: boolean;
    /** The peer is on the same machine, so plain HTTP is accepted. */
    loopback: boolean;
  };
  /** Runs work that continues after the response. The runtime keeps the process running for it. */
  background: (work: Promise<unknown>) => void;
  /** The runtime stops with the response, which therefore waits for work in the background. */
  stopsWithResponse?: boolean;
  /** Prepares a body that is streamed for the connection of the request. Absent: the runtime takes it as it is. */
  streamed?: (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>;
};
