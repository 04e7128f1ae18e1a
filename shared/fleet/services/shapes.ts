import { z } from 'zod';
import { Id } from '../../http/fields.ts';
import { Conflict, Explanation } from '../explaining.ts';
import { FarmStatus } from '../farm-status.ts';

export const LinkedDomain = z.strictObject({
  authSmallName: z.string(),
  auth: z.string(),
  local_uuid: Id,
  linked: z.boolean(),
  farms: z.array(z.strictObject({ farm_id: Id, dispatcher_uuid: z.string() })),
});

export const ClientService = z.strictObject({
  id: z.string().meta({ description: 'Of the rule, or `<farm id>.<pool uuid>`' }),
  kind: z.enum(['rule', 'pool']),
  name: z.string(),
  description: z.string(),
  image_url: z.string().nullable(),
  protocols: z.array(z.string()),
  in_use: z.boolean(),
  maintenance: z.boolean(),
  maintenance_message: z.string().optional(),
  state: z.enum(['ready', 'busy', 'maintenance', 'unavailable']),
  members: z.int().optional().meta({ description: 'Pools of a rule that the caller may use' }),
  farm_id: Id.optional().meta({ description: 'Of a pool' }),
  sessions: z.array(z.strictObject({ session_uuid: z.string(), state: z.string(), farm_id: Id })),
  conflict: Conflict.optional(),
  link: z.string().meta({ description: 'Relative address of its connectionInfo' }),
});

export const ServicesList = z.strictObject({
  domains: z.array(LinkedDomain),
  services: z.array(ClientService),
  sites: z.array(FarmStatus),
  explain: z.array(Explanation).optional(),
});
