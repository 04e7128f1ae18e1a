import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Configuration of a gateway: the URL at which tickets are used, and its token. */
export type GatewayConfig = {
  ticketUrl: string;
  token: string;
  /** Reports the total bytes of all tunnels since the start, as the OpenUDS tunnel server 4.0 does. */
  isCumulative?: boolean;
};
export type RunningGateway = {
  port: number;
  /** The status of the portal's answer to the end of the next tunnel that ends. */
  nextEnd(): Promise<number>;
  close(): Promise<void>;
};

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const closing = (server: Server, sockets: Set<Socket>) => async (): Promise<void> => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
};

/** A server that accepts connections and forgets closed ones. */
function serverOf(serve: (socket: Socket) => unknown) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  return { server, close: closing(server, sockets) };
}

/** An echo server in place of a workplace. */
export async function startEcho() {
  const { server, close } = serverOf((socket) => socket.pipe(socket));
  return { host: '127.0.0.1', port: await listen(server), close };
}

/**
 * A generic gateway server. A connection starts with its ticket as the first line, or with an HTTP CONNECT request
 * that has the ticket as its password. The rest of the connection is forwarded to the target in the portal's response
 * to the ticket. The end of the tunnel is reported with the bytes sent and received.
 */
export async function startGateway({
  ticketUrl,
  token,
  isCumulative = false,
}: GatewayConfig): Promise<RunningGateway> {
  const ends = new EventEmitter();
  const moved = { sent: 0, received: 0 };
  const { server, close } = serverOf((client) => void serve(client).catch(() => client.destroy()));
  return {
    port: await listen(server),
    nextEnd: async () => (await once(ends, 'end'))[0],
    close,
  };

  async function serve(client: Socket): Promise<void> {
    const { ticket, words } = await readTicket(client);
    const answer = await fetch(`${ticketUrl}/${ticket}/${client.remoteAddress}/${token}`);
    if (answer.status !== 200) return void client.end(words.refused);
    const { host, port, notify } = await answer.json();
    const workplace = connect(port, host).on('error', () => client.destroy());
    await once(workplace, 'connect');
    client.write(words.connected);
    const bytes = await exchange(client, workplace);
    moved.sent += bytes.sent;
    moved.received += bytes.received;
    const { sent, received } = isCumulative ? moved : bytes;
    const stopped = await fetch(`${ticketUrl}/${notify}/stop/${token}?sent=${sent}&recv=${received}`);
    ends.emit('end', stopped.status);
  }
}

const plain = { connected: 'connected\n', refused: 'refused\n' };
const http = {
  connected: 'HTTP/1.1 200 Connection established\r\n\r\n',
  refused: 'HTTP/1.1 403 Forbidden\r\n\r\n',
};

/** The target in the CONNECT request is ignored; the ticket determines the target. */
async function readTicket(client: Socket): Promise<{ ticket: string; words: typeof plain }> {
  const first = await firstLine(client);
  if (!first.startsWith('CONNECT ')) return { ticket: first, words: plain };
  let credentials = '';
  for (let line = first; line !== '\r'; line = await firstLine(client))
    credentials = /^proxy-authorization: *basic +(\S+)/i.exec(line)?.[1] ?? credentials;
  const [, ticket = ''] = Buffer.from(credentials, 'base64').toString().split(':');
  return { ticket: ticket || 'none', words: http };
}

async function exchange(client: Socket, workplace: Socket): Promise<{ sent: number; received: number }> {
  client.pipe(workplace);
  workplace.pipe(client);
  // A closed side, killed or not, receives nothing any more, and the other need not wait for it.
  await Promise.all([
    gone(client).then(() => workplace.destroySoon()),
    gone(workplace).then(() => client.destroySoon()),
  ]);
  return { sent: workplace.bytesWritten, received: workplace.bytesRead };
}

const gone = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

/** Data after the line stays in the socket. */
async function firstLine(socket: Socket): Promise<string> {
  let text = '';
  for (;;) {
    const chunk: Buffer | null = socket.read(1);
    if (chunk === null) await once(socket, 'readable');
    else if (chunk.toString('latin1') === '\n') return text;
    else text += chunk.toString('latin1');
  }
}

/**
 * A client program that connects to the gateway with its ticket. `said` is the gateway's first response; `ask` that of
 * the workplace.
 */
export async function enter({ host, port }: { host: string; port: number }, ticket: string) {
  const socket = connect(port, host);
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  socket.write(`${ticket}\n`);
  const said = await firstLine(socket);
  return {
    said,
    ask: async (message: string) => {
      socket.write(`${message}\n`);
      return firstLine(socket);
    },
    leave: () => void socket.end(),
  };
}
