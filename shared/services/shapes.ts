import { z } from 'zod';
import { Explanation } from '../routing/explain-query.ts';
import { Id, Moment } from '../shapes/fields.ts';
import { UserFarmStatus } from '../sites/farm-status.ts';
import { ClientService } from './service-shape.ts';

export const LinkedDomain = z.strictObject({
  authSmallName: z.string().describe('Short label of the domain.'),
  auth: z.string().describe('Name of the domain.'),
  local_uuid: Id.describe('Identifier of the domain in this portal.'),
  linked: z.boolean().describe('True if at least one farm of the site has a domain with this label.'),
  farms: z
    .array(
      z.strictObject({
        farm_id: Id.describe('Identifier of the farm.'),
        dispatcher_uuid: z.string().describe('Identifier of the domain on the dispatchers of the farm.'),
      }),
    )
    .describe('Farms of the site that have a domain with this label.'),
});

const AnnouncedMaintenance = z.strictObject({
  farm_id: Id.nullable().describe('Identifier of the farm in maintenance. Null: the whole site.'),
  name: z.string().describe('Name of the farm or site.'),
  starts_at: Moment.nullable().describe('Start of the maintenance. Null: it has begun.'),
  ends_at: Moment.nullable().describe('End of the maintenance. Null: not known.'),
  blocks_new_sessions: z
    .boolean()
    .describe('True if new sessions are not possible from the start to the end.'),
  message: z.string().describe('Message of the administrator for users. Empty if it is not set.'),
});

export const ServicesList = z.strictObject({
  domains: z
    .array(LinkedDomain)
    .describe(
      'Visible domains and the domain of the caller, with the farms that have a domain with the same label.',
    ),
  services: z.array(ClientService).describe('Services of the caller, ordered by name.'),
  sites: z.array(UserFarmStatus).describe('State of the data, one entry for each farm of the site.'),
  announced_maintenance: z
    .array(AnnouncedMaintenance)
    .describe(
      'Announced and current maintenance of the site, and of the farms that have services of the caller. Maintenance of a pool is shown by its services only.',
    ),
  explain: z
    .array(Explanation)
    .optional()
    .describe('Decisions about the members of each rule. Present only with `explain=true`.'),
});
