import { setImmediate } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { type buildConnector, type Dispatcher, Pool } from 'undici';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { type Lookup, openTls, type Peer, pinnedLookup, readCertificate, systemLookup } from '../tls/node.ts';
import { examineServer } from '../tls-examination/node.ts';
import { allowedUrl, parseNetworks, type UrlPolicy } from './address-policy.ts';
import { readAnswer } from './answer.ts';
import { withinDeadline } from './deadline.ts';
import { toTransportError } from './faults.ts';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

export type NodeTransportOptions = UrlPolicy & {
  /** Name resolution; default: the system resolver. */
  lookup?: Lookup;
  /** Maximum number of destinations with pooled connections. */
  maxPools?: number;
};

export type NodeTransport = Required<Transport> & {
  /** Aborts running exchanges and closes all connections. */
  close(): Promise<void>;
};

/** The pool of one peer, its pending handshakes, and the number of waiting exchanges. */
type Destination = { pool: Pool; handshakes: Set<TLSSocket>; waiting: number };

const maxConnections = 16;
const maxHeaderBytes = 16 * 1024;
const handshakeMs = 5_000;
const keepAliveMs = 10_000;

/**
 * HTTPS for Node and Lambda. Connections are pooled per origin, authority and verification, and every address is
 * checked at connection time.
 * @throws Error if `allowedNetworks` has an invalid entry
 */
export function createNodeTransport(options: NodeTransportOptions): NodeTransport {
  const networks = parseNetworks(options.allowedNetworks);
  const lookup = pinnedLookup(options.lookup ?? systemLookup, networks);
  const open = new Map<string, Destination>();
  const peerOf = ({ url, ca, verifyTls }: TransportRequest): Peer => ({
    url: allowedUrl(url, networks),
    ca,
    // `verify_tls` of a peer is ignored unless the configuration allows unverified connections.
    rejectUnauthorized: verifyTls || !options.allowInsecure,
    lookup,
  });
  return {
    send: (request) =>
      withTransportErrors(() =>
        exchange(destinationOf(open, peerOf(request), options.maxPools ?? 256), request),
      ),
    inspect: (url, { deadlineMs, signal: outer }) =>
      withTransportErrors(() => {
        const peer = { url: allowedUrl(url, networks), ca: undefined, lookup };
        return withinDeadline(deadlineMs, outer, (signal) => readCertificate(peer, signal));
      }),
    examine: (url, examined) =>
      withTransportErrors(() => {
        const to = { url: allowedUrl(url, networks), ca: examined.ca, networks };
        return examineServer({ ...to, lookup: options.lookup ?? systemLookup }, examined);
      }),
    close: () => closeAll(open),
  };
}

async function withTransportErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toTransportError(error);
  }
}

/**
 * Returns the pool of a peer, or opens one. Beyond `maxPools` the least recently used pool is closed after its
 * exchanges.
 */
function destinationOf(open: Map<string, Destination>, peer: Peer, maxPools: number): Destination {
  const key = `${peer.url.origin} ${peer.rejectUnauthorized} ${sha256(peer.ca ?? '')}`;
  const found = open.get(key) ?? openDestination(peer);
  open.delete(key);
  open.set(key, found);
  for (const [oldest, { pool }] of open) {
    if (open.size <= maxPools) break;
    open.delete(oldest);
    void pool.close();
  }
  return found;
}

function openDestination(peer: Peer): Destination {
  const handshakes = new Set<TLSSocket>();
  const pool = new Pool(peer.url.origin, {
    allowH2: false,
    connections: maxConnections,
    pipelining: 1,
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: keepAliveMs,
    connect: connector(peer, handshakes),
  });
  return { pool, handshakes, waiting: 0 };
}

/**
 * Connects with the settings of the peer and resumes its TLS session. A handshake ignores abort signals, so its
 * sockets are recorded and destroyed at a deadline.
 */
function connector(peer: Peer, handshakes: Set<TLSSocket>): buildConnector.connector {
  let session: Buffer | undefined;
  return (_options, callback) => {
    const socket = openTls(peer, session);
    const timer = setTimeout(() => socket.destroy(new TransportError('timeout')), handshakeMs);
    const settle = (error?: Error) => {
      if (!handshakes.delete(socket)) return;
      clearTimeout(timer);
      if (error) callback(error, null);
      else callback(null, socket);
    };
    handshakes.add(socket);
    socket.on('session', (ticket) => {
      session = ticket;
    });
    socket.once('secureConnect', () => settle()).on('error', settle);
  };
}

async function exchange(to: Destination, request: TransportRequest): Promise<TransportResponse> {
  to.waiting += 1;
  try {
    return await withinDeadline(request.deadlineMs, request.signal, (signal) =>
      sendRequest(to.pool, request, signal),
    );
  } finally {
    to.waiting -= 1;
    if (to.waiting === 0) abandon(to.handshakes);
  }
}

/** Destroys handshakes without a waiting exchange. Connections in use are not affected. */
function abandon(handshakes: Set<TLSSocket>): void {
  for (const socket of handshakes) socket.destroy(new TransportError('timeout'));
}

async function sendRequest(
  pool: Pool,
  request: TransportRequest,
  signal: AbortSignal,
): Promise<TransportResponse> {
  const { pathname, search } = new URL(request.url);
  const answer = await pool.request({
    method: request.method,
    path: `${pathname}${search}`,
    headers: { ...request.headers, 'accept-encoding': 'identity' },
    body: request.body ?? null,
    signal,
  });
  const raw = { status: answer.statusCode, headers: Object.entries(answer.headers), body: answer.body };
  try {
    const read = await readAnswer(raw, request);
    // undici releases a connection one turn after the last byte; an earlier call would open another connection.
    await setImmediate();
    return read;
  } catch (error) {
    discard(answer.body);
    throw error;
  }
}

/** Aborts a body with its connection. The resulting stream error is expected. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined).destroy();
}

async function closeAll(open: Map<string, Destination>): Promise<void> {
  const destinations = [...open.values()];
  open.clear();
  for (const { handshakes } of destinations) abandon(handshakes);
  await Promise.all(destinations.map(({ pool }) => pool.destroy()));
}
