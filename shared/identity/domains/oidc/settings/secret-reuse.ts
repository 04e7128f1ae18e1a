import { AppError } from '../../../../kernel/errors.ts';
import { canonicalJson } from '../../../../kernel/json/json.ts';
import type { Settings } from '../../domain-type.ts';
import type { OidcParams } from './params.ts';

/**
 * Checks that a stored secret is sent only to the provider that it was stored for. Otherwise a caller who may write or
 * test a domain could obtain it.
 * @returns false if the portal authenticates with its key
 * @throws AppError `secret_required`
 */
export function reusesSecret(next: OidcParams, stored: Settings): boolean {
  if (next.client_authentication === 'private_key') return false;
  if (isSameDestination(next, stored)) return true;
  throw new AppError('secret_required', undefined, {
    errors: [{ pointer: '/params/client_secret', code: 'required', detail: 'The destination has changed' }],
  });
}

/** True if a request that authenticates the portal goes to the same provider, in the name of the same client. */
export const isSameDestination = (next: OidcParams, stored: Settings): boolean =>
  destinationOf(next) === destinationOf(stored);

const destinationOf = ({ issuer, discovery_url, client_id, ca_certificate }: Settings): string =>
  canonicalJson([issuer, discovery_url ?? null, client_id, ca_certificate ?? null]);
