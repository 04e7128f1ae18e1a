import type { Db } from '../../db/client.ts';
import type { Replica } from '../../db/replica/replica.ts';
import type { ChangeHub } from '../changes/change-hub.ts';
import { createProcessMemory } from '../context/process-memory.ts';
import type { HttpDeps } from '../http/context.ts';
import type { Assets } from '../http/pages/assets.ts';
import type { Compression } from '../http/serve/compression.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Notifier } from '../kernel/concurrency/notifier.ts';
import type { SingleFlight } from '../kernel/concurrency/single-flight.ts';
import { createSealer } from '../kernel/crypto/sealing.ts';
import type { Descriptors } from '../kernel/observability/descriptors.ts';
import type { Log } from '../kernel/observability/log.ts';
import { noTelemetry, type Telemetry } from '../kernel/observability/telemetry.ts';
import type { WriteMonitor } from '../kernel/observability/write-monitor.ts';
import type { Host } from '../kernel/version.ts';
import type { PortalType } from '../modules.ts';
import type { DirectoryRemote } from '../remotes/directory/port.ts';
import type { UrlPolicy } from '../remotes/http/address-policy.ts';
import type { Transport } from '../remotes/http/transport.ts';
import type { KdcRemote } from '../remotes/kerberos/transport.ts';
import type { S3Config } from '../remotes/object-store/s3-config.ts';
import type { PeerKeyRemote } from '../remotes/peer-keys/https.ts';
import type { RdpSigning } from './config/rdp-signing.ts';

/** What a runtime provides to build the dependencies of a module. Nothing in it belongs to a single request. */
export type RuntimeParts = {
  db: Db;
  /** Answers lists and reports; default: `db` does. */
  replica?: Replica | undefined;
  log: Log;
  clock?: Clock;
  portalType: PortalType;
  baseUrl: string;
  host: Host;
  /** Templates and files of pages. */
  assets: Assets;
  secretKeys: readonly string[];
  signingKeys: readonly string[];
  outbound: UrlPolicy;
  /** Networks of webhook receivers besides public addresses; default: none. */
  webhookNetworks?: readonly string[];
  /** Object store of exported files; default: the database. */
  s3?: S3Config | undefined;
  /** Signs `.rdp` files; they are unsigned if absent. */
  rdpSigning?: RdpSigning | undefined;
  hashing?: { cost?: number; concurrency?: number; maxWaiting?: number };
  checkAnswers?: boolean;
  /** Counts requests; default: discards counts. */
  telemetry?: Telemetry;
  /** Compresses responses; absent if the platform does. */
  compression?: Compression;
  /** Observes the writes of the process; default: none. */
  writes?: WriteMonitor;
  /** Reads the file descriptors of the process, if supported. */
  readDescriptors?: () => Promise<Descriptors | undefined>;
  /** Notifications between requests, on runtimes where one process serves many requests. */
  notifier?: Notifier;
  /** Streams of changes, on runtimes where a response may last for minutes. */
  createChanges?: CreateChanges;
};

/** Creates the streams of a process. */
export type CreateChanges = (parts: Pick<RuntimeParts, 'db' | 'log' | 'clock' | 'portalType'>) => ChangeHub;

/** With remotes for dispatchers and peer keys, for modules that call dispatchers. */
export type FleetRuntimeParts = RuntimeParts & {
  /** Transport for requests to dispatcher nodes. */
  dispatcherTransport: Transport;
  peerKeys: PeerKeyRemote;
  singleFlight?: SingleFlight;
};

/** Also with remotes for directories and KDCs, for modules that authenticate users or test domains. */
export type IdentityRuntimeParts = FleetRuntimeParts & { directories: DirectoryRemote; kdcs: KdcRemote };

/** The dependencies of every module. */
export async function baseDeps(parts: RuntimeParts): Promise<HttpDeps> {
  const sealer = await createSealer(parts.secretKeys);
  return {
    db: parts.db,
    replica: parts.replica,
    log: parts.log,
    clock: parts.clock ?? systemClock,
    portalType: parts.portalType,
    baseUrl: parts.baseUrl,
    sealer,
    cursorSealer: await sealer.derive('cursor'),
    checkAnswers: parts.checkAnswers ?? false,
    telemetry: parts.telemetry ?? noTelemetry,
    memory: createProcessMemory(),
    compression: parts.compression,
  };
}
