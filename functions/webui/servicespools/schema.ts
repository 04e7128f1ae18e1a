import { z } from 'zod';
import { farmFilters, farmMembers, refreshFlag } from '../../../shared/fleet/snapshot/merged-list.ts';
import { flagFilter, Id, Moment } from '../../../shared/http/fields.ts';
import { listQuery } from '../../../shared/http/list.ts';

export const ServicesPool = z.strictObject({
  uuid: Id,
  name: z.string(),
  short_name: z.string(),
  comments: z.string(),
  state: z.string().meta({ example: 'ready' }),
  visible: z.boolean(),
  ...farmMembers,
  maintenance: z.boolean(),
  maintenance_template_id: Id.nullable(),
  protocols: z.array(z.string()),
  initial_srvs: z.int(),
  cache_l1_srvs: z.int(),
  cache_l2_srvs: z.int(),
  max_srvs: z.int(),
  workplaces_count: z.int(),
  in_use_count: z.int(),
  in_preparation_count: z.int(),
  usage_percent: z.number(),
  restrained: z.boolean(),
  tags: z.array(z.string()),
  fetched_at: Moment,
});

export const ServicesPoolQuery = listQuery(['name', 'usage_percent', 'in_use_count'], {
  ...farmFilters,
  state: z.string().max(64).optional(),
  maintenance: flagFilter,
  tag: z.string().max(64).optional(),
  ...refreshFlag,
});
