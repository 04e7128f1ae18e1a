import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { connectPg } from '../../db/pg.ts';
import { listenForNotices } from '../../db/postgres/listen.ts';
import { Replica } from '../../db/replica/replica.ts';
import { createPortal, type Portal, type PortalDeps, portalDeps } from '../../functions/portal.ts';
import type { HubParts } from '../../shared/changes/change-hub.ts';
import { createProcessMemory } from '../../shared/context/process-memory.ts';
import { prepareInstallation } from '../../shared/identity/first-start.ts';
import { createNotifier } from '../../shared/kernel/concurrency/notifier.ts';
import { noTelemetry, type Telemetry } from '../../shared/kernel/observability/telemetry.ts';
import type { WriteMonitor } from '../../shared/kernel/observability/write-monitor.ts';
import type { PortalType } from '../../shared/modules.ts';
import { withDurations } from '../../shared/remotes/http/durations.ts';
import { createNodeTransport } from '../../shared/remotes/http/node.ts';
import type { Transport } from '../../shared/remotes/http/transport.ts';
import { createTcp } from '../../shared/remotes/kerberos/node.ts';
import { createKdcRemote } from '../../shared/remotes/kerberos/transport.ts';
import type { S3Config } from '../../shared/remotes/object-store/s3-config.ts';
import { createPeerKeyRemote } from '../../shared/remotes/peer-keys/https.ts';
import { changesWith } from '../../shared/runtime/changes.ts';
import type { RdpSigning } from '../../shared/runtime/config/rdp-signing.ts';
import { directoriesByPooledSockets } from '../../shared/runtime/edge/directories-by-sockets.ts';
import { createCompression } from '../../shared/runtime/node/compression.ts';
import { createSingleFlight } from '../../shared/runtime/node/single-flight.ts';
import { loggedStates } from '../../shared/runtime/replica-states.ts';
import { monitorWrites } from '../../shared/runtime/write-monitor.ts';
import { ownAssets } from '../../shared/tooling/build/asset-files.ts';
import { type FreshDatabase, freshDatabase } from './database/database.ts';
import { type Between, connectBy, type Driver } from './database/neon-proxy.ts';

export const adminPassword = 'correct horse battery staple';
/** Of portals without a secret key of a test. */
export const baseUrl = 'https://portal.test';

export type Answer = { status: number; headers: Headers; body: Json };
// biome-ignore lint/suspicious/noExplicitAny: answers are read as the tests expect them; a wrong guess fails the test
export type Json = any;

export type SendOptions = {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  ip?: string;
  secure?: boolean;
};

export type TestPortal = {
  portal: Portal;
  deps: PortalDeps;
  /** As the role of the portal, with the driver of the test. */
  db: Db;
  /** The same database as the other two roles, with `pg`. */
  sidecarDb: Db;
  ownerDb: Db;
  databaseUrl: string;
  /** For another portal or process on this database, which stays when that one closes. */
  database: FreshDatabase;
  /** Round trips to the database since the start. */
  trips(): number;
  /** Advances the clock of the portal. */
  advance(seconds: number): void;
  /** `send('POST /api/…', { token, body })`; a body is JSON unless it is text or bytes. */
  send(route: string, options?: SendOptions): Promise<Answer>;
  /** The same in another isolate, of this type or another, which shares only the database with this one. */
  isolate(portalType?: PortalType): TestPortal['send'];
  /** Logs in on the built-in domain. */
  login(username?: string, password?: string): Promise<string>;
  /** Waits for background work after responses. */
  settled(): Promise<void>;
  log: Record<string, unknown>[];
  close(): Promise<void>;
};

type Options = {
  portalType?: PortalType;
  /** `BASE_URL`, for browsers that connect to the portal. */
  baseUrl?: string;
  allowedNetworks?: string[];
  allowInsecure?: boolean;
  driver?: Driver;
  /** Between the driver and the server that it speaks to. */
  between?: Between;
  /** `SECRET_KEY`; default: a new one. */
  secretKeys?: readonly string[];
  s3?: S3Config;
  rdpSigning?: RdpSigning;
  /** Networks of webhook receivers. */
  webhookNetworks?: string[];
  /** Between the portal and the servers that it sends requests to. */
  network?: (real: Transport) => Transport;
  /** Of streams of changes. */
  changeLimits?: NonNullable<HubParts['limits']>;
  /** URL of a standby, for reads that may lag. */
  replicaUrl?: string;
  /** Age in milliseconds of its data that are not shown. */
  oldestMs?: number;
  /** Milliseconds that a read waits for it. */
  replicaPatienceMs?: number;
  /** Replaces a fresh one, for a test with a proxy between the portal and its database. */
  database?: FreshDatabase;
  /** Receives the request counts; default: none. */
  telemetry?: (db: Db, writes: WriteMonitor) => Telemetry;
};

