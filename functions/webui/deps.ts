import type { SignedIn } from '../../shared/access/actor.ts';
import type { BaseDeps, Ctx } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import { createHasher, type Hasher } from '../../shared/identity/passwords.ts';
import type { Host } from '../../shared/kernel/version.ts';
import type { UrlPolicy } from '../../shared/remotes/http/address-policy.ts';
import { baseDeps, type Ingredients } from '../../shared/runtime/deps.ts';

export type WebuiDeps = BaseDeps & {
  hasher: Hasher;
  host: Host;
  /** Which addresses dispatchers may have. */
  outbound: UrlPolicy;
  /** Test stands: dispatchers may be used without checking their certificates. */
  allowInsecureDispatchers: boolean;
};
export type WebuiCtx = Ctx<WebuiDeps, SignedIn>;

export const webuiDeps = async (given: Ingredients): Promise<WebuiDeps> => ({
  ...(await baseDeps(given)),
  hasher: createHasher(given.hashing),
  host: given.host,
  outbound: given.outbound,
  allowInsecureDispatchers: given.outbound.allowInsecure,
});

export const endpoint = endpointIn<WebuiDeps>();
export const base = '/api/webui/aggregator';
