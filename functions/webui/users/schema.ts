import { z } from 'zod';
import {
  Comments,
  CreatedAt,
  EmailAddress,
  Id,
  idOf,
  idsOf,
  Moment,
  PersonName,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';

const UserState = z.enum(['active', 'inactive']);
const UserKind = z.enum(['person', 'service']);

export const UserWrite = z.object({
  name: PersonName.describe('Login name, unique in its domain. It cannot be changed in a directory domain.'),
  real_name: z.string().trim().max(256).default('').describe('Full name of the user. Default: empty.'),
  email: z
    .union([z.literal(''), EmailAddress])
    .default('')
    .describe('E-mail address of the user. Default: empty.'),
  comments: Comments,
  state: UserState.default('active').describe(
    '`active`, or `inactive`: the user cannot log in, and their sessions end. Default `active`.',
  ),
  kind: UserKind.default('person').describe(
    '`person`: logs in with a password; `service`: has no password and uses service tokens. Default `person`.',
  ),
  password: z
    .string()
    .max(1024)
    .nullable()
    .default(null)
    .describe(
      'Password of a person in an internal domain, required for a new user. Never returned. Null keeps the stored password.',
    ),
  must_change_password: z
    .boolean()
    .default(false)
    .describe('If true, the user must change the password after the next login. Default false.'),
  groups: idsOf('group')
    .default([])
    .describe('Identifiers of the groups of the user. Read-only in a directory domain. Default: none.'),
  roles: idsOf('role').default([]).describe('Identifiers of the roles of the user. Default: none.'),
});

/**
 * `locked_until` null unlocks the account; `two_factor_enrolled` false removes the second factor; other values are
 * ignored. A password can be replaced but not removed.
 */
export const UserPatch = UserWrite.extend({
  password: z
    .string()
    .max(1024)
    .describe('New password. Null is rejected: a password can be replaced but not removed.'),
  locked_until: z.null().optional().describe('Null unlocks the account.'),
  two_factor_enrolled: z
    .boolean()
    .optional()
    .describe('False removes the second factor of the user. True is ignored.'),
});

export const User = z.strictObject({
  id: Id.describe('Identifier of the user. Set by the portal.'),
  uuid: Id.describe('Same as `id`.'),
  ...UserWrite.shape,
  password: z.null().describe('Always null: the password is never returned.'),
  password_set: z.boolean().describe('True if a password is stored.'),
  attributes: z
    .record(z.string(), z.string())
    .describe('Attributes copied from the directory at login, by name.'),
  two_factor_enrolled: z.boolean().describe('True if the user has enrolled a second factor.'),
  locked_until: Moment.nullable().describe(
    'Time until which the account is locked. Null if it is not locked.',
  ),
  last_login_at: Moment.nullable().describe('Last login of the user. Null before the first.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const userFilters = {
  state: UserState.optional().describe('Only users in this state.'),
  kind: UserKind.optional().describe('Only users of this kind.'),
  group: idOf('group').optional().describe('Only members of the group with this identifier.'),
  role: idOf('role').optional().describe('Only users with the role of this identifier.'),
};