/** The real portal in this process, on a separate database. */
export async function startPortal({
  portalType = 'universal',
  baseUrl: ownUrl = baseUrl,
  allowedNetworks = ['127.0.0.0/8'],
  allowInsecure = false,
  driver = 'pg',
  between,
  secretKeys = [randomBytes(32).toString('base64')],
  database: given,
  telemetry: telemetryOf = () => noTelemetry,
  changeLimits = {},
  replicaUrl,
  oldestMs,
  replicaPatienceMs,
  s3,
  rdpSigning,
  webhookNetworks = ['127.0.0.0/8'],
  network = (real) => real,
}: Options = {}): Promise<TestPortal> {
  const database = given ?? (await freshDatabase());
  let trips = 0;
  const asSidecar = connectPg({ url: database.sidecarUrl, maxConnections: 4 });
  const asOwner = connectPg({ url: database.ownerUrl, maxConnections: 2 });
  const connection = await connectBy(driver, { url: database.url, onRoundTrip: () => trips++ }, between);
  const reading = replicaUrl === undefined ? undefined : await connectBy(driver, { url: replicaUrl });
  const outbound = { allowedNetworks, allowInsecure };
  const transport = createNodeTransport(outbound);
  const log: Record<string, unknown>[] = [];
  const clock = { offsetMs: 0 };
  const write = (message: string, fields?: Record<string, unknown>) => void log.push({ message, ...fields });
  const logging = { debug: write, info: write, warn: write, error: write };
  const writes = monitorWrites(connection.db, logging);
  const telemetry = telemetryOf(connection.db, writes);
  const replica = reading && new Replica(reading.db, loggedStates(logging), oldestMs, replicaPatienceMs);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const deps = await portalDeps({
    db: connection.db,
    replica,
    log: logging,
    clock: () => new Date(Date.now() + clock.offsetMs),
    portalType,
    baseUrl: ownUrl,
    host: { name: 'portal-1', runtime: 'node', os: 'Linux', startedAt: new Date() },
    assets: ownAssets(),
    secretKeys,
    signingKeys: [privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()],
    outbound,
    webhookNetworks,
    s3,
    rdpSigning,
    dispatcherTransport: withDurations(network(transport), telemetry),
    kdcs: createKdcRemote(createTcp(outbound)),
    peerKeys: createPeerKeyRemote(transport),
    ...directoriesByPooledSockets(outbound),
    singleFlight: createSingleFlight(),
    notifier: createNotifier(),
    createChanges: changesWith({
      connectNotices: (onNotice) => listenForNotices(database.url, 'changes', onNotice),
      limits: changeLimits,
    }),
    telemetry,
    compression: createCompression(),
    writes,
    // The cost of production hashes is not tested here.
    hashing: { cost: 2 ** 4, concurrency: 4 },
    checkAnswers: true,
  });
  await prepareInstallation(connection.db, deps.hasher, adminPassword);
  const portal = createPortal(deps);
  const background = new Set<Promise<unknown>>();
  const settled = async () => {
    while (background.size > 0) await Promise.all(background);
  };
  const invocation = ({ ip = '127.0.0.1', secure = true }: SendOptions) => ({
    client: { ip, secure, loopback: false },
    background: (work: Promise<unknown>) => {
      const done = work
        .catch((error) => log.push({ message: 'background', error }))
        .finally(() => background.delete(done));
      background.add(done);
    },
  });
  const sendTo =
    (served: Portal): TestPortal['send'] =>
    async (route, options = {}) =>
      answerOf(await served.fetch(requestOf(route, options), invocation(options)));
  const send = sendTo(portal);
  return {
    portal,
    deps,
    db: connection.db,
    sidecarDb: asSidecar.db,
    ownerDb: asOwner.db,
    database: { ...database, drop: async () => undefined },
    databaseUrl: database.url,
    trips: () => trips,
    advance: (seconds) => {
      clock.offsetMs += seconds * 1000;
    },
    send,
    isolate: (type = portalType) => sendTo(createPortal({ ...isolated(deps), portalType: type })),
    login: async (username = 'admin', password = adminPassword) => {
      const { body } = await send('POST /api/auth/v7.0/login', {
        body: { username, password, authSmallName: 'builtin' },
      });
      if (!body.token) throw new Error(`login of ${username} failed: ${JSON.stringify(body)}`);
      return body.token;
    },
    settled,
    log,
    close: async () => {
      deps.changes?.end();
      await settled();
      await transport.close();
      await Promise.all([connection, asSidecar, asOwner, reading].map((one) => one?.close()));
      await database.drop();
    },
  };
}

/** Without the caches of one process. */
const isolated = ({ notifier: _, ...deps }: PortalDeps): PortalDeps => ({
  ...deps,
  memory: createProcessMemory(),
  singleFlight: createSingleFlight(),
  ...directoriesByPooledSockets(deps.outbound),
  kdcs: createKdcRemote(createTcp(deps.outbound)),
});

function requestOf(route: string, { token, body, headers = {} }: SendOptions): Request {
  const [method = 'GET', path = '/'] = route.split(' ');
  const isAsItIs = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const text = isAsItIs ? (body as string | Uint8Array<ArrayBuffer> | undefined) : JSON.stringify(body);
  return new Request(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(token && { 'x-auth-token': token }),
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(text !== undefined && { body: text }),
  });
}

/** The body is parsed JSON, the bytes of an image or of a UTF-16 file, or text. */
async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = headers.get('content-type') ?? '';
  if (bytes.length > 0 && /^image\/|^application\/x-rdp$/.test(type)) return { status, headers, body: bytes };
  const text = bytes.toString();
  return { status, headers, body: type.includes('json') && text ? JSON.parse(text) : text };
}
