import { eq, type SQL, sql } from 'drizzle-orm';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { groups } from '../../schema/identity/groups.ts';
import { users } from '../../schema/identity/users.ts';
import type { ProtectionRule } from './bulk.ts';
import { administrators, exceeds, type GrantedPermissions } from './privileges.ts';

/**
 * Domains that a bulk deletion must not delete: the built-in one, the caller's own, and that of the last
 * administrator.
 */
export const protectedDomains = (
  own: string | undefined,
  caller: string,
  administratorTypes: readonly string[],
): ProtectionRule[] => [
  {
    where: sql`${authenticators.builtin}`,
    code: 'invalid_state',
    detail: 'The built-in domain cannot be deleted',
  },
  ...(own === undefined ? [] : [ownDomain(own)]),
  {
    where: sql`exists(select 1 from ${users} where ${users.authenticator_id} = ${authenticators.id} and ${lastAdministrator(caller, administratorTypes)})`,
    code: 'invalid_state',
    detail: 'At least one administrator must remain',
  },
];

const ownDomain = (id: string): ProtectionRule => ({
  where: eq(authenticators.id, id),
  code: 'invalid_state',
  detail: 'The domain contains your own account',
});

/** Domains with a user who has more permissions than the caller. */
export const administratorsBeyond = (held: GrantedPermissions): ProtectionRule => ({
  where: sql`exists(select 1 from ${users} where ${users.authenticator_id} = ${authenticators.id} and ${exceeds(held, users.id)})`,
  code: 'forbidden',
  detail: 'A user of the domain has permissions that the caller lacks',
});

/**
 * Users that a bulk deletion must not delete: the caller, users with more permissions, and the last administrator.
 */
export const protectedUsers = (
  caller: string,
  held: GrantedPermissions,
  administratorTypes: readonly string[],
): ProtectionRule[] => [
  { where: eq(users.id, caller), code: 'invalid_state', detail: 'You cannot delete your own account' },
  {
    where: exceeds(held, users.id),
    code: 'forbidden',
    detail: 'The user has permissions that the caller lacks',
  },
  {
    where: lastAdministrator(caller, administratorTypes),
    code: 'invalid_state',
    detail: 'At least one administrator must remain',
  },
];

/** The administrator that must remain: the caller if the caller is one, otherwise the oldest administrator. */
function lastAdministrator(caller: string, administratorTypes: readonly string[]): SQL {
  const all = administrators(administratorTypes);
  return sql`
  (${caller}::uuid not in ${all} and ${users.id} = (select min(id::text)::uuid from ${all} as a(id)))`;
}

/** Groups that waive the second factor, for callers without the right to decide that. */
export const skippingGroups: ProtectionRule = {
  where: sql`${groups.skip_two_factor}`,
  code: 'forbidden',
  detail: 'Deleting a group with `skip_two_factor` requires every permission for all sites',
};
