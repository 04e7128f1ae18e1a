import type { Filter } from '../../../../remotes/directory/filters.ts';
import type { DirectorySession } from '../../../../remotes/directory/port.ts';
import { siblingSid } from '../../../../remotes/directory/sids.ts';
import type { ExternalGroup } from '../../domain-type.ts';
import { standardDn } from '../entries/names.ts';
import type { Person } from '../entries/people.ts';
import type { DirectoryParams, TypedParams } from '../variant.ts';

const mostGroups = 2_000;
const mostListed = 10_000;
const deepest = 10;
/** Maximum conditions in one search. */
const together = 50;

/** The groups of a person. With `nested_groups`, indirect memberships are included. */
export async function groupsOf(
  session: DirectorySession,
  params: TypedParams,
  person: Person,
): Promise<ExternalGroup[]> {
  const { member_attribute } = params;
  const isByName = member_attribute.toLowerCase() === 'memberuid';
  const [sid] = person.values.objectsid ?? [];
  if (sid !== undefined) return groupsByToken(session, params, person, sid);
  if (isByName) return search(session, params, { equals: [member_attribute, person.name] });
  if (params.variant.listsAllGroups)
    return groupsWith(session, params, [person.dn, ...(person.values.memberof ?? [])]);
  if (!params.nested_groups) return search(session, params, { equals: [member_attribute, person.dn] });
  return walk(session, params, person);
}

/** Groups whose name contains a text. All groups for an empty text. */
export async function findGroups(
  session: DirectorySession,
  params: DirectoryParams,
  part: string,
  most = mostListed,
): Promise<ExternalGroup[]> {
  const attribute = params.group_id_attribute;
  const filter: Filter = part === '' ? { present: attribute } : { contains: [attribute, part] };
  return search(session, params, filter, most);
}

/** Groups of Active Directory below the base, by SID, with their names. */
export const findGroupsBySid = (
  session: DirectorySession,
  params: DirectoryParams,
  sids: readonly string[],
): Promise<ExternalGroup[]> =>
  searchAny(
    session,
    params,
    sids.map((sid) => ({ equals: ['objectSid', sid] })),
  );

/** Groups with one of these distinguished names, in any spelling, or names. */
export const findGroupsCalled = (
  session: DirectorySession,
  params: DirectoryParams,
  called: readonly ({ dn: string } | { name: string })[],
): Promise<ExternalGroup[]> =>
  searchAny(
    session,
    params,
    called.map((one) => ({
      equals: 'dn' in one ? ['distinguishedName', standardDn(one.dn)] : [params.group_id_attribute, one.name],
    })),
  );

/**
 * The groups of a person in Active Directory. `tokenGroups` contains nested groups and the primary group, which has no
 * member list.
 */
async function groupsByToken(
  session: DirectorySession,
  params: DirectoryParams,
  { dn, values }: Person,
  sid: string,
): Promise<ExternalGroup[]> {
  const [relative] = values.primarygroupid ?? [];
  const primary = relative === undefined ? [] : [{ dn: '', name: '', sid: siblingSid(sid, relative) }];
  const member = params.member_attribute;
  if (!params.nested_groups)
    return [...(await search(session, params, { equals: [member, dn] })), ...primary];
  const attributes = ['tokenGroups'];
  const filter: Filter = { present: 'objectClass' };
  const [entry] = await session.search({ base: dn, scope: 'base', filter, attributes, most: 1 });
  const sids = entry?.values.tokengroups ?? [];
  if (sids.length > 0) return sids.map((one) => ({ dn: '', name: '', sid: one }));
  // The search account may not have permission to read the attribute.
  return [...(await search(session, params, { inChain: [member, dn] })), ...primary];
}

/** Searches nested groups level by level. The search ends when a level contains no new group, so cycles end as well. */
async function walk(
  session: DirectorySession,
  params: DirectoryParams,
  { dn }: Person,
): Promise<ExternalGroup[]> {
  const found = new Map<string, ExternalGroup>();
  let level = [dn];
  for (let depth = 0; depth < deepest && level.length > 0 && found.size < mostGroups; depth++) {
    const above = await groupsWith(session, params, level);
    const fresh = above.filter((group) => !found.has(group.dn));
    for (const group of fresh) found.set(group.dn, group);
    level = [...new Set(fresh.map((group) => group.dn))];
  }
  return [...found.values()];
}

/**
 * Groups with one of these members. FreeIPA lists all groups of a person in the person's entry. The result is then
 * complete, because each group has the person or another listed group as a member.
 */
const groupsWith = (
  session: DirectorySession,
  params: DirectoryParams,
  members: readonly string[],
): Promise<ExternalGroup[]> =>
  searchAny(
    session,
    params,
    members.map((dn) => ({ equals: [params.member_attribute, dn] })),
  );

async function searchAny(
  session: DirectorySession,
  params: DirectoryParams,
  filters: readonly Filter[],
): Promise<ExternalGroup[]> {
  const found = new Map<string, ExternalGroup>();
  for (let at = 0; at < filters.length; at += together) {
    const any = filters.slice(at, at + together);
    for (const group of await search(session, params, { any })) found.set(group.dn, group);
  }
  return [...found.values()];
}

async function search(
  session: DirectorySession,
  { base_dn, group_class, group_id_attribute }: DirectoryParams,
  filter: Filter,
  most = mostGroups,
): Promise<ExternalGroup[]> {
  const found = await session.search({
    base: base_dn,
    filter: { all: [{ equals: ['objectClass', group_class] }, filter] },
    attributes: [group_id_attribute, 'objectSid'],
    most,
  });
  return found.flatMap(({ dn, values }) => {
    const [name = ''] = values[group_id_attribute.toLowerCase()] ?? [];
    const [sid] = values.objectsid ?? [];
    return name.trim() === '' ? [] : [{ dn, name: name.trim(), ...(sid !== undefined && { sid }) }];
  });
}
