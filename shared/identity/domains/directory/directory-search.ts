import { findKnownNames } from '../../../../db/repositories/identity/directory/accounts.ts';
import { foldName } from '../../../kernel/text.ts';
import type { DomainDeps, StoredDomain, Unregistered } from '../domain-type.ts';
import { listingMs, withinDirectory } from './connection.ts';
import { findPeople } from './entries/people.ts';
import { groupKeys, isRegisteredIn } from './groups/registered-groups.ts';
import { findGroups } from './groups/search.ts';
import type { DirectoryVariant } from './variant.ts';

const mostOfEach = 2_000;

/**
 * People and groups in the directory whose name contains a text and that have no row in the portal. At most 2,000 of
 * each are searched.
 */
export async function findUnregistered(
  variant: DirectoryVariant,
  deps: DomainDeps,
  domain: StoredDomain,
  search: string,
): Promise<Unregistered[]> {
  const part = search.trim();
  const { people, groups } = await withinDirectory(
    deps,
    variant,
    domain,
    async (session, params) => ({
      people: await findPeople(session, params, part, mostOfEach),
      groups: await findGroups(session, params, part, mostOfEach),
    }),
    listingMs,
  );
  const names = people.map(({ name }) => foldName(name));
  const known = await findKnownNames(deps.db, domain.id, names, groupKeys(groups));
  const users = new Set(known.users);
  const newPeople = people.filter(({ name }) => !users.has(foldName(name)));
  const isRegistered = isRegisteredIn(known.groups);
  const newGroups = groups.filter((group) => !isRegistered(group));
  return [
    ...newPeople.map(({ dn, name }) => ({ type: 'user' as const, dn, name })),
    ...newGroups.map(({ dn, name }) => ({ type: 'group' as const, dn, name })),
  ];
}
