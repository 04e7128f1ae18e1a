import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Notifier } from '../../shared/kernel/concurrency/notifier.ts';
import { createDispatchers } from '../../shared/remotes/dispatcher/kinds.ts';
import type { FleetRuntimeParts } from '../../shared/runtime/deps.ts';
import { fleetDeps } from '../../shared/runtime/edge/fleet-deps.ts';
import type { FleetDeps } from '../../shared/sites/calls/dispatcher-keys.ts';
import { createRdpSigner, type SignDetached } from './rdp-signing.ts';

export type ClientDeps = HttpDeps &
  FleetDeps & {
    /** Signs `.rdp` files. If absent, they are not signed. */
    signRdp?: SignDetached;
    /** Notifies waiting requests of session agents. Absent if requests do not share a process. */
    notifier?: Notifier;
  };

export const clientDeps = async (parts: FleetRuntimeParts): Promise<ClientDeps> => ({
  ...(await fleetDeps(parts, createDispatchers)),
  ...(parts.notifier && { notifier: parts.notifier }),
  ...(parts.rdpSigning && { signRdp: await createRdpSigner(parts.rdpSigning) }),
});

export const endpoint = endpointIn<ClientDeps>();
export const base = '/aggregator/api/client/v7.0/{site_uri}';
