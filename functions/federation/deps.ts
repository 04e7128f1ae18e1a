import type { HttpDeps } from '../../shared/http/context.ts';
import { endpointIn } from '../../shared/http/declare/operation.ts';
import type { Assets } from '../../shared/http/pages/assets.ts';
import type { LoginDeps } from '../../shared/identity/login/account.ts';
import { createHasher } from '../../shared/identity/passwords.ts';
import type { Sealer } from '../../shared/kernel/crypto/sealing.ts';
import type { DirectoryRemote } from '../../shared/remotes/directory/port.ts';
import type { Transport } from '../../shared/remotes/http/transport.ts';
import type { OidcRemote } from '../../shared/remotes/oidc/port.ts';
import { createOidcRemote } from '../../shared/remotes/oidc/remote.ts';
import { baseDeps, type FleetRuntimeParts } from '../../shared/runtime/deps.ts';

export type FederationDeps = HttpDeps &
  LoginDeps & {
    /** Calls identity providers. */
    transport: Transport;
    providers: OidcRemote;
    /** Seals the cookies of sign-ins that wait for a provider. */
    attemptSealer: Sealer;
    assets: Assets;
  };

/** Passkeys belong to domains whose passwords the portal stores, and a provider checks its own, so no directory is asked. */
const noDirectories: DirectoryRemote = {
  within: async () => {
    throw new Error('this module does not connect to directories');
  },
};

export async function federationDeps(parts: Omit<FleetRuntimeParts, 'peerKeys'>): Promise<FederationDeps> {
  const base = await baseDeps(parts);
  return {
    ...base,
    directories: noDirectories,
    hasher: createHasher(parts.hashing),
    transport: parts.dispatcherTransport,
    providers: createOidcRemote({ transport: parts.dispatcherTransport, singleFlight: parts.singleFlight }),
    attemptSealer: await base.sealer.derive('provider attempt'),
    assets: parts.assets,
  };
}

export const endpoint = endpointIn<FederationDeps>();
export const passkeyBase = '/api/auth/v7.0/passkeys';
