import { Buffer } from 'node:buffer';
import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  getValidatedIdTokenClaims,
  type IDToken,
  jwksCache,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';
import { authenticated } from '../exchange/authentication.ts';
import { type Call, requestOptions } from '../exchange/call.ts';
import { converting } from '../exchange/faults.ts';
import { clockToleranceS, libraryClient } from '../exchange/library-client.ts';
import type { Provider } from '../exchange/memory.ts';
import { type CodeExchange, OidcError, type OidcFacts, type OidcReason } from '../port.ts';
import { keysFor } from '../provider/key-sets.ts';
import { assertTenant, issuerOfTenant } from '../provider/tenants.ts';

/** Validated tokens. `claims` are those of the ID token, undefined if a refresh returned none. */
export type Tokens = {
  accessToken: string;
  refreshToken: string | undefined;
  idToken: string | undefined;
  claims: IDToken | undefined;
  /** The provider for the further requests of this login, with the issuer of the tenant. */
  provider: Provider;
};

/** @throws OidcError for a forged or outdated callback, and for errors of the token endpoint */
export const exchangeCode = (call: Call, provider: Provider, exchange: CodeExchange): Promise<Tokens> =>
  converting('token', 'token_invalid', async () => {
    const { redirectUri, codeVerifier, nonce, maxAge } = exchange;
    const client = libraryClient(call.client);
    const callback = readCallback(call, provider, exchange);
    const options = requestOptions(call);
    const response = await authenticated(call, provider, (authentication) =>
      authorizationCodeGrantRequest(
        provider.metadata,
        client,
        authentication,
        callback,
        redirectUri,
        codeVerifier,
        options,
      ),
    );
    const own = await providerOfTenant(call, provider, response);
    const tokens = await processAuthorizationCodeResponse(own.metadata, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
      ...(maxAge !== undefined && { maxAge }),
    });
    return validated(call, own, response, tokens);
  });

/** @throws OidcError `state_mismatch`, `issuer_mismatch`, `refused` with the code of the provider, `invalid_response` */
function readCallback(call: Call, { metadata }: Provider, { callback, state }: CodeExchange) {
  const [given, ...others] = callback.getAll('state');
  if (given !== state || others.length > 0) throw faultyAnswer('state_mismatch');
  const [iss] = callback.getAll('iss');
  const isMissing = iss === undefined && metadata.authorization_response_iss_parameter_supported === true;
  if (isMissing || (iss !== undefined && iss !== metadata.issuer))
    throw faultyAnswer('issuer_mismatch', { expected: metadata.issuer, found: iss });
  if (!callback.has('error') && !callback.get('code'))
    throw faultyAnswer('invalid_response', { claim: 'code' });
  return validateAuthResponse(metadata, libraryClient(call.client), callback, state);
}

const faultyAnswer = (reason: OidcReason, facts: OidcFacts = {}): OidcError =>
  new OidcError(reason, { ...facts, endpoint: 'authorization' });

/** @throws OidcError; `refused` with `invalid_grant` for a revoked token */
export const refreshTokens = (call: Call, provider: Provider, refreshToken: string): Promise<Tokens> =>
  converting('token', 'token_invalid', async () => {
    const client = libraryClient(call.client);
    const options = requestOptions(call);
    const response = await authenticated(call, provider, (authentication) =>
      refreshTokenGrantRequest(provider.metadata, client, authentication, refreshToken, options),
    );
    const own = await providerOfTenant(call, provider, response);
    const tokens = await processRefreshTokenResponse(own.metadata, client, response);
    return validated(call, own, response, tokens);
  });

/** The issuer of the tokens is the one of their tenant, which must be allowed. */
async function providerOfTenant(call: Call, provider: Provider, response: Response): Promise<Provider> {
  if (!provider.isTemplate || response.status !== 200) return provider;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const idToken = typeof body === 'object' && body !== null ? Reflect.get(body, 'id_token') : undefined;
  const { allowedTenants } = call.client;
  const issuer = issuerOfTenant(provider.metadata.issuer, String(idToken), allowedTenants);
  return { ...provider, metadata: { ...provider.metadata, issuer } };
}

async function validated(
  call: Call,
  provider: Provider,
  response: Response,
  tokens: TokenEndpointResponse,
): Promise<Tokens> {
  const claims = getValidatedIdTokenClaims(tokens);
  if (claims && tokens.id_token !== undefined) {
    assertClaims(call, claims);
    await assertSignature(call, provider, response, tokens.id_token);
  }
  const { access_token, refresh_token, id_token } = tokens;
  return { accessToken: access_token, refreshToken: refresh_token, idToken: id_token, claims, provider };
}

/** Tokens come directly from the token endpoint. Microsoft sets `iat` to five minutes before the issuance. */
const maxAgeS = 900;

/** Checks that the library leaves to its caller. @throws OidcError `token_invalid`, `tenant_not_allowed` */
function assertClaims({ client }: Call, claims: IDToken): void {
  const now = Date.now() / 1000;
  if (claims.iat > now + clockToleranceS || claims.iat < now - maxAgeS)
    throw new OidcError('token_invalid', { claim: 'iat' });
  // OpenID Connect Core, 2: at most 255 characters of ASCII.
  if (!/^[\x20-\x7e]{1,255}$/.test(claims.sub)) throw new OidcError('token_invalid', { claim: 'sub' });
  // Without several audiences the library does not compare the authorized party.
  if (claims.azp !== undefined && claims.azp !== client.clientId)
    throw new OidcError('token_invalid', { claim: 'azp' });
  assertTenant(claims, client.allowedTenants);
}

/**
 * Verifies the signature of a JWT in an answer that the library has processed.
 * @throws OidcError `token_invalid`; errors of the library
 */
export async function assertSignature(
  call: Call,
  provider: Provider,
  response: Response,
  token: string,
): Promise<void> {
  const jwks = await keysFor(call, provider, keyIdOf(token));
  // The library caches keys by this object, and would read them itself. A new object makes it use the given keys.
  const metadata: AuthorizationServer = { ...provider.metadata };
  const uat = Math.floor(Date.now() / 1000);
  await validateApplicationLevelSignature(metadata, response, { [jwksCache]: { jwks, uat } });
}

/** The key id that a token names, before its validation. */
export function keyIdOf(token: string): string | undefined {
  const [header = ''] = token.split('.');
  try {
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
    return typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}
