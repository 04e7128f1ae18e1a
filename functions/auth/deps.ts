import type { FleetDeps } from '../../shared/fleet/dispatcher-keys.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import type { LoginDeps } from '../../shared/identity/login/attempt.ts';
import { createHasher } from '../../shared/identity/passwords.ts';
import { createPeerKeys, type PeerKeys } from '../../shared/remotes/peer-keys/kept.ts';
import type { FleetIngredients } from '../../shared/runtime/deps.ts';
import { fleetDeps } from '../../shared/runtime/fleet-deps.ts';

export type AuthDeps = LoginDeps &
  FleetDeps & {
    /** What tokens of peers must be meant for. */
    baseUrl: string;
    peerKeys: PeerKeys;
  };

export const authDeps = async (given: FleetIngredients): Promise<AuthDeps> => ({
  ...(await fleetDeps(given)),
  hasher: createHasher(given.hashing),
  baseUrl: given.baseUrl,
  peerKeys: createPeerKeys(given.peerKeys, given.share),
});

export const endpoint = endpointIn<AuthDeps>();
export const base = '/api/auth/v7.0';
