import { z } from 'zod';
import { Comments, Id, Ids, Moment, Name, PageLimit } from '../../../shared/http/fields.ts';

const GroupState = z.enum(['active', 'inactive']);
const GroupType = z.enum(['group', 'meta']);

export const GroupWrite = z.object({
  name: Name.meta({ description: 'Set at creation only' }),
  external_id: z.string().max(1024).nullable().default(null).meta({ description: 'DN of a directory group' }),
  comments: Comments,
  state: GroupState.default('active'),
  type: GroupType.default('group').meta({ description: 'Set at creation only' }),
  meta_if_any: z
    .boolean()
    .default(false)
    .meta({ description: 'Members of any part belong to the meta group; otherwise members of all parts' }),
  groups: Ids.default([]).meta({ description: 'The parts of a meta group: groups of the same domain' }),
  skip_two_factor: z.boolean().default(false),
});

export const Group = z.strictObject({
  id: Id,
  uuid: Id,
  ...GroupWrite.shape,
  users_count: z.int(),
  created_at: Moment,
  updated_at: Moment,
});

export const ExternalQuery = z.strictObject({
  search: z.string().max(128).default(''),
  limit: PageLimit,
  cursor: z.string().max(2048).optional().meta({ description: 'From the `Link` header of the page before' }),
});

export const ExternalGroup = z.strictObject({
  id: z.string().meta({ description: 'Distinguished name' }),
  name: z.string(),
  registered: z.boolean(),
});

export const groupFilters = { type: GroupType.optional(), state: GroupState.optional() };
