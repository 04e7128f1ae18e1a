import type { Choice } from '../../../../../shared/client/catalogue/record-kinds.ts';
import { facts, may } from '../../facts.ts';
import { fieldOf, kindOf, useKinds } from '../../records/kinds.ts';
import { actionOf, byResource } from '../parts/rights.ts';

/** The permissions of a resource. */
export type PermissionGroup = {
  resource: string;
  /** Those that most resources have come first. */
  permissions: readonly string[];
};

/** Actions that most resources have. */
export const mainActions = ['read', 'create', 'update', 'delete'] as const;

const rankOf = (permission: string): number => {
  const rank = (mainActions as readonly string[]).indexOf(actionOf(permission));
  return rank < 0 ? mainActions.length : rank;
};

export const isMain = (permission: string): boolean => rankOf(permission) < mainActions.length;

export const groupsOf = (permissions: readonly string[]): PermissionGroup[] =>
  byResource(permissions).map(([resource, own]) => ({
    resource,
    permissions: own.toSorted((a, b) => rankOf(a) - rankOf(b)),
  }));

/** All permissions with their names, of the description of the API. Undefined while it is loaded. */
export function usePermissions(): readonly Choice[] | undefined {
  const kind = kindOf(useKinds(), 'role');
  return kind && (fieldOf(kind, 'permissions')?.choices ?? []);
}

export type Sites = '*' | readonly string[];

/** The sites of the scope of a role. */
export function sitesIn(scope: unknown): Sites {
  const { sites } = (scope ?? {}) as { sites?: unknown };
  return Array.isArray(sites) ? sites.map(String) : '*';
}

/** True if the user has the permission in all of these sites. The portal lets users grant only such permissions. */
export function mayGrant(permission: string, sites: Sites): boolean {
  if (!may([permission])) return false;
  const limit = facts.limited.find(({ permissions }) => permissions.includes(permission));
  return limit === undefined || (sites !== '*' && sites.every((site) => limit.sites.includes(site)));
}
