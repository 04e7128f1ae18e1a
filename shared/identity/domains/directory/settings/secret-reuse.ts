import { spellingOf } from '../../../../kernel/addresses/check.ts';
import { AppError } from '../../../../kernel/errors.ts';
import { canonicalJson } from '../../../../kernel/json/json.ts';
import type { Detail } from '../../../../messages/message.ts';
import type { Settings } from '../../domain-type.ts';
import type { DirectoryParams } from '../variant.ts';

/**
 * Checks that a stored password is used only with the account, servers, base and filter that it was stored with.
 * Otherwise a caller who may write or test a domain could use the account to read all entries that it has access to.
 * @returns false if the account is removed
 * @throws AppError `secret_required`
 */
export function reusesPassword(next: DirectoryParams, stored: Settings): boolean {
  if (next.bind_dn === '' && stored.bind_dn !== '') return false;
  if (destinationOf(next) !== destinationOf(stored)) throw secretRequired('The destination has changed');
  if (searchOf(next) !== searchOf(stored))
    throw secretRequired('The search account, base or filter has changed');
  return true;
}

const searchOf = ({ base_dn, user_filter, bind_dn }: Settings): string =>
  canonicalJson([base_dn, user_filter, bind_dn]);

const secretRequired = (detail: Detail): AppError =>
  new AppError('secret_required', undefined, {
    errors: [{ pointer: '/params/bind_password', code: 'required', detail }],
  });

/** The order and the spelling of the servers are irrelevant for the secret. */
const destinationOf = ({ hosts, start_tls, ca_certificate }: Settings): string => {
  const servers = Array.isArray(hosts)
    ? hosts.map((text) => spellingOf(String(text), 'directory')).sort()
    : hosts;
  return canonicalJson([servers, start_tls, ca_certificate]);
};
