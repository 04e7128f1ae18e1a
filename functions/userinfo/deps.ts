import type { SignedIn } from '../../shared/access/actor.ts';
import type { BaseDeps, Ctx } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import { createHasher, type Hasher } from '../../shared/identity/passwords.ts';
import { baseDeps, type Ingredients } from '../../shared/runtime/deps.ts';

export type UserinfoDeps = BaseDeps & { hasher: Hasher };
export type UserinfoCtx = Ctx<UserinfoDeps, SignedIn>;

export const userinfoDeps = async (given: Ingredients): Promise<UserinfoDeps> => ({
  ...(await baseDeps(given)),
  hasher: createHasher(given.hashing),
});

export const endpoint = endpointIn<UserinfoDeps>();
export const base = '/api/userinfo';
