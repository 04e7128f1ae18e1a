import { refreshTokenGrantRequest } from 'oauth4webapi';
import { authenticated, createMethodCache } from './exchange/authentication.ts';
import { type Call, callOf, requestOptions } from './exchange/call.ts';
import { converting } from './exchange/faults.ts';
import { libraryClient } from './exchange/library-client.ts';
import type { Memory } from './exchange/memory.ts';
import { type OidcClient, OidcError, type ProviderFacts, type ProviderKey } from './port.ts';
import { createKeySetCache, keysFor } from './provider/key-sets.ts';
import { factsOf } from './provider/metadata.ts';
import { createProviderCache, providerOf } from './provider/provider.ts';

/** The part of a client that tests of connections need. All operations throw OidcError. */
export type OidcProbe = {
  /** Reads the configuration of the provider. */
  discover(client: OidcClient): Promise<ProviderFacts>;
  listKeys(client: OidcClient): Promise<ProviderKey[]>;
  /**
   * Authenticates at the token endpoint with a refresh token that does not exist. The provider checks the client first.
   * @returns `unknown` if the provider does not say why it refuses the request: Glewlwyd answers with an empty 400.
   *   `no_refresh`: it accepts the client, and does not let it refresh
   * @throws OidcError `refused` with `invalid_client` if it does not accept the client
   */
  authenticate(client: OidcClient): Promise<'accepted' | 'no_refresh' | 'unknown'>;
};

/** A probe reads the configuration of each provider once. */
export function createOidcProbe({ transport }: Pick<Memory, 'transport'>): OidcProbe {
  const memory: Memory = {
    transport,
    providers: createProviderCache(),
    keySets: createKeySetCache(),
    methods: createMethodCache(),
  };
  return {
    discover: async (client) => {
      const { metadata } = await providerOf(callOf(memory, client, undefined));
      return factsOf(metadata, client);
    },
    listKeys: (client) => listKeys(callOf(memory, client, undefined)),
    authenticate: (client) => authenticate(callOf(memory, client, undefined)),
  };
}

async function listKeys(call: Call): Promise<ProviderKey[]> {
  const { keys } = await keysFor(call, await providerOf(call), undefined);
  return keys.map(({ kid, kty, use }) => ({
    kid,
    isForSignatures: ['RSA', 'EC', 'OKP'].includes(kty ?? '') && use !== 'enc',
  }));
}

/** Codes of a provider that has accepted the client (RFC 6749, 5.2). */
const afterTheClient = ['invalid_grant', 'invalid_request'];
const withoutRefresh = ['unauthorized_client', 'unsupported_grant_type'];

const authenticate = (call: Call): ReturnType<OidcProbe['authenticate']> =>
  converting('token', 'invalid_response', async () => {
    const provider = await providerOf(call);
    const client = libraryClient(call.client);
    const options = requestOptions(call);
    const response = await authenticated(call, provider, (authentication) =>
      refreshTokenGrantRequest(provider.metadata, client, authentication, 'connection-test', options),
    );
    if (response.status === 400 && (await response.clone().text()) === '') return 'unknown';
    const code = await errorIn(response);
    if (code === undefined) throw new OidcError('invalid_response');
    // Keycloak answers a wrong secret with 401 and `unauthorized_client`.
    if (response.status !== 401 && afterTheClient.includes(code)) return 'accepted';
    if (response.status !== 401 && withoutRefresh.includes(code)) return 'no_refresh';
    throw new OidcError('refused', /^[a-z_]{1,64}$/.test(code) ? { providerCode: code } : {});
  });

async function errorIn(response: Response): Promise<string | undefined> {
  const body: unknown = await response.json().catch(() => undefined);
  const error = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : undefined;
  if (typeof error === 'string') return error;
  return response.status === 401 ? 'invalid_client' : undefined;
}
