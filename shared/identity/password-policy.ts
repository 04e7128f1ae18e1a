import { type FieldError, invalid } from '../kernel/errors.ts';
import type { Parameters } from '../kernel/system-parameters.ts';
import { foldName } from '../kernel/text.ts';
import { message } from '../messages/message.ts';
import { isCommonPassword } from './common-passwords.ts';

/** Maximum password length in characters. It limits the work of the password hasher. */
export const longestPassword = 256;

export type PasswordOwner = { name: string; domain: { twoFactor: boolean } };

/** Minimum password length in characters for users of this domain. */
export const shortestPassword = (parameters: Parameters, { twoFactor }: { twoFactor: boolean }): number =>
  parameters[twoFactor ? 'password.min_length_two_factor' : 'password.min_length'];

/**
 * Checks a password as in NIST SP 800-63B-4: length, no common password, not the user name, and no composition rules.
 * @param pointer JSON pointer of the password
 * @throws AppError `invalid_request` with the code `too_short`, `too_long`, `common` or `contains_name`
 */
export function assertPassword(
  password: string,
  owner: PasswordOwner,
  parameters: Parameters,
  pointer: string,
): void {
  const fault = faultOf(password.normalize('NFC'), owner, shortestPassword(parameters, owner.domain));
  if (fault) throw invalid({ pointer, ...fault });
}

function faultOf(
  password: string,
  owner: PasswordOwner,
  shortest: number,
): Omit<FieldError, 'pointer'> | undefined {
  const length = [...password].length;
  if (length < shortest)
    return {
      code: 'too_short',
      detail: message('The password must have at least {n} characters', { n: shortest }),
    };
  if (length > longestPassword)
    return {
      code: 'too_long',
      detail: message('The password must have at most {n} characters', { n: longestPassword }),
    };
  if (isCommonPassword(password)) return { code: 'common', detail: 'The password is too common' };
  const name = foldName(owner.name);
  if (name.length >= 3 && foldName(password).includes(name)) {
    return { code: 'contains_name', detail: 'The password contains the user name' };
  }
  return undefined;
}
