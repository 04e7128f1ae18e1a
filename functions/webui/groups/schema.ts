import { z } from 'zod';
import {
  Comments,
  CreatedAt,
  Id,
  idsOf,
  PageLimit,
  PersonName,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';

const GroupState = z.enum(['active', 'inactive']);
const GroupType = z.enum(['group', 'meta']);

export const GroupWrite = z.object({
  name: PersonName.describe('Name of the group, unique in its domain. Cannot be changed after creation.'),
  external_id: z
    .string()
    .max(1024)
    .nullable()
    .default(null)
    .describe(
      'Distinguished name of the group in the directory, or the identifier that an identity provider sends. Null for an internal or meta group. Cannot be changed after creation.',
    ),
  comments: Comments,
  state: GroupState.default('active').describe(
    '`active`, or `inactive`: the group grants no access to its members. Default `active`.',
  ),
  type: GroupType.default('group').describe(
    '`group`, or `meta`: a group made of other groups. Cannot be changed after creation. Default `group`.',
  ),
  meta_if_any: z
    .boolean()
    .default(false)
    .describe(
      'If true, members of any part belong to the meta group; if false, only members of all parts. Default false.',
    ),
  groups: idsOf('group')
    .default([])
    .describe('Identifiers of the parts of a meta group, groups of the same domain. Default: none.'),
  skip_two_factor: z
    .boolean()
    .default(false)
    .describe(
      'If true, members need not enrol a second factor. An enrolled second factor is still required. Default false.',
    ),
});

export const Group = z.strictObject({
  id: Id.describe('Identifier of the group. Set by the portal.'),
  uuid: Id.describe('Same as `id`.'),
  ...GroupWrite.shape,
  users_count: z.int().describe('Number of users in the group.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const ExternalQuery = z.strictObject({
  search: z.string().max(128).default('').describe('Part of the name of a group. Default: all groups.'),
  limit: PageLimit.describe('Maximum number of groups in the response. Default 50.'),
  cursor: z.string().max(2048).optional().describe('Cursor from the header `Link` of the previous page.'),
});

export const ExternalGroup = z.strictObject({
  id: z.string().describe('Distinguished name of the group.'),
  name: z.string().describe('Name of the group in the directory.'),
  registered: z.boolean().describe('True if the group exists in the portal.'),
});

export const groupFilters = {
  type: GroupType.optional().describe('Only groups of this type.'),
  state: GroupState.optional().describe('Only groups in this state.'),
};
