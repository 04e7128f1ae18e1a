import { connect, createServer, type Socket } from 'node:net';

export type FreezableProxy = {
  /** The target's URL by way of the proxy. */
  url: string;
  /** From now on connections are accepted and nothing is passed on any more, in either direction. */
  freeze(): void;
  /** Passes on again what was held back. */
  thaw(): void;
  close(): Promise<void>;
};

/** A TCP proxy in front of a database, which can make it hang without ending a connection. */
export async function startFreezableProxy(targetUrl: string): Promise<FreezableProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket.on('error', () => undefined));
      socket.once('close', () => sockets.delete(socket));
    }
    near.on('data', (piece) => far.write(piece)).once('close', () => far.destroy());
    far.on('data', (piece) => near.write(piece)).once('close', () => near.destroy());
    if (isFrozen) for (const socket of [near, far]) socket.pause();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: Object.assign(new URL(targetUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
