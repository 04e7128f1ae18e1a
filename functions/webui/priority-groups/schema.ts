import { z } from 'zod';
import { Comments, Id, Ids, Moment, Name, Priority } from '../../../shared/http/fields.ts';

const Preference = z.strictObject({ farm_id: Id, priority: Priority });

/** Ordered by farm, so that another order is no change: what counts is the priority of each. */
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
  message: 'A farm may be named once',
  params: { code: 'repeated' },
} as const;

export const PriorityGroupWrite = z.object({
  name: Name,
  comments: Comments,
  priority: Priority.meta({ description: 'Of several groups that are for somebody, lower ones come first' }),
  users: Ids.default([]).meta({ description: 'For whom it is; without users and groups, for everybody' }),
  groups: Ids.default([]),
  farms: Preferences.default([]).meta({ description: 'Which farms to prefer, lower priorities first' }),
});

export const PriorityGroup = z.strictObject({
  id: Id,
  ...PriorityGroupWrite.shape,
  created_at: Moment,
  updated_at: Moment,
});
