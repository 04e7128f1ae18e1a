import type { ClientCtx } from '../../shared/context/context.ts';
import type { AccountPrincipal, UserPrincipal } from '../../shared/context/principal.ts';
import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { LoginDeps } from '../../shared/identity/login/account.ts';
import { createHasher } from '../../shared/identity/passwords.ts';
import type { DirectoryRemote } from '../../shared/remotes/directory/port.ts';
import { baseDeps, type RuntimeParts } from '../../shared/runtime/deps.ts';

export type UserinfoDeps = HttpDeps & LoginDeps;
export type UserinfoCtx = ClientCtx<UserinfoDeps, AccountPrincipal>;
/** Error codes of operations that a service token cannot use. */
export type LoginCtx = ClientCtx<UserinfoDeps, UserPrincipal>;

export const userinfoDeps = async (
  parts: RuntimeParts & { directories: DirectoryRemote },
): Promise<UserinfoDeps> => ({
  ...(await baseDeps(parts)),
  directories: parts.directories,
  hasher: createHasher(parts.hashing),
});

export const endpoint = endpointIn<UserinfoDeps>();
export const base = '/api/userinfo';
