import type { Filter } from '../../../../remotes/directory/filters.ts';
import type { DirectorySession, Entry } from '../../../../remotes/directory/port.ts';
import type { DomainType } from '../../registry.ts';

/**
 * Attributes that the servers of a type generate and do not let clients change, the preferred one first. The identifier
 * attribute of another type can be an ordinary attribute, whose value a client can copy from another entry.
 */
const attributesOf: Readonly<Record<DomainType, readonly string[]>> = {
  internal: [],
  active_directory: ['objectGUID'],
  freeipa: ['ipaUniqueID'],
  // RFC 4530; older versions of 389 Directory Server have nsUniqueId only.
  ldap: ['entryUUID', 'nsUniqueId'],
};

export const identifierAttributes = (type: DomainType): readonly string[] => attributesOf[type];

/**
 * The identifiers of an entry as they are stored: `<attribute>:<value>` with the value in lower case. An attribute with
 * several values is not an identifier.
 * @param entry with the attributes of `identifierAttributes`
 */
export async function identifiersOf(
  session: DirectorySession,
  type: DomainType,
  { dn, values }: Entry,
): Promise<string[]> {
  const present = attributesOf[type].flatMap((attribute) => {
    const [value = '', ...others] = values[attribute.toLowerCase()] ?? [];
    return others.length === 0 && isIdentifier.test(value) ? [{ attribute, value }] : [];
  });
  // OpenLDAP accepts nsUniqueId as an ordinary attribute if its schema has one.
  const isDoubtful = present.some(({ attribute }) => attribute === 'nsUniqueId');
  const ordinary = isDoubtful ? await ordinaryAttributes(session, dn) : [];
  return present
    .filter(({ attribute }) => !ordinary.includes(attribute.toLowerCase()))
    .map(({ attribute, value }) => `${attribute}:${value.toLowerCase()}`);
}

/** @returns undefined for an identifier of an attribute that the type does not have */
export function filterOf(type: DomainType, id: string): Filter | undefined {
  const at = id.indexOf(':');
  const [attribute, value] = [id.slice(0, at), id.slice(at + 1)];
  if (!attributesOf[type].includes(attribute)) return undefined;
  return attribute === 'objectGUID' ? { octets: [attribute, value] } : { equals: [attribute, value] };
}

const isIdentifier = /^[0-9a-f-]{8,64}$/i;

/** RFC 4511 section 4.5.1.8: `*` selects all user attributes, and no operational ones. */
async function ordinaryAttributes(session: DirectorySession, dn: string): Promise<string[]> {
  const [entry] = await session.search({
    base: dn,
    scope: 'base',
    filter: { present: 'objectClass' },
    attributes: ['*'],
    namesOnly: true,
    most: 1,
  });
  return entry ? Object.keys(entry.values) : identifierAttributes('ldap').map((name) => name.toLowerCase());
}
