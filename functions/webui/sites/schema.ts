import { z } from 'zod';
import {
  Comments,
  CreatedAt,
  flagFilter,
  Id,
  Ids,
  Name,
  PageLimit,
  Priority,
  State,
  Status,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';
import { listOf } from '../../../shared/shapes/list.ts';

const Location = z.strictObject({
  latitude: z.number().min(-90).max(90).describe('Latitude in degrees.'),
  longitude: z.number().min(-180).max(180).describe('Longitude in degrees.'),
  country: z.string().max(64).default('').describe('Name or code of the country. Default: empty.'),
});

export const SiteWrite = z.object({
  name: Name.describe('Name of the site, unique without regard to case.'),
  uri: z
    .string()
    .regex(/^[a-z0-9](-?[a-z0-9]){0,62}$/, 'Lower-case letters, digits and single hyphens')
    .meta({ maxLength: 63, example: 'north' })
    .describe('Name of the site in URLs of the client module, unique.'),
  comments: Comments,
  enabled: z.boolean().default(true).describe('False: the site is neither used nor probed. Default true.'),
  maintenance: z
    .boolean()
    .default(false)
    .describe('True: the site is in maintenance, as `maintenance_template_id` says. Default false.'),
  maintenance_template_id: Id.nullable()
    .default(null)
    .describe(
      'Identifier of the maintenance template that sets times, message and sessions. Null: at once and without end.',
    ),
  priority: Priority.describe(
    'Rank of the site in lists sorted by priority: lower numbers come first. Default 1.',
  ),
  direct_when_gateways_fail: z
    .boolean()
    .default(false)
    .describe(
      'True: users connect directly if gateways serve their network and none is alive; false: the answer is 503. Default false.',
    ),
  location: Location.nullable().default(null).describe('Geographic position of the site. Null: not set.'),
  authenticators: Ids.default([]).describe(
    'Identifiers of domains. All their active users may use the site. Default: none.',
  ),
  users: Ids.default([]).describe('Identifiers of users that may use the site as well. Default: none.'),
  groups: Ids.default([]).describe(
    'Identifiers of groups whose members may use the site as well. Default: none.',
  ),
});

export const Site = z.strictObject({
  id: Id.describe('Identifier of the site. Set by the portal.'),
  ...SiteWrite.shape,
  gateways: z.array(Id).describe('Identifiers of the gateways that serve the site.'),
  farms_count: z.int().describe('Number of farms of the site.'),
  rules_count: z.int().describe('Number of rules of the site.'),
  status: Status.describe(
    '`pass`: a dispatcher passes; `fail`: all enabled ones fail; `unknown`: otherwise. Set by probes.',
  ),
  state: State,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const siteFilters = {
  enabled: flagFilter.describe('Only sites with this value of `enabled`.'),
  maintenance: flagFilter.describe('Only sites with this value of `maintenance`.'),
  status: Status.optional().describe('Only sites with this status.'),
};

export const AssignableQuery = z.strictObject({
  search: z.string().max(128).optional().describe('Part of the name of a user or group.'),
  authenticator: Id.optional().describe('Only users and groups of the domain with this identifier.'),
  limit: PageLimit.describe('Largest number of items in the page. Default 50.'),
  cursor: z.string().max(2048).optional().describe('`next` of the previous page.'),
});

export const Assignable = z.strictObject({
  authenticator_id: Id.describe('Identifier of the domain.'),
  authenticator_name: z.string().describe('Name of the domain.'),
  type: z.enum(['user', 'group']).describe('`user` or `group`.'),
  id: z
    .string()
    .describe(
      'Identifier of the user or group. A distinguished name if only the directory has it: a group must then be registered and a user log in before a site can list it.',
    ),
  name: z.string().describe('Name of the user or group.'),
});

/** Why the directory of a domain could not be searched. */
export const DirectoryFailure = z.strictObject({
  authenticator_id: Id.describe('Identifier of the domain of the directory.'),
  authenticator_name: z.string().describe('Name of the domain of the directory.'),
  code: z.string().meta({ example: 'upstream_timeout' }).describe('Problem code of the failure.'),
  reason: z
    .string()
    .nullable()
    .meta({ example: 'unreachable' })
    .describe('Stable word that narrows the code. Null if the code needs none.'),
  detail: z.string().describe('Sentence on the failure, in the language of the caller.'),
});

export const AssignableList = listOf(Assignable).extend({
  failures: z
    .array(DirectoryFailure)
    .describe(
      'Failure of the directory of `authenticator`. Empty if it was searched, or none was asked for.',
    ),
});
