import { foldName } from '../../../../kernel/text.ts';

/** Attributes of directories that hold an address; in these the part behind `@` belongs to the name. */
const addresses = ['mail', 'userprincipalname'];

export const isAddress = (attribute: string): boolean => addresses.includes(attribute.toLowerCase());

/** Folded names that one typed text may mean: as it is, without `DOMAIN\`, and without `@domain` as well. */
export function namesIn(typed: string): { typed: string; address: string; bare: string } {
  const address = typed.slice(typed.lastIndexOf('\\') + 1);
  const at = address.indexOf('@');
  const bare = at < 0 ? address : address.slice(0, at);
  return { typed: foldName(typed), address: foldName(address), bare: foldName(bare) };
}

/** A name that nobody typed, and that means nothing but itself: of `alice@other` no part may be taken for `alice`. */
export const exactly = (name: string): ReturnType<typeof namesIn> => {
  const key = foldName(name);
  return { typed: key, address: key, bare: key };
};

/**
 * The folded name that a domain knows of `user`, `user@domain` and `DOMAIN\user`. An account has one name for whoever
 * counts its failures, however the domain is written; the login's first statement (`findCandidates`) chooses alike.
 * @param domain its stored parameters
 */
export function nameIn(
  { type, params }: { type: string; params: Record<string, unknown> },
  typed: string,
): string {
  const names = namesIn(typed);
  if (type === 'internal') return names.typed;
  return isAddress(String(params.user_id_attribute)) ? names.address : names.bare;
}
