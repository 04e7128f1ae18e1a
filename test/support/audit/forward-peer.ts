import { once } from 'node:events';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { decodeMultiStream, ExtData, encode } from '@msgpack/msgpack';
import { type Doorkeeper, openDoor } from './forward-door.ts';

type Record_ = Record<string, unknown>;
type ReceivedEntry = { tag: string; at: Date; record: Record_ };

/** The receiving side of Fluentd's forward protocol on a real socket, according to its specification. */
export type ForwardPeer = {
  url: string;
  port: number;
  /** Entries in the order of arrival, including unacknowledged ones. */
  received: ReceivedEntry[];
  /** Closes all connections and the listener. */
  stop(): Promise<void>;
};

/** Authentication and transport of the peer; default: none, over TCP. */
export type Entrance = { door?: Doorkeeper; tls?: { cert: string; key: string } };

/**
 * @param answer the response to a chunk: its acknowledgement, that of another one, none, or a closed connection
 */
export async function startForwardPeer(
  answer: () => 'acknowledge' | 'another' | 'nothing' | 'cut' = () => 'acknowledge',
  port = 0,
  { door, tls }: Entrance = {},
): Promise<ForwardPeer> {
  const received: ReceivedEntry[] = [];
  const sockets = new Set<Socket>();
  const welcome = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    void receive(socket).catch(() => socket.destroy());
  };
  const server: Server = tls ? createTlsServer(tls, welcome) : createTcpServer(welcome);
  async function receive(socket: Socket): Promise<void> {
    const messages = decodeMultiStream(socket);
    if (door && !(await openDoor(door, socket, messages))) return void socket.end();
    for await (const message of messages) {
      const chunk = take(message, received);
      const response = answer();
      if (response === 'cut') socket.destroy();
      if (response === 'acknowledge') socket.write(encode({ ack: chunk }));
      if (response === 'another') socket.write(encode({ ack: `not ${chunk}` }));
    }
    socket.end();
  }
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the peer has no port');
  return {
    url: tls ? `tls://localhost:${address.port}` : `tcp://127.0.0.1:${address.port}`,
    port: address.port,
    received,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Parses a message of the Forward mode strictly. @returns its chunk */
function take(message: unknown, received: ReceivedEntry[]): string {
  if (!Array.isArray(message) || message.length !== 3) throw new Error('not a message of the Forward mode');
  const [tag, entries, options]: unknown[] = message;
  if (typeof tag !== 'string' || !Array.isArray(entries))
    throw new Error('not a message of the Forward mode');
  for (const [time, record] of entries) received.push({ tag, at: momentOf(time), record });
  const { chunk, size } = options as { chunk: unknown; size: unknown };
  if (typeof chunk !== 'string' || size !== entries.length) throw new Error('options that do not fit');
  return chunk;
}

function momentOf(time: unknown): Date {
  if (!(time instanceof ExtData) || time.type !== 0 || !(time.data instanceof Uint8Array))
    throw new Error('not an event time');
  const view = new DataView(time.data.buffer, time.data.byteOffset, 8);
  return new Date(view.getUint32(0) * 1_000 + view.getUint32(4) / 1e6);
}
