/** What a runtime knows of one request besides the request itself; Hono hands it on as `env`. */
export type Invocation = {
  client: {
    /** The client's address, IPv4-mapped forms normalised. */
    ip: string;
    /** The request came by HTTPS, to us or to the proxy in front of us. */
    secure: boolean;
    /** The peer is this machine: plain HTTP is then accepted. */
    loopback: boolean;
  };
  /** Work that goes on after the answer; the runtime keeps the process alive for it. */
  background: (work: Promise<unknown>) => void;
};
