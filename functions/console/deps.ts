import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Assets } from '../../shared/http/pages/assets.ts';
import { baseDeps, type RuntimeParts } from '../../shared/runtime/deps.ts';

export type ConsoleDeps = HttpDeps & {
  /** Files of the console. */
  assets: Assets;
};
export const consoleDeps = async (parts: RuntimeParts): Promise<ConsoleDeps> => ({
  ...(await baseDeps(parts)),
  assets: parts.assets,
});

export const endpoint = endpointIn<ConsoleDeps>();
