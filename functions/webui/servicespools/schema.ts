import { z } from 'zod';
import { farmFilters, farmMembers, refreshFlag } from '../../../shared/fleet/snapshot/merged-list.ts';
import { flagFilter, Id, Moment, Name, TagNames } from '../../../shared/http/fields.ts';
import { listQuery } from '../../../shared/http/list.ts';
import { writeBody } from '../../../shared/http/write-shapes.ts';

/** Null is what the dispatcher does not report. */
export const ServicesPool = z.strictObject({
  uuid: Id,
  name: z.string().nullable(),
  short_name: z.string().nullable(),
  comments: z.string().nullable(),
  state: z.string().meta({
    example: 'ready',
    description: '`unknown` where the dispatcher does not report it; such a pool takes no connections',
  }),
  visible: z.boolean().nullable(),
  ...farmMembers,
  maintenance: z.boolean().nullable(),
  maintenance_template_id: Id.nullable(),
  protocols: z.array(z.string()).nullable(),
  initial_srvs: z.int().nullable(),
  cache_l1_srvs: z.int().nullable(),
  cache_l2_srvs: z.int().nullable(),
  max_srvs: z.int().nullable(),
  workplaces_count: z.int().nullable(),
  in_use_count: z.int().nullable(),
  in_preparation_count: z.int().nullable(),
  usage_percent: z.number().nullable(),
  restrained: z.boolean().nullable(),
  tags: z.array(z.string()).nullable(),
  fetched_at: Moment,
});

const Count = z.int().min(0).max(100_000);

/** Whoever leaves out a size would empty the pool, so that all of them are required. */
export const PoolUpdate = z.object({
  name: Name,
  short_name: z.string().trim().max(128).default(''),
  comments: z.string().max(1024).default(''),
  visible: z.boolean().default(true),
  initial_srvs: Count,
  cache_l1_srvs: Count,
  cache_l2_srvs: Count,
  max_srvs: Count,
  tags: TagNames,
});

export const PoolUpdateBody = writeBody(
  PoolUpdate,
  Object.keys(ServicesPool.shape).filter((name) => !Object.hasOwn(PoolUpdate.shape, name)),
);

const PolicyValue = z.union([z.boolean(), z.number(), z.string(), z.array(z.string()), z.null()]);

export const PolicyList = z.array(
  z.strictObject({
    key: z.string().meta({ example: 'clipboard' }),
    name: z.string(),
    group: z.string(),
    value: PolicyValue,
    default: PolicyValue,
    type: z.string().meta({ example: 'bool' }),
    inherited: z.boolean(),
  }),
);

export const ServicesPoolQuery = listQuery(['name', 'usage_percent', 'in_use_count'], {
  ...farmFilters,
  state: z.string().max(64).optional(),
  maintenance: flagFilter,
  tag: z.string().max(64).optional(),
  ...refreshFlag,
});
