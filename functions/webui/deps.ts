import type { ChangeHub } from '../../shared/changes/change-hub.ts';
import type { Ctx } from '../../shared/context/context.ts';
import type { SignedIn } from '../../shared/context/principal.ts';
import type { ExportDeps } from '../../shared/exports/export-download.ts';
import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import { createHasher, type Hasher } from '../../shared/identity/passwords.ts';
import type { Notifier } from '../../shared/kernel/concurrency/notifier.ts';
import type { Host } from '../../shared/kernel/version.ts';
import type { DirectoryRemote } from '../../shared/remotes/directory/port.ts';
import { createDispatchers } from '../../shared/remotes/dispatcher/kinds.ts';
import type { UrlPolicy } from '../../shared/remotes/http/address-policy.ts';
import type { Transport } from '../../shared/remotes/http/transport.ts';
import type { KdcRemote } from '../../shared/remotes/kerberos/transport.ts';
import { createS3Reader } from '../../shared/remotes/object-store/s3.ts';
import type { IdentityRuntimeParts } from '../../shared/runtime/deps.ts';
import { fleetDeps } from '../../shared/runtime/edge/fleet-deps.ts';
import type { FleetDeps } from '../../shared/sites/calls/dispatcher-keys.ts';

export type WebuiDeps = HttpDeps &
  FleetDeps &
  ExportDeps & {
    hasher: Hasher;
    directories: DirectoryRemote;
    kdcs: KdcRemote;
    /** HTTPS to identity providers, for tests of domains. */
    transport: Transport;
    host: Host;
    /** The allowed addresses of dispatchers. */
    outbound: UrlPolicy;
    /** Networks of webhook receivers besides public addresses. */
    webhookNetworks: readonly string[];
    /** For test installations: allows dispatchers without certificate checks. */
    allowInsecureDispatchers: boolean;
    /** Notifies waiting requests of session agents. Absent if requests do not share a process. */
    notifier?: Notifier;
    /** Streams of changes. Absent if requests do not share a process, where clients poll instead. */
    changes?: ChangeHub;
  };
export type WebuiCtx = Ctx<WebuiDeps, SignedIn>;

export const webuiDeps = async (parts: IdentityRuntimeParts): Promise<WebuiDeps> => ({
  ...(await fleetDeps(parts, createDispatchers)),
  ...(parts.createChanges && { changes: parts.createChanges(parts) }),
  hasher: createHasher(parts.hashing),
  directories: parts.directories,
  kdcs: parts.kdcs,
  transport: parts.dispatcherTransport,
  host: parts.host,
  ...(parts.s3 && { objectStore: createS3Reader(parts.s3) }),
  outbound: parts.outbound,
  webhookNetworks: parts.webhookNetworks ?? [],
  allowInsecureDispatchers: parts.outbound.allowInsecure,
  ...(parts.notifier && { notifier: parts.notifier }),
});

export const endpoint = endpointIn<WebuiDeps>();
export const base = '/api/webui/aggregator';
