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

/** `null` lifts the locks of the account; `false` takes the second factor away, and anything else of it is ignored. */
export const UserPatch = UserWrite.extend({ locked_until: z.null(), two_factor_enrolled: z.boolean() });

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
