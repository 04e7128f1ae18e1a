import type { AuthorizationServer } from 'oauth4webapi';
import { checkAddress } from '../../../kernel/addresses/check.ts';
import { type OidcClient, OidcError, type ProviderFacts } from '../port.ts';

/** Asymmetric algorithms that the library validates on every runtime. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** The announced algorithms of ID tokens without `none` and those with a shared secret. Default: RS256. */
export function acceptedAlgorithms({
  id_token_signing_alg_values_supported: announced,
}: AuthorizationServer) {
  const list: unknown = announced ?? ['RS256'];
  return Array.isArray(list) ? algorithms.filter((name) => list.includes(name)) : [];
}

const required = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
const optional = [
  'userinfo_endpoint',
  'pushed_authorization_request_endpoint',
  'end_session_endpoint',
  'revocation_endpoint',
] as const;

/**
 * Checks the addresses, and that the provider supports the authorization code.
 * @throws OidcError `discovery` with the name of the member
 */
export function assertUsable(metadata: AuthorizationServer): void {
  for (const name of required) if (!isAddress(metadata[name])) throw faulty(name);
  for (const name of optional)
    if (metadata[name] !== undefined && !isAddress(metadata[name])) throw faulty(name);
  if (!announces(metadata, 'response_types_supported', 'code')) throw faulty('response_types_supported');
  if (!announces(metadata, 'code_challenge_methods_supported', 'S256'))
    throw faulty('code_challenge_methods_supported');
}

/** True if a list contains a value, or if the provider does not send the list. */
function announces(
  metadata: AuthorizationServer,
  name: 'response_types_supported' | 'code_challenge_methods_supported',
  value: string,
): boolean {
  const list = metadata[name];
  return list === undefined || (Array.isArray(list) && list.includes(value));
}

const isAddress = (text: unknown): text is string =>
  typeof text === 'string' && checkAddress(text, 'endpoint').ok;

const faulty = (claim: string): OidcError => new OidcError('discovery', { claim });

export type AuthenticationMethod = ProviderFacts['authenticationMethod'];

/**
 * The announced methods that fit the settings of the client, the usual one first.
 * @throws OidcError `discovery` if the provider announces no such method
 */
export function authenticationMethods(
  { token_endpoint_auth_methods_supported: announced }: AuthorizationServer,
  { authentication }: OidcClient,
): [AuthenticationMethod, ...AuthenticationMethod[]] {
  const list: unknown = announced ?? ['client_secret_basic'];
  const fitting: readonly AuthenticationMethod[] =
    authentication.kind === 'key' ? ['private_key_jwt'] : ['client_secret_basic', 'client_secret_post'];
  const [first, ...others] = Array.isArray(list) ? fitting.filter((name) => list.includes(name)) : [];
  if (first === undefined) throw faulty('token_endpoint_auth_methods_supported');
  return [first, ...others];
}

/** @throws OidcError `discovery` */
export function factsOf(metadata: AuthorizationServer, client: OidcClient): ProviderFacts {
  const modes = metadata.response_modes_supported;
  return {
    issuer: metadata.issuer,
    authorizationEndpoint: metadata.authorization_endpoint ?? '',
    tokenEndpoint: metadata.token_endpoint ?? '',
    userinfoEndpoint: metadata.userinfo_endpoint,
    pushedRequestEndpoint: metadata.pushed_authorization_request_endpoint,
    endSessionEndpoint: metadata.end_session_endpoint,
    jwksUri: metadata.jwks_uri ?? '',
    signingAlgorithms: metadata.id_token_signing_alg_values_supported ?? [],
    authenticationMethod: authenticationMethods(metadata, client)[0],
    sendsIssuer: metadata.authorization_response_iss_parameter_supported === true,
    supportsFormPost: Array.isArray(modes) && modes.includes('form_post'),
    supportsBackchannelLogout: metadata.backchannel_logout_supported === true,
  };
}
