import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Assets } from '../../shared/http/pages/assets.ts';
import { createHasher } from '../../shared/identity/passwords.ts';
import type { CardDeps } from '../../shared/identity/pkinit/deps.ts';
import { createPeerKeys, type PeerKeys } from '../../shared/remotes/peer-keys/kept.ts';
import type { IdentityIngredients } from '../../shared/runtime/deps.ts';
import { fleetDeps } from '../../shared/runtime/edge/fleet-deps.ts';
import type { FleetDeps } from '../../shared/sites/calls/dispatcher-keys.ts';

export type AuthDeps = HttpDeps &
  CardDeps &
  FleetDeps & {
    peerKeys: PeerKeys;
    /** Assets of the sign-in page. */
    assets: Assets;
  };

export const authDeps = async (ingredients: IdentityIngredients): Promise<AuthDeps> => ({
  ...(await fleetDeps(ingredients)),
  hasher: createHasher(ingredients.hashing),
  directories: ingredients.directories,
  kdcs: ingredients.kdcs,
  assets: ingredients.assets,
  peerKeys: createPeerKeys(ingredients.peerKeys, ingredients.singleFlight),
});

export const endpoint = endpointIn<AuthDeps>();
export const base = '/api/auth/v7.0';
