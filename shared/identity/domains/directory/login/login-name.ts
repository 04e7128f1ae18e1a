import { namesIn } from '../../../login/user-names.ts';

/** Attributes of directories that hold an address; in these the part behind `@` belongs to the name. */
const addresses = ['mail', 'userprincipalname'];

export const isAddress = (attribute: string): boolean => addresses.includes(attribute.toLowerCase());

/**
 * The folded login name that a directory has for `user`, `user@domain` and `DOMAIN\user`. Failures are counted for one
 * name per account, however the domain is written. The first statement of a login (`findCandidates`) chooses alike.
 * @param params the stored parameters of the domain
 */
export function nameInDirectory(params: Record<string, unknown>, typed: string): string {
  const names = namesIn(typed);
  return isAddress(String(params.user_id_attribute)) ? names.address : names.bare;
}
