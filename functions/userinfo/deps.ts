import type { SignedIn } from '../../shared/access/actor.ts';
import type { BaseDeps, Ctx } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import type { Hasher } from '../../shared/identity/passwords.ts';

export type UserinfoDeps = BaseDeps & { hasher: Hasher };
export type UserinfoCtx = Ctx<UserinfoDeps, SignedIn>;

export const endpoint = endpointIn<UserinfoDeps>();
export const base = '/api/userinfo';
