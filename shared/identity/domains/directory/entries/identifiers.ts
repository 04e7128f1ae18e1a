import type { Filter } from '../../../../remotes/directory/filters.ts';
import type { DirectorySession, Entry } from '../../../../remotes/directory/port.ts';
import type { DirectoryVariant } from '../variant.ts';

/**
 * The identifiers of an entry in the stored form `<attribute>:<value>`, with the value in lower case. An attribute with
 * several values is not an identifier.
 * @param entry with the identifier attributes of the variant
 */
export async function identifiersOf(
  session: DirectorySession,
  { identifiers }: DirectoryVariant,
  { dn, values }: Entry,
): Promise<string[]> {
  const present = identifiers.flatMap((attribute) => {
    const [value = '', ...others] = values[attribute.toLowerCase()] ?? [];
    return others.length === 0 && isIdentifier.test(value) ? [{ attribute, value }] : [];
  });
  const all = identifiers.map((name) => name.toLowerCase());
  // OpenLDAP accepts nsUniqueId as an ordinary attribute if its schema has one.
  const isDoubtful = present.some(({ attribute }) => attribute === 'nsUniqueId');
  const ordinary = isDoubtful ? ((await ordinaryAttributes(session, dn)) ?? all) : [];
  return present
    .filter(({ attribute }) => !ordinary.includes(attribute.toLowerCase()))
    .map(({ attribute, value }) => `${attribute}:${value.toLowerCase()}`);
}

/** @returns undefined for an identifier of an attribute that the variant does not have */
export function filterOf({ identifiers }: DirectoryVariant, id: string): Filter | undefined {
  const at = id.indexOf(':');
  const [attribute, value] = [id.slice(0, at), id.slice(at + 1)];
  if (!identifiers.includes(attribute)) return undefined;
  return attribute === 'objectGUID' ? { octets: [attribute, value] } : { equals: [attribute, value] };
}

const isIdentifier = /^[0-9a-f-]{8,64}$/i;

/** RFC 4511 section 4.5.1.8: `*` selects all user attributes, and no operational ones. */
async function ordinaryAttributes(session: DirectorySession, dn: string): Promise<string[] | undefined> {
  const [entry] = await session.search({
    base: dn,
    scope: 'base',
    filter: { present: 'objectClass' },
    attributes: ['*'],
    namesOnly: true,
    most: 1,
  });
  return entry && Object.keys(entry.values);
}
