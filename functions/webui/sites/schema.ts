import { z } from 'zod';
import {
  Comments,
  CreatedAt,
  flagFilter,
  Id,
  IdsFilter,
  idOf,
  idsOf,
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
  name: Name.describe('Name of the site, unique regardless of case.'),
  uri: z
    .string()
    .regex(/^[a-z0-9](-?[a-z0-9]){0,62}$/, 'Must contain only lower-case letters, digits and single hyphens')
    .meta({ maxLength: 63, example: 'north' })
    .describe('Name of the site in URLs of the client module, unique.'),
  comments: Comments,
  enabled: z.boolean().default(true).describe('If false, the site is neither used nor probed. Default true.'),
  maintenance: z
    .boolean()
    .default(false)
    .describe('If true, the site is in maintenance according to `maintenance_template_id`. Default false.'),
  maintenance_template_id: idOf('maintenance_template')
    .nullable()
    .default(null)
    .describe(
      'Identifier of the maintenance template with times, message and handling of sessions. Null: maintenance starts immediately and has no end.',
    ),
  priority: Priority.describe(
    'Rank of the site in lists sorted by priority. Lower numbers come first. Default 1.',
  ),
  direct_when_gateways_fail: z
    .boolean()
    .default(false)
    .describe(
      'If true, users connect directly when none of the gateways for their network is online. If false, such connections are rejected with 503. Default false.',
    ),
  location: Location.nullable().default(null).describe('Geographic position of the site. Null: not set.'),
  authenticators: idsOf('authenticator')
    .default([])
    .describe('Identifiers of the domains whose active users may use the site. Default: none.'),
  users: idsOf('user')
    .default([])
    .describe('Identifiers of further users that may use the site. Default: none.'),
  groups: idsOf('group')
    .default([])
    .describe('Identifiers of further groups whose members may use the site. Default: none.'),
});

export const Site = z.strictObject({
  id: Id.describe('Identifier of the site. Set by the portal.'),
  ...SiteWrite.shape,
  gateways: z.array(Id).describe('Identifiers of the gateways that serve the site.'),
  farms_count: z.int().describe('Number of farms of the site.'),
  rules_count: z.int().describe('Number of rules of the site.'),
  status: Status.describe(
    '`pass`: at least one dispatcher passes; `fail`: all enabled dispatchers fail; `unknown`: otherwise. Set by probes.',
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
  search: z
    .string()
    .max(128)
    .optional()
    .describe(
      'Part of the login name, the full name or the e-mail address of a user, or of the name of a group. Case is ignored.',
    ),
  authenticator: idOf('authenticator')
    .optional()
    .describe('Only users and groups of the domain with this identifier.'),
  ids: IdsFilter,
  limit: PageLimit.describe('Maximum number of items in the page. Default 50.'),
  cursor: z.string().max(2048).optional().describe('`next` of the previous page.'),
});

export const Assignable = z.strictObject({
  authenticator_id: idOf('authenticator').describe('Identifier of the domain.'),
  authenticator_name: z.string().describe('Name of the domain.'),
  type: z.enum(['user', 'group']).describe('`user` or `group`.'),
  id: z
    .string()
    .describe(
      'Identifier of the user or group. A distinguished name if it exists only in the directory: register the group, or have the user log in, before adding it to a site.',
    ),
  name: z.string().describe('Name of the user or group.'),
});

/** Cause of a failed search in the directory of a domain. */
export const DirectoryFailure = z.strictObject({
  authenticator_id: idOf('authenticator').describe('Identifier of the domain of the directory.'),
  authenticator_name: z.string().describe('Name of the domain of the directory.'),
  code: z.string().meta({ example: 'upstream_timeout' }).describe('Problem code of the failure.'),
  reason: z
    .string()
    .nullable()
    .meta({ example: 'unreachable' })
    .describe('Stable word that specifies the cause within the code. Null if the code has a single cause.'),
  detail: z.string().describe('Explanation of the failure, in the language of the caller.'),
});

export const AssignableList = listOf(Assignable).extend({
  failures: z
    .array(DirectoryFailure)
    .describe(
      'Failure of the directory of `authenticator`. Empty if the directory was searched or not requested.',
    ),
});
