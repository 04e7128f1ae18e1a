import type { Ctx } from '../../shared/context/context.ts';
import type { SignedIn } from '../../shared/context/principal.ts';
import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Assets } from '../../shared/http/pages/assets.ts';
import type { Descriptors } from '../../shared/kernel/observability/descriptors.ts';
import type { WriteWitness } from '../../shared/kernel/observability/write-witness.ts';
import { baseDeps, type RuntimeParts } from '../../shared/runtime/deps.ts';
import { watchWrites } from '../../shared/runtime/writes.ts';

export type DiscoverDeps = HttpDeps & {
  /** Assets of the reference, and the OpenAPI documents. */
  assets: Assets;
  writes: WriteWitness;
  /** Absent on Workers and Lambda. */
  readDescriptors?: () => Promise<Descriptors | undefined>;
};
export const discoverDeps = async (given: RuntimeParts): Promise<DiscoverDeps> => ({
  ...(await baseDeps(given)),
  assets: given.assets,
  writes: given.writes ?? watchWrites(given.db, given.log),
  ...(given.readDescriptors && { readDescriptors: given.readDescriptors }),
});
export type DiscoverCtx = Ctx<DiscoverDeps, SignedIn>;

export const endpoint = endpointIn<DiscoverDeps>();
