import { createSigningKeys, type SigningKeys } from '../../shared/access/signing-keys.ts';
import type { Ctx } from '../../shared/context/context.ts';
import type { SignedIn } from '../../shared/context/principal.ts';
import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Host } from '../../shared/kernel/version.ts';
import type { UrlPolicy } from '../../shared/remotes/http/address-policy.ts';
import { createPeerKeys, type PeerKeys } from '../../shared/remotes/peer-keys/kept.ts';
import { baseDeps, type FleetIngredients } from '../../shared/runtime/deps.ts';

export type AggregatorDeps = HttpDeps & {
  host: Host;
  signingKeys: SigningKeys;
  peerKeys: PeerKeys;
  /** Which addresses the keys of peers may have. */
  outbound: UrlPolicy;
};
export type AggregatorCtx = Ctx<AggregatorDeps, SignedIn>;

/** What this module needs of the means to reach others: the keys of peers. */
export type AggregatorIngredients = Omit<FleetIngredients, 'dispatchers'>;

export const aggregatorDeps = async (given: AggregatorIngredients): Promise<AggregatorDeps> => ({
  ...(await baseDeps(given)),
  host: given.host,
  signingKeys: await createSigningKeys(given.signingKeys, given.baseUrl),
  peerKeys: createPeerKeys(given.peerKeys, given.singleFlight),
  outbound: given.outbound,
});

export const endpoint = endpointIn<AggregatorDeps>();
export const base = '/api/aggregator/v7.0';
