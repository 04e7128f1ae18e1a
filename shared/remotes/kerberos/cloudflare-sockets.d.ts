/** What the runtime of Workers has; these are the parts that are used. */
// biome-ignore lint/correctness/noUnresolvedImports: the runtime has it, no package
declare module 'cloudflare:sockets' {
  type Socket = {
    readonly opened: Promise<unknown>;
    readonly closed: Promise<void>;
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
    close(): Promise<void>;
  };
  export function connect(
    address: { hostname: string; port: number },
    options: { secureTransport: 'off'; allowHalfOpen: boolean },
  ): Socket;
}
