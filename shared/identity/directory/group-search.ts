import type { Filter } from '../../remotes/directory/filters.ts';
import type { DirectorySession } from '../../remotes/directory/port.ts';
import type { DirectoryParams } from '../domains/catalogue.ts';
import type { Person } from './people.ts';

export type DirectoryGroup = { dn: string; name: string };

const mostGroups = 2_000;
const mostListed = 10_000;
const deepest = 10;
/** How many groups are asked about at once while the tree is walked. */
const together = 50;
/** LDAP_CAP_ACTIVE_DIRECTORY_OID: such a server follows membership by itself. */
const activeDirectory = '1.2.840.113556.1.4.800';

/** The groups that a person is a member of, with `nested_groups` by way of other groups as well. */
export async function groupsOf(
  session: DirectorySession,
  params: DirectoryParams,
  person: Person,
): Promise<DirectoryGroup[]> {
  const { member_attribute } = params;
  const isByName = member_attribute.toLowerCase() === 'memberuid';
  if (!params.nested_groups || isByName)
    return search(session, params, { equals: [member_attribute, isByName ? person.name : person.dn] });
  if (await followsMembership(session))
    return search(session, params, { inChain: [member_attribute, person.dn] });
  return walk(session, params, person);
}

/** Groups whose name contains a text, or all, by name. */
export async function findGroups(
  session: DirectorySession,
  params: DirectoryParams,
  part: string,
  most = mostListed,
): Promise<DirectoryGroup[]> {
  const attribute = params.group_id_attribute;
  const filter: Filter = part === '' ? { present: attribute } : { contains: [attribute, part] };
  return search(session, params, filter, most);
}

/** The groups of the groups, level by level; a circle ends where nothing new is found. */
async function walk(
  session: DirectorySession,
  params: DirectoryParams,
  { dn }: Person,
): Promise<DirectoryGroup[]> {
  const found = new Map<string, DirectoryGroup>();
  let level = [dn];
  for (let depth = 0; depth < deepest && level.length > 0 && found.size < mostGroups; depth++) {
    const above = await groupsWith(session, params, level);
    const fresh = above.filter((group) => !found.has(group.dn));
    for (const group of fresh) found.set(group.dn, group);
    level = [...new Set(fresh.map((group) => group.dn))];
  }
  return [...found.values()];
}

async function groupsWith(
  session: DirectorySession,
  params: DirectoryParams,
  members: readonly string[],
): Promise<DirectoryGroup[]> {
  const found: DirectoryGroup[] = [];
  for (let at = 0; at < members.length; at += together) {
    const some = members.slice(at, at + together);
    const any = some.map((dn): Filter => ({ equals: [params.member_attribute, dn] }));
    found.push(...(await search(session, params, { any })));
  }
  return found;
}

async function followsMembership(session: DirectorySession): Promise<boolean> {
  const attributes = ['supportedCapabilities'];
  const filter: Filter = { present: 'objectClass' };
  const [root] = await session.search({ base: '', scope: 'base', filter, attributes, most: 1 });
  return root?.values.supportedcapabilities?.includes(activeDirectory) ?? false;
}

async function search(
  session: DirectorySession,
  { base_dn, group_class, group_id_attribute }: DirectoryParams,
  filter: Filter,
  most = mostGroups,
): Promise<DirectoryGroup[]> {
  const found = await session.search({
    base: base_dn,
    filter: { all: [{ equals: ['objectClass', group_class] }, filter] },
    attributes: [group_id_attribute],
    most,
  });
  return found.flatMap(({ dn, values }) => {
    const [name = ''] = values[group_id_attribute.toLowerCase()] ?? [];
    return name.trim() === '' ? [] : [{ dn, name: name.trim() }];
  });
}
