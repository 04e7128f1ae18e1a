import type { DomainDeps, ExternalGroup, StoredDomain } from '../../domain-type.ts';
import { listingMs, withinDirectory } from '../connection.ts';
import { isSameDn } from '../entries/names.ts';
import type { DirectoryVariant } from '../variant.ts';
import { findGroups, findGroupsCalled } from './search.ts';

/**
 * Groups of the directory whose name contains a text, registered or not.
 * @throws AppError errors of the directory
 */
export const findExternalGroups = (
  variant: DirectoryVariant,
  deps: DomainDeps,
  domain: StoredDomain,
  search: string,
): Promise<ExternalGroup[]> =>
  withinDirectory(
    deps,
    variant,
    domain,
    (session, params) => findGroups(session, params, search.trim()),
    listingMs,
  );

/**
 * The SID of a group, by its distinguished name in any spelling.
 * @throws AppError errors of the directory
 */
export async function findGroupId(
  variant: DirectoryVariant,
  deps: DomainDeps,
  domain: StoredDomain,
  dn: string,
): Promise<string | undefined> {
  if (!variant.hasGroupSids) return undefined;
  const found = await withinDirectory(deps, variant, domain, (session, params) =>
    findGroupsCalled(session, params, [{ dn }]),
  );
  return found.find((group) => isSameDn(group.dn, dn))?.sid;
}
