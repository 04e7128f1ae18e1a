import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';
import { type Authority, createAuthority } from '../../simulator/authority.ts';

/** A person as the provider describes them. */
type ProviderPerson = {
  name?: string;
  preferred_username?: string;
  email?: string;
  email_verified?: boolean;
  groups?: string[];
  /** How the person has authenticated. */
  acr?: string;
  amr?: string[];
};

export const clientSecret = 'a secret of the portal at the provider';

/** The portal chooses the identifier of the domain after the provider has started. */
const unknownDomain = '00000000-0000-4000-8000-000000000000';

export type OpenIdProvider = {
  issuer: string;
  caPem: string;
  provider: Provider;
  /** By subject. Tests change them between sign-ins. */
  people: Map<string, ProviderPerson>;
  /** Who is at the keyboard: a subject, or null for a person who cancels. Undefined: the pages of the provider ask. */
  atKeyboard: string | null | undefined;
  close(): Promise<void>;
};

type Options = {
  /** `BASE_URL` of the portal. */
  portalUrl: string;
  /** Default: `localhost`. */
  host?: string | undefined;
  /** Of the certificate of the provider. Default: a new one. */
  authority?: Authority;
  /** Identifier of the domain, for the address of its back-channel logout. */
  domainIdOf?: () => string | undefined;
  /** Receives the requests of the provider to the portal. */
  toPortal?: (request: Request) => Promise<Response>;
};

/** `oidc-provider`, a certified implementation, over HTTPS at a port of its own. */
export async function startOpenIdProvider(options: Options): Promise<OpenIdProvider> {
  const authority = options.authority ?? (await createAuthority('Identity provider'));
  const server = createServer(await authority.issue());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `https://${options.host ?? 'localhost'}:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, ProviderPerson>();
  const provider = new Provider(issuer, configurationOf(options, people));
  provider.proxy = false;
  const stand: OpenIdProvider = {
    issuer,
    caPem: authority.caPem,
    provider,
    people,
    atKeyboard: undefined,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const serve = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const isInteraction = /^\/interaction\/[\w-]+$/.test(request.url ?? '') && request.method === 'GET';
    if (isInteraction && stand.atKeyboard !== undefined) void interact(stand, request, response);
    else void serve(request, response);
  });
  return stand;
}

/** Logs the person at the keyboard in without a page. */
async function interact(
  { provider, people, atKeyboard }: OpenIdProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!atKeyboard) {
    const refusal = { error: 'access_denied', error_description: '<b>cancelled</b> by the user' };
    return provider.interactionFinished(request, response, refusal, { mergeWithLastSubmission: false });
  }
  const { prompt } = await provider.interactionDetails(request, response);
  if (prompt.name === 'consent')
    return provider.interactionFinished(
      request,
      response,
      { consent: {} },
      { mergeWithLastSubmission: true },
    );
  const { acr, amr } = people.get(atKeyboard) ?? {};
  const login = { accountId: atKeyboard, ...(acr && { acr }), ...(amr && { amr }) };
  await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
}

function configurationOf(
  { portalUrl, domainIdOf = () => undefined, toPortal }: Options,
  people: Map<string, ProviderPerson>,
): Configuration {
  const at = `${portalUrl}/api/auth/v7.0/oidc`;
  return {
    clients: [
      {
        client_id: 'aggregator',
        client_secret: clientSecret,
        redirect_uris: [`${at}/callback`],
        post_logout_redirect_uris: [`${at}/signed-out`],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        backchannel_logout_uri: `${at}/${unknownDomain}/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: {
      openid: ['sub', 'acr', 'amr'],
      profile: ['name', 'preferred_username', 'groups'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of the provider'] },
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      userinfo: { enabled: true },
    },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: async () => {
        const { acr: _acr, amr: _amr, ...claims } = people.get(sub) ?? {};
        return { sub, preferred_username: sub, ...claims };
      },
    }),
    loadExistingGrant: async ({ oidc }) => {
      const { provider, client, account } = oidc;
      if (!client || !account) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId });
      grant.addOIDCScope('openid profile email offline_access');
      await grant.save();
      return grant;
    },
    ...(toPortal && {
      fetch: (url: string | URL | Request, init?: RequestInit) =>
        toPortal(new Request(String(url).replace(unknownDomain, domainIdOf() ?? ''), init)),
    }),
  };
}
