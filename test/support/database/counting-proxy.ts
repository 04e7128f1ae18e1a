import { connect, createServer, type Socket } from 'node:net';
import { proxiedUrl } from './freezable-proxy.ts';

export type CountingProxy = {
  /** The target's URL through the proxy. */
  url: string;
  /**
   * How often a client has sent something after an answer, on all connections: the number of times that the network
   * delays the work. A new connection counts its own messages (start-up, authentication).
   */
  trips(): number;
  /** Bytes from and to clients. */
  bytes(): { sent: number; received: number };
  close(): Promise<void>;
};

type Options = {
  /** Delay in milliseconds of each direction. It also keeps messages that were sent together in one trip. Default 2. */
  delayMs?: number;
};

/** A TCP proxy in front of a database or of Neon's proxy, which delays both directions and counts round trips. */
export async function startCountingProxy(
  targetUrl: string,
  { delayMs = 2 }: Options = {},
): Promise<CountingProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const bytes = { sent: 0, received: 0 };
  let trips = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let isWaiting = false;
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      sockets.add(socket.on('error', () => undefined));
      socket.once('close', () => sockets.delete(socket));
    }
    near.on('data', (piece) => {
      bytes.sent += piece.length;
      if (!isWaiting) trips++;
      isWaiting = true;
      setTimeout(() => far.write(piece), delayMs);
    });
    far.on('data', (piece) => {
      bytes.received += piece.length;
      setTimeout(() => {
        isWaiting = false;
        near.write(piece);
      }, delayMs);
    });
    near.once('close', () => setTimeout(() => far.destroy(), delayMs));
    far.once('close', () => setTimeout(() => near.destroy(), delayMs));
  });
  return {
    url: await proxiedUrl(server, targetUrl),
    trips: () => trips,
    bytes: () => ({ ...bytes }),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
