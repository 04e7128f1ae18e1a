import type { Change } from '../../db/repositories/changes/changes.ts';
import type { Scope } from '../../db/repositories/records/scope.ts';
import { readPermissionOf } from '../context/permissions.ts';
import type { SignedIn } from '../context/principal.ts';
import { type Granted, scopeOf } from '../context/rights.ts';
import { type ResourceType, resources, resourceTypes } from '../resources.ts';

/** The lists of a farm that a synchronization reads, and the type of their objects. */
export const snapshotLists = {
  servicespools: 'servicespool',
  workplaces: 'workplace',
  spsessions: 'spsession',
} as const satisfies Record<string, ResourceType>;

export type SnapshotList = keyof typeof snapshotLists;
export const snapshotListNames = [
  'servicespools',
  'workplaces',
  'spsessions',
] as const satisfies SnapshotList[];

/** The types of objects whose changes are announced: those with a permission to read them, except audit events. */
export const announcedTypes = resourceTypes.filter(
  (type) => readPermissionOf(type) !== undefined && type !== 'audit' && type !== 'audit_checkpoint',
);

const announced: ReadonlySet<string> = new Set(announcedTypes);
const isAnnounced = (kind: string): kind is ResourceType => announced.has(kind);
const isList = (list: string | undefined): list is SnapshotList =>
  list !== undefined && Object.hasOwn(snapshotLists, list);

/** The type that determines who may see a change; undefined for a kind that a later version has written. */
function typeOf({ kind, list }: Pick<Change, 'kind' | 'list'>): ResourceType | undefined {
  if (kind === 'snapshot') return isList(list) ? snapshotLists[list] : undefined;
  return isAnnounced(kind) ? kind : undefined;
}

/** What a principal may see, by type. The permissions are evaluated once for each type. */
export type Visibility = (change: Pick<Change, 'kind' | 'list' | 'sites'>) => boolean;

/**
 * Returns the condition that a principal may see a change: it holds the permission to read the type, in a scope that
 * contains one of the sites that the object had before or after the change.
 */
export function visibilityFor(principal: Granted): Visibility {
  const scopes = new Map<ResourceType, Scope | undefined>();
  return (change) => {
    const type = typeOf(change);
    if (type === undefined) return false;
    if (!scopes.has(type)) scopes.set(type, readingScope(principal, type));
    const scope = scopes.get(type);
    if (scope === undefined || scope === '*') return scope !== undefined;
    return isWithin(type, change.sites, scope);
  };
}

/** True if the principal may see changes of any type. */
export const seesAnything = (principal: SignedIn): boolean =>
  announcedTypes.some((type) => readingScope(principal, type) !== undefined);

function readingScope(principal: Granted, type: ResourceType): Scope | undefined {
  const permission = readPermissionOf(type);
  return permission && scopeOf(principal, permission);
}

function isWithin(type: ResourceType, sites: readonly string[] | null, scope: readonly string[]): boolean {
  // Records of the journal belong to no site, but are read with the sites of the objects that they are about.
  switch (type === 'monitoring_record' ? 'by_site' : resources[type].siteScope) {
    case 'any_scope':
      return true;
    case 'all_sites':
      return false;
    case 'by_site':
      return sites === null || sites.some((site) => scope.includes(site));
  }
}
