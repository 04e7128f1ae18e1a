import { z } from 'zod';
import { permissions } from '../../../shared/context/permissions.ts';
import { LoginSession } from '../../../shared/identity/login-sessions.ts';
import { Passkey } from '../../../shared/identity/passkeys/passkey.ts';
import { ServiceToken } from '../../../shared/identity/service-tokens.ts';
import { Id, Moment } from '../../../shared/shapes/fields.ts';

const Sites = z
  .union([
    z.literal('*'),
    z.array(
      z.strictObject({
        id: Id.describe('Identifier of the site.'),
        name: z.string().nullable().describe('Name of the site. Null if the caller cannot read the site.'),
      }),
    ),
  ])
  .describe('Sites in which the permissions apply. `*`: all sites.');

const AccessRole = z.strictObject({
  id: Id.describe('Identifier of the role.'),
  name: z.string().describe('Name of the role.'),
  builtin: z.boolean().describe('True for a built-in role.'),
  sites: Sites,
  permissions: z.array(z.string()).describe('Permissions that the role grants.'),
});

const EffectivePermission = z.strictObject({
  id: z.enum(permissions).describe('Identifier of the permission.'),
  sites: Sites,
  roles: z.array(Id).describe('Identifiers of the roles that grant the permission.'),
});

const AccessGroup = z.strictObject({
  id: Id.describe('Identifier of the group.'),
  name: z.string().describe('Name of the group.'),
  type: z
    .enum(['group', 'meta'])
    .describe('`group`, or `meta`: the user meets the condition of a meta group.'),
  state: z.enum(['active', 'inactive']).describe('`active`, or `inactive`: the group has no effect.'),
  skip_two_factor: z.boolean().describe('True if members need not enrol a second factor.'),
});

const Lock = z.strictObject({
  id: Id.describe('Identifier of the lock-out.'),
  network: z.string().nullable().describe('Network from which logins are refused. Null for all networks.'),
  locked_until: Moment.describe('Time at which the lock-out ends.'),
});

const firstOf = (item: z.ZodType, order: string) =>
  z.strictObject({
    items: z.array(item).describe(`At most 20 items, ${order} first.`),
    total: z.int().describe('Number of all items.'),
  });

export const refusals = [
  ...(['user_inactive', 'domain_disabled', 'service_account'] as const),
  ...(['users_only', 'staff_only', 'not_bound'] as const),
] as const;

export const UserAccess = z.strictObject({
  is_self: z.boolean().describe('True if this is the account of the caller.'),
  refusals: z
    .array(z.enum(refusals))
    .describe(
      'Reasons for which the user cannot log in: `user_inactive`, `domain_disabled`, `service_account`, `users_only` or `staff_only` (the domain admits users without, or with, a role), `not_bound` (no directory entry or person at the identity provider is known). Empty if nothing prevents the login.',
    ),
  must_change_password: z
    .boolean()
    .describe('True if the user must change the password after the next login.'),
  binding: z
    .enum(['none', 'bound', 'unbound'])
    .describe(
      'Person in the directory or at the identity provider that the user is: `none` (the portal stores the account, or it is a service), `bound`, or `unbound`: the person is not known yet.',
    ),
  bound_by: z
    .enum(['name', 'subject'])
    .nullable()
    .describe(
      'How an administrator binds the user: `name` (the portal finds the directory entry with the name of the user), or `subject`: the administrator enters the identifier of the person at the identity provider. Null if `binding` is `none`.',
    ),
  tenants: z
    .array(z.string())
    .describe(
      'Tenants of the identity provider, one of which the person belongs to. Empty for other domains.',
    ),
  roles: z
    .array(AccessRole)
    .nullable()
    .describe('Roles of the user, by name. Null if the caller cannot read roles.'),
  permissions: z
    .array(EffectivePermission)
    .nullable()
    .describe(
      'Permissions of the user on the administrator portal, each with its sites and the roles that grant it. Null if the caller cannot read roles.',
    ),
  groups: z
    .array(AccessGroup)
    .nullable()
    .describe('Groups of the user, by name, at most 500. Null if the caller cannot read groups.'),
  two_factor: z
    .strictObject({
      enrolled_at: Moment.nullable().describe(
        'When the user enrolled the authenticator app. Null without one.',
      ),
      is_required: z.boolean().describe('True if the domain requires a second factor.'),
      is_waived: z.boolean().describe('True if a group of the user waives the enrolment.'),
    })
    .describe('Authenticator app of the user.'),
  passkeys: z.array(Passkey).describe('Passkeys of the user, the oldest first.'),
  locks: z.array(Lock).describe('Lock-outs of the account that are in effect, the longest first.'),
  sessions: firstOf(LoginSession, 'the newest').describe('Active login sessions of the user.'),
  tokens: firstOf(ServiceToken, 'those that expire next').describe('Service tokens of the user.'),
});
