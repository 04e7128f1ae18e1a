import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { createTcp } from '../../../shared/remotes/kerberos/node.ts';
import { createKdcRemote } from '../../../shared/remotes/kerberos/transport.ts';

/** A TCP server in place of a KDC. */
export type TcpStand = { address: string; connections(): number; close(): Promise<void> };

/** Calls `answer` with the connection for each message. */
export async function startStand(answer: (message: Buffer, socket: Socket) => unknown): Promise<TcpStand> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4 || received.length < 4 + received.readUInt32BE()) return;
      void answer(received.subarray(4), socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A message with its length prefix. */
export function frame(message: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  return Buffer.concat([length, message]);
}

/** Sends the request to a real KDC. */
export const ask = (address: string, message: Uint8Array): Promise<Buffer> =>
  createKdcRemote(createTcp({ allowedNetworks: ['127.0.0.0/8'] })).ask(
    { kdcs: [address], deadlineMs: 5_000 },
    message,
  );

/** A proxy between the portal and a KDC; `change` gets the number of the message and the reply. */
export const startProxy = (
  address: string,
  change: (message: Buffer, reply: Buffer) => Buffer | Promise<Buffer>,
): Promise<TcpStand> =>
  startStand(async (message, socket) => {
    socket.write(frame(await change(message, await ask(address, message))));
  });
