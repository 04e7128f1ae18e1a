import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Assets } from '../../shared/http/pages/assets.ts';
import { createHasher } from '../../shared/identity/passwords.ts';
import type { CardDeps } from '../../shared/identity/pkinit/deps.ts';
import { createDispatcherKeys } from '../../shared/remotes/dispatcher/key-kinds.ts';
import type { DispatcherKeys } from '../../shared/remotes/dispatcher/port.ts';
import { createPeerKeyCache, type PeerKeyCache } from '../../shared/remotes/peer-keys/peer-key-cache.ts';
import type { IdentityRuntimeParts } from '../../shared/runtime/deps.ts';
import { fleetDeps } from '../../shared/runtime/edge/fleet-deps.ts';
import type { FleetDeps } from '../../shared/sites/calls/dispatcher-keys.ts';

export type AuthDeps = HttpDeps &
  CardDeps &
  Omit<FleetDeps, 'dispatchers'> & {
    dispatchers: DispatcherKeys;
    peerKeys: PeerKeyCache;
    /** Assets of the sign-in page. */
    assets: Assets;
  };

export const authDeps = async (parts: IdentityRuntimeParts): Promise<AuthDeps> => ({
  ...(await fleetDeps(parts, createDispatcherKeys)),
  hasher: createHasher(parts.hashing),
  directories: parts.directories,
  kdcs: parts.kdcs,
  assets: parts.assets,
  peerKeys: createPeerKeyCache(parts.peerKeys, parts.singleFlight),
});

export const endpoint = endpointIn<AuthDeps>();
export const base = '/api/auth/v7.0';
