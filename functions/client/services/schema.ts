import { z } from 'zod';
import { FarmStatus } from '../../../shared/fleet/farm-status.ts';
import { Id } from '../../../shared/http/fields.ts';

export const LinkedDomain = z.strictObject({
  authSmallName: z.string(),
  auth: z.string(),
  local_uuid: Id,
  linked: z.boolean(),
  farms: z.array(z.strictObject({ farm_id: Id, dispatcher_uuid: z.string() })),
});

export const ClientService = z.strictObject({
  id: z.string().meta({ description: '`<farm id>.<pool uuid>`' }),
  kind: z.enum(['rule', 'pool']),
  name: z.string(),
  description: z.string(),
  image_url: z.string().nullable(),
  protocols: z.array(z.string()),
  in_use: z.boolean(),
  maintenance: z.boolean(),
  maintenance_message: z.string().optional(),
  state: z.enum(['ready', 'busy', 'maintenance', 'unavailable']),
  farm_id: Id,
  sessions: z.array(z.strictObject({ session_uuid: z.string(), state: z.string(), farm_id: Id })),
  link: z.string().meta({ description: 'Relative address of its connectionInfo' }),
});

export const ServicesList = z.strictObject({
  domains: z.array(LinkedDomain),
  services: z.array(ClientService),
  sites: z.array(FarmStatus),
});
