import {
  calculatePKCECodeChallenge,
  processPushedAuthorizationResponse,
  pushedAuthorizationRequest,
} from 'oauth4webapi';
import { authenticated } from '../exchange/authentication.ts';
import { type Call, requestOptions } from '../exchange/call.ts';
import { converting } from '../exchange/faults.ts';
import { libraryClient } from '../exchange/library-client.ts';
import type { Provider } from '../exchange/memory.ts';
import { type AuthorizationRequest, type OidcClient, OidcError } from '../port.ts';
import { providerOf } from '../provider/provider.ts';

/** @throws OidcError `discovery`, `unreachable`, `refused` by the endpoint for pushed requests */
export async function authorizationUrl(call: Call, request: AuthorizationRequest): Promise<string> {
  const provider = await providerOf(call);
  const parameters = await parametersOf(call, provider, request);
  const url = new URL(provider.metadata.authorization_endpoint ?? '');
  const requestUri = await pushed(call, provider, parameters);
  const sent =
    requestUri === undefined ? parameters : { client_id: call.client.clientId, request_uri: requestUri };
  for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * The address of a pushed request. Some providers announce the endpoint, and refuse it to clients that were not registered for it.
 * @returns undefined if the provider has no endpoint, or refuses the request and does not require it
 */
async function pushed(
  call: Call,
  provider: Provider,
  parameters: Record<string, string>,
): Promise<string | undefined> {
  const { metadata } = provider;
  if (metadata.pushed_authorization_request_endpoint === undefined) return undefined;
  try {
    return await push(call, provider, parameters);
  } catch (error) {
    const isNeeded = metadata.require_pushed_authorization_requests === true;
    const isRefused = error instanceof OidcError && error.reason === 'refused';
    // A client that is not accepted here would not be accepted with the code either.
    if (isNeeded || !isRefused || error.providerCode === 'invalid_client') throw error;
    return undefined;
  }
}

const google = 'https://accounts.google.com';

/** What makes the provider issue a refresh token. A provider may refuse a scope that it does not announce. */
function offlineParameters({ metadata }: Provider, { isOffline, scopes }: OidcClient) {
  const { scopes_supported: announced } = metadata;
  const isScope = isOffline && (!Array.isArray(announced) || announced.includes('offline_access'));
  return {
    scope: [...new Set([...scopes, ...(isScope ? ['offline_access'] : [])])].join(' '),
    ...(isOffline && metadata.issuer === google && { access_type: 'offline' }),
  };
}

async function parametersOf(
  { client }: Call,
  provider: Provider,
  { codeVerifier, loginHint, prompt = client.prompt, maxAge, responseMode, ...request }: AuthorizationRequest,
): Promise<Record<string, string>> {
  return {
    ...client.authorizationParameters,
    ...offlineParameters(provider, client),
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: request.redirectUri,
    state: request.state,
    nonce: request.nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...(client.acrValues.length > 0 && { acr_values: client.acrValues.join(' ') }),
    ...(loginHint !== undefined && { login_hint: loginHint }),
    ...(prompt !== undefined && { prompt }),
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
    ...(responseMode !== undefined && { response_mode: responseMode }),
  };
}

const push = (call: Call, provider: Provider, parameters: Record<string, string>): Promise<string> =>
  converting('pushed_request', 'invalid_response', async () => {
    const client = libraryClient(call.client);
    const options = requestOptions(call);
    const response = await authenticated(call, provider, (authentication) =>
      pushedAuthorizationRequest(provider.metadata, client, authentication, parameters, options),
    );
    const { request_uri } = await processPushedAuthorizationResponse(provider.metadata, client, response);
    return request_uri;
  });
