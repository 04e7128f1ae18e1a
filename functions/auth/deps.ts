import type { FleetDeps } from '../../shared/fleet/dispatcher-keys.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import type { LoginDeps } from '../../shared/identity/login/attempt.ts';
import { createHasher } from '../../shared/identity/passwords.ts';
import type { IdentityIngredients } from '../../shared/runtime/deps.ts';
import { fleetDeps } from '../../shared/runtime/fleet-deps.ts';

export type AuthDeps = LoginDeps & FleetDeps;

export const authDeps = async (given: IdentityIngredients): Promise<AuthDeps> => ({
  ...(await fleetDeps(given)),
  hasher: createHasher(given.hashing),
  directories: given.directories,
});

export const endpoint = endpointIn<AuthDeps>();
export const base = '/api/auth/v7.0';
