import type { Db } from '../../db/client.ts';
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
import type { WriteWitness } from '../kernel/observability/write-witness.ts';
import type { Host } from '../kernel/version.ts';
import type { PortalType } from '../modules.ts';
import type { DirectoryRemote } from '../remotes/directory/port.ts';
import type { DispatcherRemote } from '../remotes/dispatcher/port.ts';
import type { UrlPolicy } from '../remotes/http/address-policy.ts';
import type { KdcRemote } from '../remotes/kerberos/transport.ts';
import type { S3Config } from '../remotes/object-store/s3-config.ts';
import type { PeerKeyRemote } from '../remotes/peer-keys/https.ts';
import type { RdpSigning } from './config/rdp-signing.ts';

/** What every runtime knows before a module has dependencies; all of it is settled, nothing of it is a request's. */
export type Ingredients = {
  db: Db;
  log: Log;
  clock?: Clock;
  portalType: PortalType;
  baseUrl: string;
  host: Host;
  /** What pages are made of. */
  assets: Assets;
  secretKeys: readonly string[];
  signingKeys: readonly string[];
  outbound: UrlPolicy;
  /** Where exported files are; absent: in the database. */
  s3?: S3Config | undefined;
  /** What `.rdp` files are signed by; absent: they are not. */
  rdpSigning?: RdpSigning | undefined;
  hashing?: { cost?: number; concurrency?: number; maxWaiting?: number };
  checkAnswers?: boolean;
  /** Where requests are counted; nowhere unless given. */
  telemetry?: Telemetry;
  /** Compresses answers; the platform does unless given. */
  compression?: Compression;
  /** Observes writes of the process; one that observes none unless given. */
  writes?: WriteWitness;
  /** Reads the file descriptors of the process, where it has any. */
  readDescriptors?: () => Promise<Descriptors | undefined>;
  /** Where one process serves many requests, which may then wake each other. */
  notifier?: Notifier;
};

/** With a way to dispatchers and to the keys of peers, for the modules that speak to them. */
export type FleetIngredients = Ingredients & {
  dispatchers: DispatcherRemote;
  peerKeys: PeerKeyRemote;
  singleFlight?: SingleFlight;
};

/** With a way to directories and KDCs as well, for the modules that authenticate users or test domains. */
export type IdentityIngredients = FleetIngredients & { directories: DirectoryRemote; kdcs: KdcRemote };

/** The dependencies that every module has. */
export async function baseDeps(given: Ingredients): Promise<HttpDeps> {
  const sealer = await createSealer(given.secretKeys);
  return {
    db: given.db,
    log: given.log,
    clock: given.clock ?? systemClock,
    portalType: given.portalType,
    baseUrl: given.baseUrl,
    sealer,
    cursorSealer: await sealer.derive('cursor'),
    checkAnswers: given.checkAnswers ?? false,
    telemetry: given.telemetry ?? noTelemetry,
    compression: given.compression,
  };
}
