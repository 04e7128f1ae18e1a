import type { SignedIn } from '../../shared/access/actor.ts';
import type { Assets } from '../../shared/http/assets.ts';
import type { BaseDeps, Ctx } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import { baseDeps, type Ingredients } from '../../shared/runtime/deps.ts';

export type DiscoverDeps = BaseDeps & {
  /** What the reference is made of, and the documents. */
  assets: Assets;
};
export const discoverDeps = async (given: Ingredients): Promise<DiscoverDeps> => ({
  ...(await baseDeps(given)),
  assets: given.assets,
});
export type DiscoverCtx = Ctx<DiscoverDeps, SignedIn>;

export const endpoint = endpointIn<DiscoverDeps>();
