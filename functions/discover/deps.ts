import type { Ctx } from '../../shared/context/context.ts';
import type { SignedIn } from '../../shared/context/principal.ts';
import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Assets } from '../../shared/http/pages/assets.ts';
import type { Descriptors } from '../../shared/kernel/observability/descriptors.ts';
import type { WriteMonitor } from '../../shared/kernel/observability/write-monitor.ts';
import { baseDeps, type RuntimeParts } from '../../shared/runtime/deps.ts';
import { monitorWrites } from '../../shared/runtime/write-monitor.ts';

export type DiscoverDeps = HttpDeps & {
  /** Files of the reference, and the OpenAPI documents. */
  assets: Assets;
  writes: WriteMonitor;
  /** Absent on Workers and Lambda. */
  readDescriptors?: () => Promise<Descriptors | undefined>;
};
export const discoverDeps = async (parts: RuntimeParts): Promise<DiscoverDeps> => ({
  ...(await baseDeps(parts)),
  assets: parts.assets,
  writes: parts.writes ?? monitorWrites(parts.db, parts.log),
  ...(parts.readDescriptors && { readDescriptors: parts.readDescriptors }),
});
export type DiscoverCtx = Ctx<DiscoverDeps, SignedIn>;

export const endpoint = endpointIn<DiscoverDeps>();
