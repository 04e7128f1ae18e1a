import { z } from 'zod';
import type { FleetDeps } from '../../shared/fleet/dispatcher-keys.ts';
import { endpointIn } from '../../shared/http/operation.ts';

export type ClientDeps = FleetDeps;

export const endpoint = endpointIn<ClientDeps>();
export const base = '/aggregator/api/client/v7.0/{site_uri}';
export const SiteParams = z.object({ site_uri: z.string().regex(/^[a-z0-9-]{1,63}$/) });
