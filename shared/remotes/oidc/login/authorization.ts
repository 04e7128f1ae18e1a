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
import type { AuthorizationRequest } from '../port.ts';
import { providerOf } from '../provider/provider.ts';

/** @throws OidcError `discovery`, `unreachable`, `refused` by the endpoint for pushed requests */
export async function authorizationUrl(call: Call, request: AuthorizationRequest): Promise<string> {
  const provider = await providerOf(call);
  const parameters = await parametersOf(call, request);
  const url = new URL(provider.metadata.authorization_endpoint ?? '');
  const sent =
    provider.metadata.pushed_authorization_request_endpoint === undefined
      ? parameters
      : { client_id: call.client.clientId, request_uri: await push(call, provider, parameters) };
  for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value);
  return url.href;
}

async function parametersOf(
  { client }: Call,
  { codeVerifier, loginHint, prompt = client.prompt, maxAge, responseMode, ...request }: AuthorizationRequest,
): Promise<Record<string, string>> {
  return {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: request.redirectUri,
    scope: client.scopes.join(' '),
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
  converting('invalid_response', async () => {
    const client = libraryClient(call.client);
    const options = requestOptions(call);
    const response = await authenticated(call, provider, (authentication) =>
      pushedAuthorizationRequest(provider.metadata, client, authentication, parameters, options),
    );
    const { request_uri } = await processPushedAuthorizationResponse(provider.metadata, client, response);
    return request_uri;
  });
