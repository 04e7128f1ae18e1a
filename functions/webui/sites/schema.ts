import { z } from 'zod';
import {
  Comments,
  flagFilter,
  Id,
  Ids,
  Moment,
  Name,
  PageLimit,
  Priority,
  Status,
} from '../../../shared/http/fields.ts';
import { listOf } from '../../../shared/http/list.ts';

const Location = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  country: z.string().max(64).default(''),
});

export const SiteWrite = z.object({
  name: Name,
  uri: z
    .string()
    .regex(/^[a-z0-9](-?[a-z0-9]){0,62}$/, 'Lower-case letters, digits and single hyphens')
    .meta({ maxLength: 63, example: 'north' }),
  comments: Comments,
  enabled: z.boolean().default(true),
  maintenance: z.boolean().default(false),
  maintenance_template_id: Id.nullable().default(null),
  priority: Priority,
  direct_when_gateways_fail: z.boolean().default(false).meta({
    description: 'Users connect directly while no gateway that serves their network is alive; otherwise 503',
  }),
  location: Location.nullable().default(null),
  authenticators: Ids.default([]).meta({ description: 'Domains all of whose active users may use the site' }),
  users: Ids.default([]),
  groups: Ids.default([]),
});

export const Site = z.strictObject({
  id: Id,
  ...SiteWrite.shape,
  gateways: z.array(Id),
  farms_count: z.int(),
  rules_count: z.int(),
  status: Status,
  created_at: Moment,
  updated_at: Moment,
});

export const siteFilters = {
  enabled: flagFilter,
  maintenance: flagFilter,
  status: Status.optional(),
};

export const AssignableQuery = z.strictObject({
  search: z.string().max(128).optional(),
  authenticator: Id.optional(),
  limit: PageLimit,
  cursor: z.string().max(2048).optional(),
});

export const Assignable = z.strictObject({
  authenticator_id: Id,
  authenticator_name: z.string(),
  type: z.enum(['user', 'group']),
  id: z.string().meta({
    description:
      'UUID; of who is known to the directory only, his distinguished name: such a group must be registered, such a user log in, before a site can be given him',
  }),
  name: z.string(),
});

/** Why the directory of a domain could not be searched. */
export const DirectoryFailure = z.strictObject({
  authenticator_id: Id,
  authenticator_name: z.string(),
  code: z.string().meta({ description: 'As of a problem', example: 'upstream_timeout' }),
  reason: z.string().nullable().meta({ example: 'unreachable' }),
  detail: z.string(),
});

export const AssignableList = listOf(Assignable).extend({
  failures: z
    .array(DirectoryFailure)
    .meta({ description: 'The directory of `authenticator`, if it could not be searched' }),
});
