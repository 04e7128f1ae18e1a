import type { OidcError } from '../../remotes/oidc/port.ts';

const reasons: readonly string[] = [
  ...['unreachable', 'address_not_allowed', 'discovery', 'invalid_response', 'not_configured'],
];

/** Codes by which a provider refuses the portal, or says that it does not work (RFC 6749, 4.1.2.1 and 5.2). */
const codes: readonly (string | undefined)[] = [
  ...['invalid_client', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope'],
  ...['server_error', 'temporarily_unavailable', undefined],
];

/**
 * Whether a failure concerns the provider or the settings of the domain, and thereby all its users, not one person.
 * The answer that a browser brings says nothing: its user could have written it.
 */
export const isOfProvider = ({ reason, providerCode, endpoint }: OidcError): boolean =>
  endpoint !== 'authorization' &&
  (reasons.includes(reason) || (reason === 'refused' && codes.includes(providerCode)));
