import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Assets } from '../../shared/http/pages/assets.ts';
import { baseDeps, type RuntimeParts } from '../../shared/runtime/deps.ts';

export type HomeDeps = HttpDeps & {
  /** Files of the page. */
  assets: Assets;
};
export const homeDeps = async (parts: RuntimeParts): Promise<HomeDeps> => ({
  ...(await baseDeps(parts)),
  assets: parts.assets,
});

export const endpoint = endpointIn<HomeDeps>();
