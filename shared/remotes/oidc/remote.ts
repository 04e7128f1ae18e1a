import { createMethodCache } from './exchange/authentication.ts';
import { callOf } from './exchange/call.ts';
import type { Memory, OidcParts } from './exchange/memory.ts';
import { authorizationUrl } from './login/authorization.ts';
import { loginOf } from './login/login.ts';
import { logoutUrl, readLogoutToken } from './login/logout.ts';
import { revokeToken } from './login/revocation.ts';
import { exchangeCode, refreshTokens, type Tokens } from './login/tokens.ts';
import { OidcError, type OidcRemote } from './port.ts';
import { createKeySetCache } from './provider/key-sets.ts';
import { factsOf } from './provider/metadata.ts';
import { createProviderCache, providerOf } from './provider/provider.ts';

/**
 * A client of OpenID providers over HTTPS. Configurations and keys are cached in this object, so there is one per
 * process or isolate.
 */
export function createOidcRemote(parts: OidcParts): OidcRemote {
  const memory: Memory = {
    ...parts,
    providers: createProviderCache(),
    keySets: createKeySetCache(),
    methods: createMethodCache(),
  };
  return {
    discover: async (client, signal) => {
      const { metadata } = await providerOf(callOf(memory, client, signal));
      return factsOf(metadata, client);
    },
    authorizationUrl: (client, request, signal) => authorizationUrl(callOf(memory, client, signal), request),
    exchange: async (client, exchange, signal) => {
      const call = callOf(memory, client, signal);
      return loginOf(call, await exchangeCode(call, await providerOf(call), exchange), {
        onClaims: exchange.onClaims,
      });
    },
    refresh: async (client, { refreshToken, login }, signal) => {
      const call = callOf(memory, client, signal);
      const provider = await providerOf(call);
      const tokens = await unlessRevoked(refreshTokens(call, provider, refreshToken));
      return tokens === 'revoked' ? tokens : loginOf(call, tokens, { former: login });
    },
    revoke: (client, refreshToken, signal) => revokeToken(callOf(memory, client, signal), refreshToken),
    logoutUrl: (client, request, signal) => logoutUrl(callOf(memory, client, signal), request),
    readLogoutToken: (client, token, signal) => readLogoutToken(callOf(memory, client, signal), token),
  };
}

/** RFC 6749, 5.2: the grant is not valid, has expired or was revoked. */
const unlessRevoked = (tokens: Promise<Tokens>): Promise<Tokens | 'revoked'> =>
  tokens.catch((error: unknown) => {
    if (error instanceof OidcError && error.providerCode === 'invalid_grant') return 'revoked';
    throw error;
  });
