/** The used part of the Workers runtime API. */
// biome-ignore lint/correctness/noUnresolvedImports: provided by the runtime, not by a package
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
