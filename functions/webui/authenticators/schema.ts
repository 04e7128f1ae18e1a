import { z } from 'zod';
import { Comments, Id, Moment, Name, Priority, TagNames } from '../../../shared/http/fields.ts';

const DomainState = z.enum(['visible', 'hidden', 'disabled']);
const DomainType = z.enum(['internal', 'ldap', 'active_directory', 'freeipa']);

export const AuthenticatorWrite = z.object({
  name: Name,
  small_name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Letters, digits, hyphen and underscore')
    .meta({ description: 'The label by which dispatchers know the domain', example: 'corp' }),
  type: DomainType,
  comments: Comments,
  priority: Priority,
  state: DomainState.default('visible'),
  subjects: z.enum(['all', 'users', 'staff']).default('all'),
  two_factor: z.boolean().default(false),
  params: z.strictObject({}).default({}),
  tags: TagNames,
});

export const Authenticator = z.strictObject({
  id: Id,
  uuid: Id,
  ...AuthenticatorWrite.shape,
  attributes: z.array(z.strictObject({ name: z.string(), source: z.string(), title: z.string() })),
  users_count: z.int(),
  groups_count: z.int(),
  created_at: Moment,
  updated_at: Moment,
});

export const authenticatorFilters = {
  type: DomainType.optional(),
  state: DomainState.optional(),
  tag: z.string().max(64).optional(),
};
