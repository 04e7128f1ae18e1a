import { createLocalJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { isStorable } from '../../../kernel/text.ts';
import type { Call } from '../exchange/call.ts';
import { clockToleranceS } from '../exchange/library-client.ts';
import type { Provider } from '../exchange/memory.ts';
import { type LogoutRequest, type LogoutToken, OidcError } from '../port.ts';
import { keysFor } from '../provider/key-sets.ts';
import { providerOf } from '../provider/provider.ts';
import { assertTenant, issuerOfTenant } from '../provider/tenants.ts';
import { textOf } from './claims.ts';
import { keyIdOf } from './tokens.ts';

/** OpenID Connect RP-Initiated Logout 1.0, section 2. */
export async function logoutUrl(
  call: Call,
  { idToken, postLogoutRedirectUri, state }: LogoutRequest,
): Promise<string | undefined> {
  const { metadata } = await providerOf(call);
  if (metadata.end_session_endpoint === undefined) return undefined;
  const url = new URL(metadata.end_session_endpoint);
  url.searchParams.set('id_token_hint', idToken);
  url.searchParams.set('client_id', call.client.clientId);
  url.searchParams.set('post_logout_redirect_uri', postLogoutRedirectUri);
  url.searchParams.set('state', state);
  if (url.href.length <= longestAddress) return url.href;
  url.searchParams.delete('id_token_hint');
  const hint = hintOf(idToken);
  if (hint !== undefined) url.searchParams.set('logout_hint', hint);
  return url.href;
}

/** Entra ID and many servers refuse longer addresses, and an ID token with hundreds of groups has 11,000 characters. */
const longestAddress = 2_000;

/** What names the session at the provider instead: `login_hint` is meant for it by Entra ID. */
function hintOf(idToken: string): string | undefined {
  const claims = decodeJwt(idToken);
  const names = ['login_hint', 'sid', 'preferred_username', 'email', 'sub'];
  return names.map((name) => textOf(claims[name])).find((text) => text !== undefined && text.length <= 512);
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
const maxAgeS = 600;
const longestToken = 16_384;

/**
 * Validates a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6).
 * @throws OidcError `token_invalid` with the faulty claim, `issuer_mismatch`, `tenant_not_allowed`, `discovery`
 */
export async function readLogoutToken(call: Call, token: string): Promise<LogoutToken> {
  if (token.length > longestToken) throw new OidcError('token_invalid');
  const provider = await providerOf(call);
  const payload = await verified(call, provider, token);
  assertTenant(payload, call.client.allowedTenants);
  const { iss = '', jti, events, nonce } = payload;
  if (typeof jti !== 'string' || jti === '' || jti.length > 256) throw invalidClaim('jti');
  if (nonce !== undefined) throw invalidClaim('nonce');
  if (!isObject(events) || !isObject(Reflect.get(events, logoutEvent))) throw invalidClaim('events');
  const subject = nameIn(payload, 'sub');
  const session = nameIn(payload, 'sid');
  if (subject === undefined && session === undefined) throw invalidClaim('sub');
  return { issuer: iss, sub: subject, sid: session, jti };
}

/** Without one of the names, the token would be for more sessions: an unusable name is not an absent one. */
function nameIn(payload: JWTPayload, claim: 'sub' | 'sid'): string | undefined {
  const name = payload[claim];
  if (typeof name !== 'string' || name === '') return undefined;
  if (!isStorable(name)) throw invalidClaim(claim);
  return name;
}

async function verified(call: Call, provider: Provider, token: string) {
  const { client } = call;
  const { metadata, isTemplate } = provider;
  const jwks = await keysFor(call, provider, keyIdOf(token));
  const issuer = isTemplate ? issuerOfTenant(metadata.issuer, token, client.allowedTenants) : metadata.issuer;
  try {
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(jwks), {
      issuer,
      audience: client.clientId,
      algorithms: [...(metadata.id_token_signing_alg_values_supported ?? [])],
      clockTolerance: clockToleranceS,
      maxTokenAge: maxAgeS,
      requiredClaims: ['iat', 'jti', 'events'],
    });
    assertType(protectedHeader.typ);
    return payload;
  } catch (error) {
    throw error instanceof errors.JOSEError ? faultOf(error) : error;
  }
}

/** Older providers send no type or `JWT`. Another type is a token for another purpose (RFC 8725, 3.11). */
function assertType(typ: string | undefined): void {
  const name = typ?.toLowerCase().replace(/^application\//, '');
  if (name !== undefined && name !== 'logout+jwt' && name !== 'jwt') throw invalidClaim('typ');
}

function faultOf(error: errors.JOSEError): OidcError {
  const claim =
    error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired
      ? error.claim
      : undefined;
  if (claim === 'iss') return new OidcError('issuer_mismatch');
  return claim === undefined ? new OidcError('token_invalid') : invalidClaim(claim);
}

const invalidClaim = (claim: string): OidcError => new OidcError('token_invalid', { claim });

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
