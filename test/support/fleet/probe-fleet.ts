import { once } from 'node:events';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createAuthority } from '../../simulator/authority.ts';

/** Nodes of one process, each on a separate port, with only a health check. */
export type ProbeFleet = {
  caPem: string;
  urls: string[];
  /** From now on these accept connections, and send nothing, not even a handshake. */
  hang(numbers: readonly number[]): void;
  /** They answer again; requests received meanwhile stay unanswered. */
  recover(numbers: readonly number[]): void;
  close(): Promise<void>;
};

export async function startProbeFleet(count: number): Promise<ProbeFleet> {
  const authority = await createAuthority();
  const hanging = new Set<number>();
  const sockets = new Map<Socket, number>();
  const numberAt = new Map<number, number>();
  const https = createHttps(await authority.issue(), (request, response) => {
    const number = numberAt.get(request.socket.localPort ?? 0) ?? -1;
    if (hanging.has(number)) return;
    const isHealth = request.url === '/api/health/check';
    response.writeHead(isHealth ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isHealth ? '{"version":"1","status":"pass"}' : '{}');
  });
  https.on('tlsClientError', () => undefined);
  const accept = (number: number) => (socket: Socket) => {
    sockets.set(socket, number);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
    if (hanging.has(number)) socket.resume();
    else https.emit('connection', socket);
  };
  const servers: Server[] = [];
  for (let number = 0; number < count; number++) {
    const server = createServer(accept(number)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    numberAt.set(portOf(server), number);
  }
  return {
    caPem: authority.caPem,
    urls: servers.map((server) => `https://127.0.0.1:${portOf(server)}`),
    hang: (numbers) => {
      for (const number of numbers) hanging.add(number);
    },
    recover: (numbers) => {
      for (const number of numbers) hanging.delete(number);
    },
    close: async () => {
      for (const socket of sockets.keys()) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
