import type { SignedIn } from '../../shared/access/actor.ts';
import type { BaseDeps, Ctx } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import type { UrlPolicy } from '../../shared/remotes/http/address-policy.ts';
import { baseDeps, type Ingredients } from '../../shared/runtime/deps.ts';

export type AggregatorDeps = BaseDeps & {
  /** Which addresses the keys of peers may have. */
  outbound: UrlPolicy;
};
export type AggregatorCtx = Ctx<AggregatorDeps, SignedIn>;

export const aggregatorDeps = async (given: Ingredients): Promise<AggregatorDeps> => ({
  ...(await baseDeps(given)),
  outbound: given.outbound,
});

export const endpoint = endpointIn<AggregatorDeps>();
export const base = '/api/aggregator/v7.0';
