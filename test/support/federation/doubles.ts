import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Transport } from '../../../shared/remotes/http/transport.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { newSigningKey, type SigningKey, signed } from '../oidc/forger.ts';
import type { Claims, ProviderProfile, Refusal } from './providers/profile.ts';

/** The portal as the provider has registered it. */
type Registration = { id: string; secret: string; redirectUri: string };

/** A provider that behaves as its profile. Tests change the person between requests. */
class Double {
  readonly profile: ProviderProfile;
  readonly registration: Registration;
  readonly #key: SigningKey;
  /** Claims of the person: those of the ID token and those of the userinfo endpoint. */
  person: { idToken: Claims; userinfo: Claims };
  /** What the provider refuses now. */
  readonly refuses = new Set<'client' | 'accessToken'>();
  /** The parameters of the last authorization request. */
  requested: Record<string, string> = {};
  readonly #pushed = new Map<string, Record<string, string>>();
  readonly #codes = new Map<string, Record<string, string>>();
  readonly #refreshTokens = new Set<string>();

  constructor(profile: ProviderProfile, registration: Registration, key: SigningKey) {
    this.profile = profile;
    this.registration = registration;
    this.#key = key;
    this.person = { idToken: profile.idToken, userinfo: profile.userinfo };
  }

  /** Replaces a text of the person, such as a group, everywhere. */
  replace(given: string, other: string): void {
    const { idToken, userinfo } = this.profile;
    const changed = JSON.stringify({ idToken, userinfo }).replaceAll(
      JSON.stringify(given),
      JSON.stringify(other),
    );
    this.person = JSON.parse(changed);
  }

  restore(): void {
    this.refuses.clear();
    this.person = { idToken: this.profile.idToken, userinfo: this.profile.userinfo };
  }

  /** Ends all refresh tokens. */
  revoke(): void {
    this.#refreshTokens.clear();
  }

