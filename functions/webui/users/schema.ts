import { z } from 'zod';
import { Comments, Id, Ids, Moment, Name } from '../../../shared/http/fields.ts';

const UserState = z.enum(['active', 'inactive']);
const UserKind = z.enum(['person', 'service']);

export const UserWrite = z.object({
  name: Name,
  real_name: z.string().trim().max(256).default(''),
  email: z.union([z.literal(''), z.email().max(256)]).default(''),
  comments: Comments,
  state: UserState.default('active'),
  kind: UserKind.default('person'),
  password: z
    .string()
    .max(1024)
    .nullable()
    .default(null)
    .meta({ description: 'Required for a new person of an internal domain; never read back' }),
  must_change_password: z.boolean().default(false),
  groups: Ids.default([]),
  roles: Ids.default([]),
});

/**
 * `locked_until` null lifts the locks of the account; `two_factor_enrolled` false removes the second factor, and any other value
 * is ignored. A password can be replaced and not removed.
 */
export const UserPatch = UserWrite.extend({
  password: z.string().max(1024).meta({ description: 'Cannot be removed: `null` is refused' }),
  locked_until: z.null().optional(),
  two_factor_enrolled: z.boolean().optional(),
});

export const User = z.strictObject({
  id: Id,
  uuid: Id,
  ...UserWrite.shape,
  password: z.null(),
  password_set: z.boolean(),
  attributes: z.record(z.string(), z.string()),
  two_factor_enrolled: z.boolean(),
  locked_until: Moment.nullable(),
  last_login_at: Moment.nullable(),
  created_at: Moment,
  updated_at: Moment,
});

export const userFilters = {
  state: UserState.optional(),
  kind: UserKind.optional(),
  group: Id.optional(),
  role: Id.optional(),
};
