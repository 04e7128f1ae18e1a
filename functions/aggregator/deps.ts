import { createSigningKeys, type SigningKeys } from '../../shared/access/signing-keys.ts';
import type { Ctx } from '../../shared/context/context.ts';
import type { SignedIn } from '../../shared/context/principal.ts';
import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Host } from '../../shared/kernel/version.ts';
import type { UrlPolicy } from '../../shared/remotes/http/address-policy.ts';
import { createPeerKeyCache, type PeerKeyCache } from '../../shared/remotes/peer-keys/peer-key-cache.ts';
import { baseDeps, type FleetRuntimeParts } from '../../shared/runtime/deps.ts';

export type AggregatorDeps = HttpDeps & {
  host: Host;
  signingKeys: SigningKeys;
  peerKeys: PeerKeyCache;
  /** The allowed addresses of peer keys. */
  outbound: UrlPolicy;
};
export type AggregatorCtx = Ctx<AggregatorDeps, SignedIn>;

/** The outbound dependencies of this module: reading the keys of peers. */
export type AggregatorIngredients = Omit<FleetRuntimeParts, 'dispatchers'>;

export const aggregatorDeps = async (ingredients: AggregatorIngredients): Promise<AggregatorDeps> => ({
  ...(await baseDeps(ingredients)),
  host: ingredients.host,
  signingKeys: await createSigningKeys(ingredients.signingKeys, ingredients.baseUrl),
  peerKeys: createPeerKeyCache(ingredients.peerKeys, ingredients.singleFlight),
  outbound: ingredients.outbound,
});

export const endpoint = endpointIn<AggregatorDeps>();
export const base = '/api/aggregator/v7.0';
