import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { Server, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { traceOf } from '../http/request-ids.ts';
import type { Log } from '../kernel/log.ts';
import { clientOf } from './client-address.ts';
import type { Invocation } from './invocation.ts';
import { isHostClear, refusal, refuseExpectation, refuseMalformed } from './node-refusals.ts';

export type ServeOptions = {
  fetch: (request: Request, invocation: Invocation) => Response | Promise<Response>;
  host: string;
  /** 0 for any free port. */
  port: number;
  /** PEM; without it plain HTTP is spoken. */
  tls?: { cert: string; key: string };
  /** Proxies in front of us that write `X-Forwarded-*`. */
  trustProxy: number;
  log: Pick<Log, 'error'>;
  /** The variable that sets the port, for the message about a port in use; `PORT` unless told. */
  portVariable?: string;
};

export type Serving = {
  port: number;
  /** Takes no new requests, finishes what runs, and cuts off what still runs after `graceMs`. */
  close(graceMs: number): Promise<void>;
};

const limits = {
  maxHeaderSize: 16_384,
  /** Time for a client to send its headers, and its whole request. */
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  /** Node's own refusal has no body. */
  requireHostHeader: false,
};

/**
 * Serves an app over HTTPS or HTTP/1.1.
 * @throws Error in one line when the port cannot be listened on
 */
export async function serveNode(options: ServeOptions): Promise<Serving> {
  const { log, tls } = options;
  const background = new Set<Promise<unknown>>();
  const listener = listenerOf(options, (work) => {
    const settled = work
      .catch((error: unknown) => log.error('background work failed', { error }))
      .finally(() => background.delete(settled));
    background.add(settled);
  });
  const server = tls
    ? createHttpsServer({ ...limits, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 }, listener)
    : createHttpServer(limits, listener);
  server.on('clientError', refuseMalformed);
  server.on('checkExpectation', refuseExpectation);
  const connections = createConnections(server);
  await listen(server, options);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: async (graceMs) => {
      const deadline = AbortSignal.timeout(graceMs);
      await connections.close(deadline);
      const aborted = new Promise((resolve) => deadline.addEventListener('abort', resolve, { once: true }));
      if (!deadline.aborted) await Promise.race([Promise.all(background), aborted]);
    },
  };
}

function listenerOf(
  { fetch, log, trustProxy }: ServeOptions,
  background: Invocation['background'],
): RequestListener {
  const header = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value);
  return getRequestListener(
    (request, { incoming }) => {
      const { socket, headers } = incoming;
      if (!isHostClear(incoming)) {
        const { requestId } = traceOf(request.headers);
        return refusal('malformed_request', 'A request needs one header Host', requestId);
      }
      const peer = {
        address: socket.remoteAddress,
        isEncrypted: 'encrypted' in socket && socket.encrypted === true,
        forwardedFor: header(headers['x-forwarded-for']),
        forwardedProto: header(headers['x-forwarded-proto']),
      };
      return fetch(request, { client: clientOf(peer, trustProxy), background });
    },
    {
      hostname: 'localhost',
      errorHandler: (error) => {
        if (error instanceof RequestError)
          return refusal('malformed_request', 'The request line or a header is malformed');
        log.error('a request failed outside the application', { error });
        return refusal('internal');
      },
    },
  );
}

async function listen(server: Server, { host, port, portVariable = 'PORT' }: ServeOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  try {
    await promise;
  } catch (cause) {
    const at = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    throw new Error(`Cannot listen on ${at}: ${reasonOf(cause, portVariable)}`, { cause });
  } finally {
    server.off('error', reject);
  }
}

function reasonOf(error: unknown, portVariable: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `the port is in use; set ${portVariable} to another one`;
  if (code === 'EACCES') return `this user may not use the port; set ${portVariable} to another one`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'this machine has no such address; set HOST to another one';
  return String(error);
}

type Connections = {
  /** Stops listening and ends connections as they become idle; what is left at `deadline` is cut off. */
  close(deadline: AbortSignal): Promise<void>;
};

type Connection = { socket: Socket; answers: Set<ServerResponse> };

/**
 * Knows which connections of a server have requests in flight. Node's own `closeIdleConnections` spares those that
 * have never sent a request, and those inside a TLS handshake: such a client would hold up the end of the process.
 */
function createConnections(server: HttpServer | HttpsServer): Connections {
  const connections = new Map<string, Connection>();
  let isClosing = false;
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    connections.set(key, { socket, answers: new Set() });
    socket.once('close', () => connections.delete(key));
  });
  server.on('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    const answers = connections.get(keyOf(socket))?.answers.add(answer);
    if (isClosing) answer.shouldKeepAlive = false;
    answer.once('close', () => {
      answers?.delete(answer);
      if (isClosing && answers?.size === 0) socket.end();
    });
  });
  return {
    close: async (deadline) => {
      isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { socket, answers } of connections.values()) {
        if (answers.size === 0) socket.destroy();
        for (const answer of answers) if (!answer.headersSent) answer.shouldKeepAlive = false;
      }
      const cutOff = () => {
        for (const { socket } of connections.values()) socket.destroy();
      };
      deadline.addEventListener('abort', cutOff, { once: true });
      if (deadline.aborted) cutOff();
      await closed;
    },
  };
}

/** A TLS socket and the plain one beneath it are two objects with one pair of addresses. */
const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
