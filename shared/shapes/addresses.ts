import { z } from 'zod';
import { checkAddress } from '../kernel/addresses/check.ts';
import { longestHost, parseHost } from '../kernel/addresses/hosts.ts';
import { type ProfileName, profileOf } from '../kernel/addresses/profiles.ts';
import { lengthFirst } from './fields.ts';

/** The name or address of a machine without scheme and port, in the stored spelling. */
export const Host = z
  .string()
  .trim()
  .max(longestHost, lengthFirst)
  .transform((text, { addIssue }) => {
    const host = parseHost(text);
    if (host !== undefined) return host;
    addIssue({
      ...{ code: 'custom', input: text, params: { code: 'invalid_format' } },
      message: 'Must be a DNS name or an IP address, without scheme and port',
    });
    return z.NEVER;
  });

/**
 * An address of a profile, in the stored spelling. Whether the portal may connect there is decided by `checkUrl`.
 * @param isOptional accepts an empty text
 */
export function Address(name: ProfileName, { isOptional = false, most = profileOf(name).most } = {}) {
  const text = profileOf(name).stored === 'normalised' ? z.string().trim() : z.string();
  return text.max(most, lengthFirst).transform((given, { addIssue }) => {
    if (isOptional && given === '') return given;
    const checked = checkAddress(given, name);
    if (checked.ok) return checked.text;
    addIssue({
      ...{ code: 'custom', input: given, params: { code: 'address_not_allowed' } },
      message: checked.detail,
    });
    return z.NEVER;
  });
}
