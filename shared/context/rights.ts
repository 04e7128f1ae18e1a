import type { ReadableSites } from '../../db/repositories/records/bulk.ts';
import type { Scope } from '../../db/repositories/records/scope.ts';
import {
  isPermission,
  type Permission,
  permissions,
  permissionsForAllSites,
  readPermissionOf,
} from './permissions.ts';
import { isSignedIn, type Principal, type RoleGrant, type SignedIn } from './principal.ts';

/** What the rights of a principal depend on. */
export type Granted = Pick<SignedIn, 'portal' | 'roles'>;

/** Roles apply only on the administrator portal. A session on the user portal has the rights of a user. */
export const grantsOf = ({ portal, roles }: Granted): RoleGrant[] => (portal === 'admin' ? roles : []);

/**
 * Returns the sites in which the principal holds the permission: the union over its roles.
 * @returns undefined if no role grants the permission
 */
export function scopeOf(principal: Granted, permission: Permission): Scope | undefined {
  const scopes = grantsOf(principal)
    .filter((role) => role.permissions.includes(permission))
    .map((role) => role.scope.sites);
  return scopes.length === 0 ? undefined : union(scopes);
}

/** The permissions that the principal holds in any scope, in the order of `permissions`. */
export const permissionsOf = (principal: SignedIn): Permission[] =>
  permissions.filter((permission) =>
    grantsOf(principal).some((role) => role.permissions.includes(permission)),
  );

/** The permissions that grant something to the principal, in all sites or in some of them. */
export const usablePermissionsOf = (principal: SignedIn): Permission[] =>
  permissionsOf(principal).filter(
    (permission) => !permissionsForAllSites.has(permission) || scopeOf(principal, permission) === '*',
  );

/** Permissions that a principal holds in some sites only. */
export type LimitedRights = { permissions: Permission[]; sites: string[] };

/** The permissions that the principal does not hold in all sites, grouped by their sites. */
export function limitedRightsOf(principal: SignedIn): LimitedRights[] {
  const groups = new Map<string, LimitedRights>();
  for (const permission of permissionsOf(principal)) {
    const sites = scopeOf(principal, permission);
    if (sites === undefined || sites === '*') continue;
    const sorted = sites.toSorted();
    const key = sorted.join();
    const group = groups.get(key) ?? { permissions: [], sites: sorted };
    group.permissions.push(permission);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The union of all scopes of the principal. */
export const widestScope = (principal: SignedIn): Scope =>
  union(grantsOf(principal).map((role) => role.scope.sites));

function union(scopes: readonly ('*' | string[])[]): Scope {
  return scopes.includes('*') ? '*' : [...new Set(scopes.flatMap((sites) => (sites === '*' ? [] : sites)))];
}

/**
 * Returns the permissions that the principal lacks to grant these roles, or to act on an account with these roles. Each
 * permission must be held in a scope that contains the scope of the role.
 */
export function missingFor(
  principal: SignedIn,
  roles: readonly Pick<RoleGrant, 'permissions' | 'scope'>[],
): Permission[] {
  const lacks = roles.flatMap((role) =>
    role.permissions
      .filter(isPermission)
      .filter((permission) => !covers(scopeOf(principal, permission), role.scope.sites)),
  );
  return [...new Set(lacks)].sort();
}

function covers(own: Scope | undefined, scope: '*' | readonly string[]): boolean {
  if (own === undefined) return false;
  if (own === '*') return true;
  return scope !== '*' && scope.every((site) => own.includes(site));
}

/** Returns the sites in which the principal may read the objects that an error lists, by object type. */
export const readingOf =
  (principal: Principal): ReadableSites =>
  (type) => {
    const permission = readPermissionOf(type);
    return isSignedIn(principal) && permission ? scopeOf(principal, permission) : undefined;
  };
