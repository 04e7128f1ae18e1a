import type { FleetDeps } from '../../shared/fleet/dispatcher-keys.ts';
import { endpointIn } from '../../shared/http/operation.ts';
import type { FleetIngredients } from '../../shared/runtime/deps.ts';
import { fleetDeps } from '../../shared/runtime/fleet-deps.ts';

export type ClientDeps = FleetDeps;

export const clientDeps = (given: FleetIngredients): Promise<ClientDeps> => fleetDeps(given);

export const endpoint = endpointIn<ClientDeps>();
export const base = '/aggregator/api/client/v7.0/{site_uri}';
