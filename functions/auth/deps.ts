import type { FleetDeps } from '../../shared/fleet/dispatcher-keys.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import { createHasher } from '../../shared/identity/passwords.ts';
import type { CardDeps } from '../../shared/identity/pkinit/deps.ts';
import type { OpenTcp } from '../../shared/remotes/kerberos/transport.ts';
import type { FleetIngredients } from '../../shared/runtime/deps.ts';
import { fleetDeps } from '../../shared/runtime/fleet-deps.ts';

export type AuthDeps = CardDeps & FleetDeps;

/** With a way to the KDCs of domains. */
export type AuthIngredients = FleetIngredients & { openTcp: OpenTcp };

export const authDeps = async (given: AuthIngredients): Promise<AuthDeps> => ({
  ...(await fleetDeps(given)),
  hasher: createHasher(given.hashing),
  openTcp: given.openTcp,
});

export const endpoint = endpointIn<AuthDeps>();
export const base = '/api/auth/v7.0';
