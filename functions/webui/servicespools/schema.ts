import { z } from 'zod';
import { writeBody } from '../../../shared/http/records/shapes.ts';
import { flagFilter, Id, idOf, Moment, NodeTagNames } from '../../../shared/shapes/fields.ts';
import { listQuery } from '../../../shared/shapes/list.ts';
import { numberRanges } from '../../../shared/shapes/ranges.ts';
import { farmFilters, farmMembers, refreshFlag } from '../../../shared/snapshot/merged-list.ts';

/** Null if the dispatcher does not report the value. */
export const ServicesPool = z.strictObject({
  uuid: Id.describe('Identifier of the pool, assigned by the dispatcher.'),
  name: z.string().nullable().describe('Name of the pool. Null if the dispatcher does not report it.'),
  short_name: z
    .string()
    .nullable()
    .describe('Short name of the pool. Null if the dispatcher does not report it.'),
  comments: z
    .string()
    .nullable()
    .describe('Notes of the dispatcher. Null if the dispatcher does not report it.'),
  state: z.string().meta({ example: 'ready' }).describe('State of the pool, as reported by the dispatcher.'),
  visible: z
    .boolean()
    .nullable()
    .describe('True if users see the pool. Null if the dispatcher does not report it.'),
  ...farmMembers,
  maintenance: z
    .boolean()
    .nullable()
    .describe('True during maintenance of the pool. Null if the dispatcher does not report it.'),
  maintenance_template_id: idOf('maintenance_template')
    .nullable()
    .describe('Identifier of the maintenance template of the pool. Null if it has no template.'),
  protocols: z
    .array(z.string())
    .nullable()
    .describe(
      'Delivery protocols of the pool, such as `rdp` or `spice`. Null if the dispatcher does not report it.',
    ),
  initial_srvs: z
    .int()
    .nullable()
    .describe('Number of workplaces that the pool starts with. Null if the dispatcher does not report it.'),
  cache_l1_srvs: z
    .int()
    .nullable()
    .describe('Number of workplaces kept running for new users. Null if the dispatcher does not report it.'),
  cache_l2_srvs: z
    .int()
    .nullable()
    .describe(
      'Number of workplaces kept prepared but not running. Null if the dispatcher does not report it.',
    ),
  max_srvs: z
    .int()
    .nullable()
    .describe('Maximum number of workplaces of the pool. Null if the dispatcher does not report it.'),
  workplaces_count: z
    .int()
    .nullable()
    .describe('Number of workplaces of the pool. Null if the dispatcher does not report it.'),
  in_use_count: z
    .int()
    .nullable()
    .describe('Number of workplaces in use. Null if the dispatcher does not report it.'),
  in_preparation_count: z
    .int()
    .nullable()
    .describe('Number of workplaces in preparation. Null if the dispatcher does not report it.'),
  usage_percent: z
    .number()
    .nullable()
    .describe(
      'Used part of the pool in percent, as reported by the dispatcher. Null if the dispatcher does not report it.',
    ),
  restrained: z
    .boolean()
    .nullable()
    .describe(
      'True if the dispatcher restrains the pool, usually after failures to create workplaces. Null if the dispatcher does not report it.',
    ),
  tags: z
    .array(z.string())
    .nullable()
    .describe('Tags of the pool on the dispatcher. Null if the dispatcher does not report it.'),
  fetched_at: Moment.describe('When the data was last read from the dispatcher or changed by an action.'),
});

const Count = z.int().min(0).max(2_147_483_647).nullish();

/** Every value that a dispatcher can report can be sent back. A member without a value is not changed on the dispatcher. */
export const PoolUpdate = z.object({
  name: z
    .string()
    .min(1)
    .max(256)
    .nullable()
    .meta({ example: 'Office' })
    .describe('Name of the pool. Without a value: not changed.'),
  short_name: z.string().max(256).nullish().describe('Short name of the pool. Without a value: not changed.'),
  comments: z
    .string()
    .max(4096)
    .nullish()
    .describe('Notes for administrators. Without a value: not changed.'),
  visible: z.boolean().nullish().describe('True if users see the pool. Without a value: not changed.'),
  initial_srvs: Count.describe(
    'Number of workplaces that the pool starts with. Without a value: not changed.',
  ),
  cache_l1_srvs: Count.describe(
    'Number of workplaces kept running for new users. Without a value: not changed.',
  ),
  cache_l2_srvs: Count.describe(
    'Number of workplaces kept prepared but not running. Without a value: not changed.',
  ),
  max_srvs: Count.describe('Maximum number of workplaces of the pool. Without a value: not changed.'),
  tags: NodeTagNames.nullish().describe(
    'Tags of the pool on the dispatcher. They replace the current tags. Without a value: not changed.',
  ),
});

export const PoolUpdateBody = writeBody(
  PoolUpdate,
  Object.keys(ServicesPool.shape).filter((name) => !Object.hasOwn(PoolUpdate.shape, name)),
);

const PolicyValue = z.union([z.boolean(), z.number(), z.string(), z.array(z.string()), z.null()]);

export const PolicyList = z.array(
  z.strictObject({
    key: z.string().meta({ example: 'clipboard' }).describe('Identifier of the policy on the dispatcher.'),
    name: z.string().describe('Display name of the policy.'),
    group: z.string().describe('Group of the policy.'),
    value: PolicyValue.describe('Current value.'),
    default: PolicyValue.describe('Default value, without a setting of the pool.'),
    type: z.string().meta({ example: 'bool' }).describe('Type of the value, as reported by the dispatcher.'),
    inherited: z.boolean().describe('True if the value is inherited from a higher level.'),
  }),
);

export const ServicesPoolQuery = listQuery(['name', 'usage_percent', 'in_use_count'], {
  ...farmFilters,
  state: z.string().max(64).optional().describe('Only pools in this state.'),
  maintenance: flagFilter.describe('Only pools with this value of `maintenance`.'),
  tag: z.string().max(64).optional().describe('Only pools with this tag.'),
  offered_directly: flagFilter.describe(
    'Only pools that no enabled rule of the site covers, which users see as services of their own; or only pools of rules.',
  ),
  ...numberRanges('usage_percent', 'in_use_count', 'workplaces_count', 'in_preparation_count', 'max_srvs'),
  ...refreshFlag,
});
