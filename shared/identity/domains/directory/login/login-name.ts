import { namesIn } from '../../../login/user-names.ts';

/** Attributes that contain an address. Here the part after `@` belongs to the name. */
const addresses = ['mail', 'userprincipalname'];

export const isAddress = (attribute: string): boolean => addresses.includes(attribute.toLowerCase());

/**
 * The folded login name in the directory for `user`, `user@domain` and `DOMAIN\user`. Failures are counted under one
 * name for each account, regardless of the domain spelling. `findCandidates`, the first statement of a login, uses the
 * same rule.
 * @param params the stored parameters of the domain
 */
export function nameInDirectory(params: Record<string, unknown>, typed: string): string {
  const names = namesIn(typed);
  return isAddress(String(params.user_id_attribute)) ? names.address : names.bare;
}
