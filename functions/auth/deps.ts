import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Assets } from '../../shared/http/pages/assets.ts';
import { createHasher } from '../../shared/identity/passwords.ts';
import type { CardDeps } from '../../shared/identity/pkinit/deps.ts';
import { createPeerKeys, type PeerKeys } from '../../shared/remotes/peer-keys/kept.ts';
import type { IdentityRuntimeParts } from '../../shared/runtime/deps.ts';
import { fleetDeps } from '../../shared/runtime/edge/fleet-deps.ts';
import type { FleetDeps } from '../../shared/sites/calls/dispatcher-keys.ts';

export type AuthDeps = HttpDeps &
  CardDeps &
  FleetDeps & {
    peerKeys: PeerKeys;
    /** Assets of the sign-in page. */
    assets: Assets;
  };

export const authDeps = async (given: IdentityRuntimeParts): Promise<AuthDeps> => ({
  ...(await fleetDeps(given)),
  hasher: createHasher(given.hashing),
  directories: given.directories,
  kdcs: given.kdcs,
  assets: given.assets,
  peerKeys: createPeerKeys(given.peerKeys, given.singleFlight),
});

export const endpoint = endpointIn<AuthDeps>();
export const base = '/api/auth/v7.0';
