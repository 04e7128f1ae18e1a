import type { SignedIn } from '../../shared/access/actor.ts';
import type { BaseDeps, Ctx } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/operation.ts';

export type DiscoverDeps = BaseDeps;
export type DiscoverCtx = Ctx<DiscoverDeps, SignedIn>;

export const endpoint = endpointIn<DiscoverDeps>();
