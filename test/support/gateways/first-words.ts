import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

export type Relay = {
  port: number;
  /** The first bytes of each connection, as Latin-1. */
  beginnings: readonly string[];
  stop(): Promise<void>;
};

type Ways = {
  /** The target of connections. */
  to: number;
  /** The own response of the relay to the first bytes, which are then not forwarded. */
  answer?: string;
};

/** A proxy in place of a gateway: records the first bytes of each connection and forwards everything. */
export async function startRelay({ to, answer }: Ways): Promise<Relay> {
  const beginnings: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = createConnection(to, '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      open.add(socket);
      socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
    }
    incoming.once('data', (first) => {
      beginnings.push(first.toString('latin1'));
      if (answer === undefined) outgoing.write(first);
      else incoming.write(answer);
      incoming.pipe(outgoing);
      outgoing.pipe(incoming);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    beginnings,
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