  /** The addresses of this provider, with what answers there. */
  get routes(): [url: string, answer: Endpoint][] {
    const { discovery } = this.profile;
    const { pushed_authorization_request_endpoint: pushed } = discovery;
    return [
      [`${discovery.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, () => json(200, discovery)],
      [discovery.jwks_uri, () => json(200, { keys: [this.#key.jwk] })],
      [discovery.authorization_endpoint, (request) => this.#authorize(request)],
      [discovery.token_endpoint, (request) => this.#token(request)],
      [discovery.userinfo_endpoint, (request) => this.#describe(request)],
      ...(pushed === undefined ? [] : [[pushed, (request) => this.#push(request)] as [string, Endpoint]]),
    ];
  }

  #authorize({ query }: Request): Reply {
    const given = this.#pushed.get(query.request_uri ?? '') ?? query;
    this.requested = given;
    const { id, redirectUri } = this.registration;
    const isValid =
      given.client_id === id && given.redirect_uri === redirectUri && given.response_type === 'code';
    if (!isValid || given.code_challenge_method !== 'S256') return json(400, { error: 'invalid_request' });
    const { scopes, errors, discovery } = this.profile;
    const isRefused = given.scope?.split(' ').some((scope) => scopes && !scopes.includes(scope)) ?? true;
    if (isRefused && typeof errors.scope !== 'string') return refusal(errors.scope);
    const code = crypto.randomUUID();
    this.#codes.set(code, given);
    const answer = {
      ...(isRefused ? { error: String(errors.scope) } : { code }),
      state: given.state ?? '',
      ...(discovery.authorization_response_iss_parameter_supported === true && { iss: discovery.issuer }),
    };
    return given.response_mode === 'form_post' ? form(redirectUri, answer) : redirect(redirectUri, answer);
  }

  #push(request: Request): Reply {
    if (!this.#isClient(request)) return refusal(this.profile.errors.client);
    const address = `urn:ietf:params:oauth:request_uri:${crypto.randomUUID()}`;
    this.#pushed.set(address, request.form);
    return json(201, { request_uri: address, expires_in: 60 });
  }

  #token(request: Request): Promise<Reply> | Reply {
    const { errors, refresh } = this.profile;
    if (!this.#isClient(request)) return refusal(errors.client);
    const { grant_type, code = '', code_verifier = '', refresh_token = '' } = request.form;
    if (grant_type === 'refresh_token') {
      if (!this.#refreshTokens.has(refresh_token)) return refusal(errors.refreshToken);
      return this.#issue({
        hasIdToken: refresh.idToken,
        refreshToken: refresh.rotates ? this.#newRefreshToken() : undefined,
      });
    }
    const started = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256').update(code_verifier).digest('base64url');
    if (started?.code_challenge !== challenge) return json(400, { error: 'invalid_grant' });
    const refreshToken = this.#isOffline(started) ? this.#newRefreshToken() : undefined;
    return this.#issue({ hasIdToken: true, nonce: started.nonce, refreshToken });
  }

  async #issue(given: {
    hasIdToken: boolean;
    nonce?: string | undefined;
    refreshToken: string | undefined;
  }): Promise<Reply> {
    const now = Math.floor(Date.now() / 1000);
    const { idToken } = this.person;
    const claims = {
      ...idToken,
      iss: this.profile.discovery.issuer,
      ...{ iat: now, exp: now + 300, auth_time: now },
      ...(given.nonce !== undefined && { nonce: given.nonce }),
    };
    return json(200, {
      ...this.#own(this.profile.token),
      access_token: accessToken,
      ...(given.refreshToken !== undefined && { refresh_token: given.refreshToken }),
      ...(given.hasIdToken && { id_token: await signed(this.#own(claims), this.#key) }),
    });
  }

  #describe({ authorization }: Request): Reply {
    if (this.refuses.has('accessToken') || authorization !== `Bearer ${accessToken}`)
      return refusal(this.profile.errors.accessToken);
    return json(200, this.#own(this.person.userinfo));
  }

  #isClient({ authorization = '', form: { client_id, client_secret } }: Request): boolean {
    const { id, secret } = this.registration;
    if (this.refuses.has('client')) return false;
    const [, encoded = ''] = authorization.split('Basic ');
    const [user = '', password = ''] = Buffer.from(encoded, 'base64').toString().split(':');
    const decoded = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));
    const byHeader = decoded(user) === id && decoded(password) === secret;
    const byBody = client_id === id && client_secret === secret;
    const { authentication } = this.profile;
    return (
      (byHeader && authentication.includes('client_secret_basic')) ||
      (byBody && authentication.includes('client_secret_post'))
    );
  }

  #isOffline({ scope = '', access_type, prompt }: Record<string, string>): boolean {
    const { refreshToken } = this.profile;
    if (refreshToken === 'offline_access') return scope.split(' ').includes('offline_access');
    // Google issues one at the first consent, and then only if it asks for consent again.
    return refreshToken === 'always' || (access_type === 'offline' && prompt === 'consent');
  }

  #newRefreshToken(): string {
    const token = crypto.randomUUID();
    this.#refreshTokens.add(token);
    return token;
  }

  #own(claims: Claims): Record<string, unknown> {
    return JSON.parse(JSON.stringify(claims).replaceAll('{client}', this.registration.id));
  }
}

const accessToken = 'an access token';

type Request = {
  query: Record<string, string>;
  form: Record<string, string>;
  authorization: string | undefined;
};
type Reply = { status: number; headers: Record<string, string>; body: string };
type Endpoint = (request: Request) => Promise<Reply> | Reply;

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const refusal = ({ status, headers = {}, body }: Refusal): Reply =>
  body === undefined ? { status, headers, body: '' } : json(status, body, headers);
const redirect = (to: string, parameters: Record<string, string>): Reply => ({
  status: 302,
  headers: { location: `${to}?${new URLSearchParams(parameters)}` },
  body: '',
});
/** A page that sends its form (OAuth 2.0 Form Post Response Mode). */
const form = (action: string, fields: Record<string, string>): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: `<form method="post" action="${action}">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
    .join('')}</form>`,
});

export type Doubles = {
  caPem: string;
  /** The address on this server that stands for an address of a provider. */
  at(url: string): string;
  /** Requests to the providers reach this server. */
  through(real: Transport): Transport;
  add(profile: ProviderProfile, registration: Registration): Double;
  close(): Promise<void>;
};

/** Providers that behave as their profiles, on one TLS socket. Their addresses stay those of the profiles. */
export async function startDoubles(): Promise<Doubles> {
  const authority = await createAuthority('Doubles');
  const key = await newSigningKey('double');
  const endpoints = new Map<string, Endpoint>();
  const server = createServer(
    await authority.issue(),
    (request, response) => void serve(endpoints, request, response),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  const at = (url: string): string => url.replace(/^https:\//, origin);
  return {
    caPem: authority.caPem,
    at,
    through: (real) => ({ ...real, send: (request) => real.send({ ...request, url: at(request.url) }) }),
    add: (profile, registration) => {
      const double = new Double(profile, registration, key);
      for (const [url, endpoint] of double.routes) endpoints.set(pathOf(at(url)), endpoint);
      return double;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const pathOf = (url: string): string => new URL(url).pathname;

async function serve(
  endpoints: ReadonlyMap<string, Endpoint>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const endpoint = endpoints.get(url.pathname);
  const reply = await endpoint?.({
    query: Object.fromEntries(url.searchParams),
    form: Object.fromEntries(new URLSearchParams(await text(request))),
    authorization: request.headers.authorization,
  });
  response.writeHead(reply?.status ?? 404, reply?.headers);
  response.end(reply?.body);
}
