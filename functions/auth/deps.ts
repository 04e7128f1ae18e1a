import type { FleetDeps } from '../../shared/fleet/dispatcher-keys.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import type { LoginDeps } from '../../shared/identity/login.ts';

export type AuthDeps = LoginDeps & FleetDeps;

export const endpoint = endpointIn<AuthDeps>();
export const base = '/api/auth/v7.0';
