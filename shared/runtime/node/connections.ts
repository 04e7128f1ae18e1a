import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { networkOf } from '../../kernel/networks.ts';
import { type Connection, type ConnectionLimits, ConnectionTable } from './connection-table.ts';
import { createDescriptorGauge } from './descriptor-gauge.ts';

export type Connections = {
  /** Stops listening and ends connections as they become idle. What is left at `deadline` is closed. */
  close(deadline: AbortSignal): Promise<void>;
};

/**
 * Limits the connections of a server and closes idle ones first: at the limits, and when descriptors are scarce. A
 * connection is idle while it has no request in flight, so a TLS handshake and an incomplete request are idle, too.
 * Node's `closeIdleConnections` spares both.
 */
export function limitConnections(server: HttpServer | HttpsServer, limits: ConnectionLimits): Connections {
  const gauge = createDescriptorGauge(limits.total);
  const close = (socket: Socket): void => void socket.destroy();
  const isScarce = (): boolean => gauge.excess(table.size + 1) > 0;
  const table: ConnectionTable<Socket> = new ConnectionTable(limits, close, isScarce);
  const stopRelief = gauge.watch(table);
  const answers = new Set<ServerResponse>();
  let isClosing = false;
  const connectionOf = track(server, table, () => isClosing);
  server.on('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    const connection = connectionOf(socket);
    if (isClosing) answer.shouldKeepAlive = false;
    if (!connection) return;
    answers.add(answer);
    table.begin(connection);
    answer.once('close', () => {
      answers.delete(answer);
      table.end(connection);
      if (isClosing && connection.requests === 0) socket.destroySoon();
    });
  });
  return {
    close: async (deadline) => {
      isClosing = true;
      stopRelief();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      while (table.closeOldest());
      for (const answer of answers) if (!answer.headersSent) answer.shouldKeepAlive = false;
      const cutOff = () => {
        for (const { socket } of table.all()) socket.destroy();
      };
      deadline.addEventListener('abort', cutOff, { once: true });
      if (deadline.aborted) cutOff();
      await closed;
    },
  };
}

/** Enters the connections of the server in the table. @returns the connection of a TCP or TLS socket */
function track(
  server: HttpServer | HttpsServer,
  table: ConnectionTable<Socket>,
  isClosing: () => boolean,
): (socket: Socket) => Connection<Socket> | undefined {
  const known = new WeakMap<Socket, Connection<Socket>>();
  const handshakes = new Map<string, Connection<Socket>>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // Without an address the client has reset the connection already.
    const isLost = isClosing() || remoteAddress === undefined;
    const connection = isLost ? undefined : table.admit(socket, networkOf(remoteAddress));
    if (!connection) return void socket.destroy();
    const key = addressesOf(socket);
    known.set(socket, connection);
    handshakes.set(key, connection);
    socket.once('close', () => {
      table.remove(connection);
      if (handshakes.get(key) === connection) handshakes.delete(key);
    });
  });
  // The TLS socket and the TCP socket below it are different objects that can only be matched by their addresses.
  server.on('secureConnection', (secured: Socket) => {
    const connection = handshakes.get(addressesOf(secured));
    if (connection) known.set(secured, connection);
    else secured.destroy();
  });
  return (socket) => known.get(socket);
}

const addressesOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
