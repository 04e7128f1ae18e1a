/** Active Directory attributes with security identifiers, in lower case. */
const attributes = new Set(['objectsid', 'tokengroups']);

export const isSidAttribute = (name: string): boolean => attributes.has(name.toLowerCase());

/**
 * The text form of a security identifier (MS-DTYP 2.4.2).
 * @returns undefined if the octets are not a security identifier
 */
export function sidText(octets: Buffer): string | undefined {
  const [revision, count = 0] = octets;
  if (revision !== 1 || octets.length !== 8 + 4 * count) return undefined;
  const authority = octets.readUIntBE(2, 6);
  const parts = Array.from({ length: count }, (_, at) => octets.readUInt32LE(8 + 4 * at));
  return ['S', revision, authority, ...parts].join('-');
}

/** The identifier of another account of the same domain. */
export const siblingSid = (sid: string, relative: string): string =>
  `${sid.slice(0, sid.lastIndexOf('-'))}-${relative}`;
