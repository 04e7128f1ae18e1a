import type { Db } from '../../../../../db/client.ts';
import {
  findUnboundGroups,
  setGroupIds,
  type UnboundGroup,
} from '../../../../../db/repositories/identity/directory/groups.ts';
import { foldName } from '../../../../kernel/text.ts';
import type { DirectorySession } from '../../../../remotes/directory/port.ts';
import type { ExternalGroup } from '../../domain-type.ts';
import { isSameDn } from '../entries/names.ts';
import type { Person } from '../entries/people.ts';
import type { TypedParams } from '../variant.ts';
import { findGroupsCalled, groupsOf } from './search.ts';

/**
 * The groups of a person, for the match with registered groups. Active Directory returns SIDs. A registered group
 * without a SID is searched by its distinguished name or name, and its SID is stored.
 */
export async function membershipsOf(
  db: Db,
  domainId: string,
  { session, params }: { session: DirectorySession; params: TypedParams },
  person: Person,
): Promise<ExternalGroup[]> {
  const groups = await groupsOf(session, params, person);
  if (!groups.some(({ sid }) => sid !== undefined)) return groups;
  const unbound = await findUnboundGroups(db, domainId);
  if (unbound.length === 0) return groups;
  const found = await bindGroups(db, { session, params }, unbound);
  return groups.map((group) => found.find(({ sid }) => sid === group.sid) ?? group);
}

/**
 * Stores the SIDs of registered groups.
 * @returns the matching groups of the directory
 */
async function bindGroups(
  db: Db,
  { session, params }: { session: DirectorySession; params: TypedParams },
  unbound: readonly UnboundGroup[],
): Promise<ExternalGroup[]> {
  const called = unbound.map(({ dn, name }) => (dn ? { dn } : { name }));
  const found = await findGroupsCalled(session, params, called);
  const pairs = unbound.flatMap(({ id, dn, name }) => {
    const [group, ...others] = found.filter((one) =>
      dn ? isSameDn(one.dn, dn) : foldName(one.name) === foldName(name),
    );
    // If two groups have the same name, both count and no SID is stored.
    return group?.sid !== undefined && others.length === 0 ? [{ id, sid: group.sid }] : [];
  });
  if (pairs.length > 0) await setGroupIds(db, pairs);
  return found;
}
