import { z } from 'zod';
import {
  Comments,
  CreatedAt,
  Id,
  idOf,
  idsOf,
  Name,
  Priority,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';

const Preference = z.strictObject({
  farm_id: idOf('farm').describe('Identifier of the farm. Each farm can occur only once.'),
  priority: Priority.describe('Rank of the farm in this group. Lower numbers are preferred. Default 1.'),
});

/** Sorted by farm, because only the priorities matter and another order is not a change. */
const Preferences = z
  .array(Preference)
  .max(1000)
  .superRefine((farms, context) => {
    const seen = new Set<string>();
    farms.forEach(({ farm_id }, at) => {
      if (seen.has(farm_id)) context.addIssue({ ...repeated, path: [at, 'farm_id'] });
      seen.add(farm_id);
    });
  })
  .transform((farms) => [...farms].sort((a, b) => (a.farm_id < b.farm_id ? -1 : 1)));

const repeated = {
  code: 'custom',
  message: 'Each farm can occur only once',
  params: { code: 'repeated' },
} as const;

export const PriorityGroupWrite = z.object({
  name: Name.describe('Name of the priority group, unique regardless of case.'),
  comments: Comments,
  priority: Priority.describe(
    'Rank among the priority groups of a user. Lower numbers take precedence. Default 1.',
  ),
  users: idsOf('user')
    .default([])
    .describe(
      'Identifiers of the users that the priority group applies to. Without users and groups, it applies to all users.',
    ),
  groups: idsOf('group')
    .default([])
    .describe(
      'Identifiers of the groups that the priority group applies to. Without users and groups, it applies to all users.',
    ),
  farms: Preferences.default([]).describe('Preferred farms. Default: none.'),
});

export const PriorityGroup = z.strictObject({
  id: Id.describe('Identifier of the priority group. Set by the portal.'),
  ...PriorityGroupWrite.shape,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});
