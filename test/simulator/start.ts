import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createApp } from './app.ts';
import { type Authority, type CertificateKind, createAuthority } from './authority.ts';
import { createAuthentication } from './calls/auth.ts';
import { createPortalKeys, type JwksSource, type PortalKeys } from './calls/jwks.ts';
import type { DispatcherState } from './data/state.ts';
import { isFaulty, isInScope, type Knobs, noFaults, stageFault } from './faults.ts';
import { type Node, nodeTime } from './node.ts';
import { type Call, createTraffic, type Traffic } from './traffic.ts';

export type SimulatorOptions = {
  /** Nodes of one farm share it. */
  state: DispatcherState;
  jwks: JwksSource;
  /** PEM; needed when `jwks` is a URL of a portal with a private authority. */
  portalCa?: string;
  /** The node's name, the audience of tokens; the state's by default. */
  name?: string;
  /** Not verified when absent. */
  issuer?: string;
  healthKey?: string;
  authority?: Authority;
  certificate?: CertificateKind;
  port?: number;
  knobs?: Partial<Knobs>;
};

export type Simulator = {
  readonly url: string;
  /** The authority that a client is to trust, whatever certificate is sent. */
  readonly caPem: string;
  readonly name: string;
  readonly healthKey: string;
  readonly state: DispatcherState;
  readonly knobs: Knobs;
  readonly calls: readonly Call[];
  /** Owners of the session keys that were logged out, in order: `aggregator` or `domain\\name`. */
  readonly loggedOut: readonly string[];
  readonly inFlight: number;
  readonly maxInFlight: number;
  resetCalls(): void;
  /** Ends every session key: the next call with one is answered 401. */
  expireKeys(): void;
  close(): Promise<void>;
};

/** A dispatcher node on 127.0.0.1 over HTTPS. @throws Error when the port is in use */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const authority = options.authority ?? (await createAuthority());
  const keys = createPortalKeys(options.jwks, options.portalCa);
  const node = createNode(options, keys);
  const traffic = createTraffic();
  const listener = guarded(getRequestListener(createApp(node).fetch), node.knobs, traffic);
  const certificate = await authority.issue(options.certificate);
  const server = createServer({ ...certificate, keepAliveTimeout: 65_000 }, listener);
  const connections = connectionsOf(server);
  const { name, healthKey, state, knobs, authentication } = node;
  return {
    url: `https://127.0.0.1:${await listen(server, options.port ?? 0)}`,
    caPem: authority.caPem,
    name,
    healthKey,
    state,
    knobs,
    calls: traffic.calls,
    loggedOut: node.loggedOut,
    get inFlight() {
      return traffic.inFlight;
    },
    get maxInFlight() {
      return traffic.maxInFlight;
    },
    resetCalls: traffic.reset,
    expireKeys: authentication.expireKeys,
    close: async () => {
      await Promise.all([closeServer(server, connections), keys.close()]);
    },
  };
}

function createNode(options: SimulatorOptions, keys: PortalKeys): Node {
  const { state, issuer, name = state.name, healthKey = 'health-key' } = options;
  const knobs: Knobs = { ...noFaults(), ...options.knobs };
  const authentication = createAuthentication({
    name,
    issuer,
    domains: state.domains,
    keys,
    now: () => nodeTime(knobs),
    isUnknown: (user) => knobs.unknownUsers.includes(user),
    keyLifetimeS: () => knobs.keyLifetimeS,
  });
  return { name, healthKey, state, knobs, authentication, loggedOut: [] };
}

/** Faults are applied before the application: a broken node does not execute the call. */
function guarded(serve: RequestListener, knobs: Knobs, traffic: Traffic): RequestListener {
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (outgoing.destroyed) return;
    if (knobs.clockSkewS !== 0) outgoing.setHeader('date', nodeTime(knobs).toUTCString());
    if (isFaulty(knobs, incoming.url ?? '/')) stageFault(knobs, incoming, outgoing);
    else serve(incoming, outgoing);
  };
  return (incoming, outgoing) => {
    traffic.record(incoming, outgoing);
    const delay = isInScope(knobs.path, incoming.url ?? '/') ? knobs.latencyMs : 0;
    if (delay > 0) setTimeout(answer, delay, incoming, outgoing);
    else answer(incoming, outgoing);
  };
}

async function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the simulator has no port');
  return address.port;
}

/** All connections of the server, including those in a handshake, which the server itself does not list. */
function connectionsOf(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function closeServer(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  for (const socket of connections) socket.destroy();
  await promise;
}
