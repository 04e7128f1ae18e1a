import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type RequestListener,
  ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { Server, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { traceOf } from '../../context/trace.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Invocation } from '../invocation.ts';
import { cutOnFailure, discardUnread } from './bodies.ts';
import { clientOf } from './client-address.ts';
import { limitConnections } from './connections.ts';
import {
  isHostClear,
  type RejectionOptions,
  rejectExpectation,
  rejectionResponse,
  rejectMalformed,
} from './refusals.ts';

export type ServeOptions = {
  fetch: (request: Request, invocation: Invocation) => Response | Promise<Response>;
  host: string;
  /** 0 for any free port. */
  port: number;
  /** PEM; plain HTTP if absent. */
  tls?: { cert: string; key: string };
  /** Number of trusted proxies that write `X-Forwarded-*`. */
  trustProxy: number;
  log: Pick<Log, 'error'>;
  /** Headers of every response. */
  headers?: Readonly<Record<string, string>>;
  /** Address of the server with the pages `/api/errors/<code>`. Default: this server. */
  errorPages?: string;
  /** Maximum number of connections. Default 10,000. */
  maxConnections?: number;
  /**
   * Maximum number of connections per IPv4 address or IPv6 /64. Default 1,000. Ignored if `trustProxy` is above 0.
   */
  maxConnectionsPerAddress?: number;
  /** Timeouts in milliseconds. */
  timeouts?: Partial<typeof timeouts>;
  /** Variable of the port, for the error about a port in use. Default `PORT`. */
  portVariable?: string;
};

export type RunningServer = {
  port: number;
  /** Stops accepting requests, waits for running ones, and aborts those that take longer than `graceMs`. */
  close(graceMs: number): Promise<void>;
};

const timeouts = {
  /** TLS handshake. */
  handshake: 10_000,
  /** Headers of a request, since the connection or the previous request. */
  headers: 15_000,
  /** Whole request. */
  request: 60_000,
  /** Rest of a body after the response. */
  unread: 10_000,
  /** Between two requests. */
  keepAlive: 65_000,
  /** During a request without a byte in either direction: the client does not read the response. */
  stalled: 120_000,
};

const limits = {
  maxHeaderSize: 16_384,
  connectionsCheckingInterval: 2_000,
  /** Node's own response has no body. */
  requireHostHeader: false,
};

/**
 * Forward secrecy and AEAD only; OpenSSL also offers CBC suites for TLS 1.2. The suites of TLS 1.3 must be listed, or
 * Node disables TLS 1.3.
 */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/**
 * Serves an app over HTTP/1.1, with or without TLS.
 * @throws ConfigError with one line if the server cannot listen on the port
 */
export async function serveNode(options: ServeOptions): Promise<RunningServer> {
  const { log } = options;
  const background = new Set<Promise<unknown>>();
  const listener = listenerOf(options, (work) => {
    const settled = work
      .catch((error: unknown) => log.error('background work failed', { error }))
      .finally(() => background.delete(settled));
    background.add(settled);
  });
  const server = serverOf(options, listener);
  const { headers = {}, maxConnections = 10_000, maxConnectionsPerAddress = 1_000, trustProxy } = options;
  for (const event of ['request', 'checkExpectation'])
    server.prependListener(event, (_: unknown, answer: ServerResponse) => {
      for (const [name, value] of Object.entries(headers)) answer.setHeader(name, value);
    });
  server.on('clientError', (error, socket) => rejectMalformed(error, socket, headers, options.errorPages));
  server.on('checkExpectation', (request, answer) => rejectExpectation(request, answer, options.errorPages));
  const connections = limitConnections(server, {
    total: maxConnections,
    // All clients behind a proxy share its address.
    perAddress: trustProxy > 0 ? Number.POSITIVE_INFINITY : maxConnectionsPerAddress,
  });
  await listen(server, options);
  // Node reports a failed accept as this event. Without a listener it would end the process.
  server.on('error', (error) => log.error('a connection could not be accepted', { error }));
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

function serverOf(
  { tls, timeouts: overrides }: ServeOptions,
  listener: RequestListener,
): HttpServer | HttpsServer {
  const { handshake, headers, request, keepAlive, stalled } = { ...timeouts, ...overrides };
  const settings = {
    ...limits,
    headersTimeout: headers,
    requestTimeout: request,
    keepAliveTimeout: keepAlive,
  };
  const secured = { ...tls, minVersion: 'TLSv1.2', ciphers, handshakeTimeout: handshake } as const;
  const server = tls
    ? createHttpsServer({ ...settings, ...secured }, listener)
    : createHttpServer(settings, listener);
  server.timeout = stalled;
  // Before the end of the handshake no response can be sent. Must run before Node emits `clientError` for the error.
  server.prependListener('tlsClientError', (_, socket: Socket) => socket.destroy());
  return server;
}

function listenerOf(
  { fetch, log, trustProxy, timeouts: overrides, errorPages: pages }: ServeOptions,
  background: Invocation['background'],
): RequestListener {
  const { unread } = { ...timeouts, ...overrides };
  const header = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value);
  const malformed = (detail: RejectionOptions['detail'], requestId?: string) =>
    rejectionResponse('malformed_request', { detail, requestId, pages });
  return getRequestListener(
    async (request, { incoming, outgoing }) => {
      const { socket, headers } = incoming;
      if (!isHostClear(incoming)) {
        const { requestId } = traceOf(request.headers);
        return malformed('A request must have exactly one header Host', requestId);
      }
      const peer = {
        address: socket.remoteAddress,
        isEncrypted: 'encrypted' in socket && socket.encrypted === true,
        forwardedFor: header(headers['x-forwarded-for']),
        forwardedProto: header(headers['x-forwarded-proto']),
      };
      try {
        const streamed = (body: ReadableStream<Uint8Array>) => cutOnFailure(body, outgoing, log);
        return await fetch(request, { client: clientOf(peer, trustProxy), background, streamed });
      } finally {
        if (outgoing instanceof ServerResponse) discardUnread(outgoing.req, outgoing, unread);
      }
    },
    {
      hostname: 'localhost',
      // Done by `discardUnread`; the adapter would reset the connection after 500 ms.
      autoCleanupIncoming: false,
      errorHandler: (error) => {
        if (error instanceof RequestError) return malformed('The request line or a header is malformed');
        log.error('a request failed outside the application', { error });
        return rejectionResponse('internal', { pages });
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
    throw new ConfigError([listenFault(cause, portVariable, host, port)], { cause });
  } finally {
    server.off('error', reject);
  }
}

function listenFault(error: unknown, portVariable: string, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const at = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  if (code === 'EADDRINUSE')
    return `${portVariable}: ${at} is in use by another program; stop it, or set another port`;
  if (code === 'EACCES')
    return `${portVariable}: this user has no permission to listen on ${at}; set a port above 1023`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `HOST: this machine has no address ${host}; set one of its addresses`;
  return `${portVariable}: cannot listen on ${at} (${error instanceof Error ? error.message : error}); set another port`;
}
