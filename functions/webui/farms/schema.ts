import { z } from 'zod';
import { refreshFlag } from '../../../shared/fleet/snapshot/merged-list.ts';
import { Comments, flagFilter, Id, Moment, Name, Status } from '../../../shared/http/fields.ts';
import { listQuery } from '../../../shared/http/list.ts';
import { ignoredReasons } from '../../../shared/remotes/dispatcher/liberal.ts';
import { listKinds } from '../../../shared/remotes/dispatcher/list-shapes.ts';

export const FarmWrite = z.object({
  name: Name,
  site_id: Id,
  comments: Comments,
  enabled: z.boolean().default(true),
  maintenance: z.boolean().default(false),
  maintenance_template_id: Id.nullable().default(null),
  weight: z.int().min(1).max(100).default(10),
  balancing: z
    .enum(['priority', 'round_robin', 'least_loaded'])
    .default('priority')
    .meta({ description: 'How a node of the farm is chosen for a call' }),
});

const IgnoredMember = z.strictObject({
  list: z.enum(listKinds),
  member: z
    .string()
    .meta({ description: 'Name of the member, or `row` for a row that is no object', example: 'ip' }),
  reason: z.enum(ignoredReasons),
  count: z.int().meta({ description: 'Number of rows', example: 3 }),
});

export const Farm = z.strictObject({
  id: Id,
  ...FarmWrite.shape,
  site_name: z.string(),
  tags: z.array(z.string()),
  dispatchers_count: z.int(),
  status: Status,
  last_sync_at: Moment.nullable().meta({
    description:
      'When the part of the farm that was read longest ago was read; null until each part was read once',
  }),
  last_sync_error: z.string().nullable(),
  ignored: z.array(IgnoredMember).meta({
    description:
      'What was ignored when the lists of its nodes were read last; such members are null in the lists',
  }),
  created_at: Moment,
  updated_at: Moment,
});

export const farmFilters = {
  site_id: Id.optional(),
  enabled: flagFilter,
  maintenance: flagFilter,
  status: Status.optional(),
};

/** A tag that a node of the farm knows. */
export const FarmTag = z.strictObject({
  name: z.string(),
  farm_id: Id,
  dispatcher_id: Id.nullable(),
  fetched_at: Moment,
});

export const FarmTagQuery = listQuery(['name'], refreshFlag);

export const farmSorts = ['name', 'weight', 'created_at', 'updated_at'] as const;
