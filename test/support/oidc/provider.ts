import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ClientMetadata, type Configuration, Provider } from 'oidc-provider';
import { createAuthority } from '../../simulator/authority.ts';
import { createBrowser } from './browser.ts';

export const callback = 'https://portal.test/api/auth/v7.0/oidc/callback';
export const signedOut = 'https://portal.test/signin';

export type Person = Record<string, unknown>;
/** Facts of an authentication at the provider. */
type Authentication = { acr?: string; amr?: string[] };

/** The client of the tests: `ask` authenticates by a header, `post` by the body, `key` by a signed assertion. */
export const secret = 'a secret of the provider with enough characters';
const client = (client_id: string, more: Partial<ClientMetadata> = {}): ClientMetadata => ({
  client_id,
  client_secret: secret,
  redirect_uris: [callback],
  post_logout_redirect_uris: [signedOut],
  grant_types: ['authorization_code', 'refresh_token'],
  backchannel_logout_uri: 'https://portal.test/backchannel',
  backchannel_logout_session_required: true,
  ...more,
});

/** A certified provider of its own, with HTTPS on a free port. Everyone it knows is signed in without a form. */
export async function startProvider(settings: { clients?: ClientMetadata[]; more?: Configuration } = {}) {
  const authority = await createAuthority('Provider');
  const server = createServer(await authority.issue());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, Person>();
  const logoutTokens: string[] = [];
  const authentication: Authentication = {};
  const provider = new Provider(issuer, {
    clients: settings.clients ?? [
      client('ask'),
      client('post', { token_endpoint_auth_method: 'client_secret_post' }),
    ],
    ...configurationOf(people, logoutTokens),
    ...settings.more,
  });
  // Errors of refused requests are part of the tests.
  provider.on('server_error', () => undefined);
  server.on('request', (incoming, answer) => {
    if (incoming.url?.startsWith('/interaction/'))
      return void finish(provider, authentication, incoming, answer);
    return void provider.callback()(incoming, answer);
  });
  return {
    issuer,
    ca: authority.caPem,
    provider,
    people,
    logoutTokens,
    authentication,
    browser: () => createBrowser(authority.caPem),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type TestProvider = Awaited<ReturnType<typeof startProvider>>;

type Incoming = Parameters<Provider['interactionDetails']>[0];
type Outgoing = Parameters<Provider['interactionDetails']>[1];

/** Signs in the person of the login hint, with consent. */
async function finish(
  provider: Provider,
  { acr, amr }: Authentication,
  incoming: Incoming,
  answer: Outgoing,
): Promise<void> {
  const { params } = await provider.interactionDetails(incoming, answer);
  const accountId = String(params.login_hint ?? 'anna');
  const login = { accountId, ...(acr !== undefined && { acr }), ...(amr && { amr }) };
  await provider.interactionFinished(incoming, answer, { login, consent: {} });
}

const configurationOf = (people: Map<string, Person>, logoutTokens: string[]): Configuration => ({
  features: {
    devInteractions: { enabled: false },
    pushedAuthorizationRequests: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => {
        ctx.body = form;
      },
    },
    backchannelLogout: { enabled: true },
  },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  claims: {
    openid: ['sub', 'acr', 'amr'],
    profile: ['name', 'preferred_username', 'groups', 'realm_access'],
    email: ['email'],
  },
  acrValues: ['urn:example:mfa'],
  cookies: { keys: ['of the tests'] },
  findAccount: (_, id) => {
    const person = people.get(id);
    return person && { accountId: id, claims: () => ({ sub: id, ...person }) };
  },
  // Consent is given for every scope.
  loadExistingGrant: async (ctx) => {
    const { client: of, session, params, provider } = ctx.oidc;
    const grant = new provider.Grant({ clientId: of?.clientId ?? '', accountId: session?.accountId ?? '' });
    grant.addOIDCScope(String(params?.scope ?? 'openid'));
    await grant.save();
    return grant;
  },
  issueRefreshToken: async (_ctx, of, code) =>
    of.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
  fetch: async (_url, options) => {
    logoutTokens.push(String(new URLSearchParams(String(options?.body)).get('logout_token')));
    return new Response(null, { status: 200 });
  },
});
