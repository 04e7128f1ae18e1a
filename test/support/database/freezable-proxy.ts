import { connect, createServer, type Server, type Socket } from 'node:net';

export type FreezableProxy = {
  /** The target's URL through the proxy. */
  url: string;
  /** From now on connections are accepted, but no data is forwarded in either direction. */
  freeze(): void;
  /** Forwards the data that was held back. */
  thaw(): void;
  /** Ends all connections. New ones lead to another target. */
  redirect(targetUrl: string): void;
  /** Ends all connections, and refuses every new one until `restore`. */
  cut(): void;
  restore(): void;
  /** Resolves once something was sent to the target, and held back. */
  held(): Promise<void>;
  close(): Promise<void>;
};

/** A TCP proxy in front of a database, which can make it hang without ending a connection. */
export async function startFreezableProxy(targetUrl: string): Promise<FreezableProxy> {
  let target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const answering = new Set<Socket>();
  let isFrozen = false;
  let isCut = false;
  let held = Promise.withResolvers<void>();
  let release = Promise.withResolvers<void>();
  /** Data for the target is read even while frozen, so that the test can detect that it was sent. */
  const passOn = async (piece: Buffer, far: Socket) => {
    if (isFrozen) {
      held.resolve();
      await release.promise;
    }
    far.write(piece);
  };
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket.on('error', () => undefined));
      socket.once('close', () => sockets.delete(socket));
    }
    answering.add(far.once('close', () => answering.delete(far)));
    near.on('data', (piece) => void passOn(piece, far)).once('close', () => far.destroy());
    far.on('data', (piece) => near.write(piece)).once('close', () => near.destroy());
    if (isFrozen) far.pause();
  });
  return {
    url: await proxiedUrl(server, targetUrl),
    freeze: () => {
      isFrozen = true;
      held = Promise.withResolvers();
      release = Promise.withResolvers();
      for (const socket of answering) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      release.resolve();
      for (const socket of answering) socket.resume();
    },
    redirect: (next) => {
      target = new URL(next);
      for (const socket of sockets) socket.destroy();
    },
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    restore: () => {
      isCut = false;
    },
    held: () => held.promise,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

/** Makes a proxy listen on a free port. @returns the target's URL through the proxy */
export async function proxiedUrl(server: Server, targetUrl: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return Object.assign(new URL(targetUrl), { hostname: '127.0.0.1', port: String(port) }).href;
}
