import type { SignedIn } from '../../shared/access/actor.ts';
import type { BaseDeps, Ctx } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import { baseDeps, type Ingredients } from '../../shared/runtime/deps.ts';

export type DiscoverDeps = BaseDeps;
export const discoverDeps = (given: Ingredients): Promise<DiscoverDeps> => baseDeps(given);
export type DiscoverCtx = Ctx<DiscoverDeps, SignedIn>;

export const endpoint = endpointIn<DiscoverDeps>();
