import { z } from 'zod';
import { userNameForms } from '../../../shared/remotes/dispatcher/port.ts';
import { ignoredReasons, listKinds } from '../../../shared/remotes/dispatcher/rows.ts';
import {
  Comments,
  CreatedAt,
  flagFilter,
  Id,
  idOf,
  Moment,
  Name,
  State,
  Status,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';
import { listQuery } from '../../../shared/shapes/list.ts';
import { refreshFlag } from '../../../shared/snapshot/merged-list.ts';
import { Capabilities, DispatcherKind } from '../dispatcher-kinds.ts';

const IdentityDomain = z.strictObject({
  label: z.string().min(1).max(128).describe('Label of the domain in the portal.'),
  node_label: z.string().min(1).max(128).describe('Label of the domain on the dispatchers.'),
  user_names: z
    .enum(userNameForms)
    .describe(
      'Form of the login names on the dispatchers: `unchanged`, `lower_case`, or `without_suffix` (without the part from `@` on).',
    ),
});

export const FarmWrite = z.object({
  name: Name.describe('Name of the farm, unique regardless of case.'),
  site_id: idOf('site').describe('Identifier of the site of the farm.'),
  comments: Comments,
  enabled: z.boolean().default(true).describe('If false, the farm is neither used nor probed. Default true.'),
  maintenance: z
    .boolean()
    .default(false)
    .describe('If true, the farm is in maintenance according to `maintenance_template_id`. Default false.'),
  maintenance_template_id: idOf('maintenance_template')
    .nullable()
    .default(null)
    .describe(
      'Identifier of the maintenance template with times, message and handling of sessions. Null: maintenance starts immediately and has no end.',
    ),
  weight: z
    .int()
    .min(1)
    .max(100)
    .default(10)
    .describe(
      'Relative capacity of the farm from 1 to 100, for sorting only. Not used for routing. Default 10.',
    ),
  balancing: z
    .enum(['priority', 'round_robin', 'least_loaded'])
    .default('priority')
    .describe(
      'Selection of a node for a call: `priority` (lowest number), `round_robin` (in turn) or `least_loaded` (fastest response). Default `priority`.',
    ),
  creates_users: z
    .boolean()
    .default(false)
    .describe(
      'If true, a user that the dispatchers do not have is created there at the first use. Used only by dispatchers with the capability `identity_mapping`. Default false.',
    ),
  identity_domains: z
    .array(IdentityDomain)
    .max(50)
    .default([])
    .describe(
      'Domains whose label or login names differ on the dispatchers, at most 50. A domain without an entry has the same label and login names. Used only by dispatchers with the capability `identity_mapping`.',
    ),
});

const IgnoredMember = z.strictObject({
  list: z
    .enum(listKinds)
    .describe('List of the node: `servicespools`, `workplaces`, `spsessions` or `tags`.'),
  member: z
    .string()
    .meta({ example: 'ip' })
    .describe('Name of the field, or `row` if the whole row was ignored.'),
  reason: z
    .enum(ignoredReasons)
    .describe(
      'Cause: `missing`, `wrong_type`, `out_of_range`, `wrong_format`, `unknown_value` or `unusable` (the row has no identifier).',
    ),
  count: z.int().meta({ example: 3 }).describe('Number of rows with this error.'),
});

export const Farm = z.strictObject({
  id: Id.describe('Identifier of the farm. Set by the portal.'),
  ...FarmWrite.shape,
  site_name: z.string().describe('Name of the site.'),
  tags: z.array(z.string()).describe('Tags reported by the dispatchers of the farm.'),
  kind: DispatcherKind.nullable().describe(
    'Type of the dispatchers of the farm: `dispatcher` or `openuds`. Null for a farm without dispatchers.',
  ),
  capabilities: Capabilities.describe(
    'What the dispatchers of the farm can do. Empty for a farm without dispatchers.',
  ),
  dispatchers_count: z.int().describe('Number of dispatchers in the farm.'),
  status: Status.describe(
    '`pass`: at least one dispatcher passes; `fail`: all enabled dispatchers fail; `unknown`: otherwise. Set by probes.',
  ),
  state: State,
  last_sync_at: Moment.nullable().describe(
    'When the oldest part of the data of the farm was read. Null until all parts have been read once.',
  ),
  last_sync_error: z
    .string()
    .nullable()
    .describe('Problem code of a part of the data that could not be read. Null if all parts were read.'),
  ignored: z
    .array(IgnoredMember)
    .describe(
      'Fields that were ignored when the lists of the nodes were last read. Such a field is null in the lists.',
    ),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const farmFilters = {
  site_id: idOf('site').optional().describe('Only farms of the site with this identifier.'),
  enabled: flagFilter.describe('Only farms with this value of `enabled`.'),
  maintenance: flagFilter.describe('Only farms with this value of `maintenance`.'),
  status: Status.optional().describe('Only farms with this status.'),
};

/** A tag that a node of the farm reports. */
export const FarmTag = z.strictObject({
  name: z.string().describe('Name of the tag, as reported by the dispatcher.'),
  farm_id: idOf('farm').describe('Identifier of the farm.'),
  dispatcher_id: idOf('dispatcher')
    .nullable()
    .describe('Identifier of the dispatcher that reported the tag. Null if the dispatcher was deleted.'),
  fetched_at: Moment.describe('When the tag was read.'),
});

export const FarmTagQuery = listQuery(['name'], refreshFlag);

export const farmSorts = ['name', 'weight', 'created_at', 'updated_at'] as const;
