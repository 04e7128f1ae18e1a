import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeTransport, type NodeTransport } from '../../../shared/remotes/http/node.ts';
import type { OidcClient, OidcRemote, ProviderLogin } from '../../../shared/remotes/oidc/port.ts';
import { createOidcProbe } from '../../../shared/remotes/oidc/probe.ts';
import { createOidcRemote } from '../../../shared/remotes/oidc/remote.ts';
import { callback, signedOut, startProvider, type TestProvider } from '../../support/oidc/provider.ts';
import { newRequest, registrationAt } from '../../support/oidc/registration.ts';

let provider: TestProvider;
let transport: NodeTransport;
let remote: OidcRemote;
let keys: { key: JsonWebKey; kid: string };

beforeAll(async () => {
  keys = await newKeys();
  provider = await startProvider();
  transport = createNodeTransport({ allowedNetworks: ['127.0.0.0/8', '::1'], allowInsecure: false });
  remote = createOidcRemote({ transport });
  provider.people.set('anna', {
    name: 'Anna Berg',
    preferred_username: 'anna.berg',
    email: 'anna@example.com',
    groups: ['g-1', 'g-2'],
    realm_access: { roles: ['admin'] },
  });
});
afterAll(async () => {
  await provider.close();
  await transport.close();
});

async function newKeys() {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return { key: await crypto.subtle.exportKey('jwk', privateKey), kid: 'portal-1' };
}

/** A sign-in in a browser of its own, unless one is given. */
async function signIn(client: OidcClient, options: { browser?: ReturnType<TestProvider['browser']> } = {}) {
  const request = newRequest();
  const url = await remote.authorizationUrl(client, { ...request, redirectUri: callback, loginHint: 'anna' });
  const browser = options.browser ?? provider.browser();
  const returned = await browser.open(url, callback);
  const parameters = new URL(returned).searchParams;
  return { request, url, browser, parameters };
}

async function login(client: OidcClient, browser = provider.browser()): Promise<ProviderLogin> {
  const { request, parameters } = await signIn(client, { browser });
  return remote.exchange(client, { ...request, redirectUri: callback, callback: parameters });
}

describe('the client at a certified provider', () => {
  it('reads its configuration and keys', async () => {
    const facts = await remote.discover(registrationAt(provider));
    expect(facts).toMatchObject({
      issuer: provider.issuer,
      authenticationMethod: 'client_secret_basic',
      sendsIssuer: true,
      supportsFormPost: true,
      supportsBackchannelLogout: true,
      pushedRequestEndpoint: `${provider.issuer}/request`,
      signingAlgorithms: expect.arrayContaining(['RS256']),
    });
    expect(facts.signingAlgorithms.filter((name) => /^(HS|none)/.test(name))).toEqual([]);
    const published = await createOidcProbe({ transport }).listKeys(registrationAt(provider));
    expect(published.some((key) => key.isForSignatures)).toBe(true);
  });

  it('pushes the request and logs a person in', async () => {
    const { request, url, parameters } = await signIn(registrationAt(provider));
    expect([...new URL(url).searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const exchange = { ...request, redirectUri: callback, callback: parameters };
    const found = await remote.exchange(registrationAt(provider), exchange);
    expect(found).toMatchObject({
      issuer: provider.issuer,
      subject: 'anna',
      sub: 'anna',
      loginName: 'anna.berg',
      groups: ['g-1', 'g-2'],
      secondFactor: false,
      refreshToken: undefined,
    });
    expect(found.claims).toMatchObject({ name: 'Anna Berg', email: 'anna@example.com' });
    await expect(remote.exchange(registrationAt(provider), exchange)).rejects.toMatchObject({
      reason: 'refused',
      providerCode: 'invalid_grant',
    });
  });

  it('authenticates by the body of the request if the settings of the provider require it', async () => {
    const other = await startProvider({
      clients: [
        {
          client_id: 'ask',
          client_secret: 'another secret of the provider',
          redirect_uris: [callback],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      more: { clientAuthMethods: ['client_secret_post'] },
    });
    other.people.set('anna', { preferred_username: 'anna' });
    const client = registrationAt(other, {
      authentication: { kind: 'secret', secret: 'another secret of the provider' },
    });
    const request = newRequest();
    const url = await remote.authorizationUrl(client, { ...request, redirectUri: callback });
    const returned = new URL(await other.browser().open(url, callback));
    const exchange = { ...request, redirectUri: callback, callback: returned.searchParams };
    expect((await remote.exchange(client, exchange)).subject).toBe('anna');
    await other.close();
  });

  it('authenticates by the body if the provider refuses the header of this client, and remembers it', async () => {
    const secret = 'another secret of the provider';
    const redirects = { client_secret: secret, redirect_uris: [callback] };
    const other = await startProvider({
      clients: [{ client_id: 'ask', ...redirects, token_endpoint_auth_method: 'client_secret_post' }],
    });
    other.people.set('anna', { preferred_username: 'anna' });
    const answers: number[] = [];
    // It announces the header, and accepts it from other clients only.
    other.provider.use(async (context, next) => {
      const isRefused = context.path === '/token' && context.get('authorization') !== '';
      if (isRefused) Object.assign(context, { status: 401, body: { error: 'invalid_client' } });
      else await next();
      if (context.path === '/token') answers.push(context.status);
    });
    const ask = async (by: string) => {
      const client = registrationAt(other, { authentication: { kind: 'secret', secret: by } });
      const request = newRequest();
      const url = await remote.authorizationUrl(client, { ...request, redirectUri: callback });
      const returned = new URL(await other.browser().open(url, callback));
      return remote.exchange(client, {
        ...request,
        redirectUri: callback,
        callback: returned.searchParams,
      });
    };
    expect((await ask(secret)).subject).toBe('anna');
    expect(answers.splice(0)).toEqual([401, 200]);
    expect((await ask(secret)).subject).toBe('anna');
    expect(answers.splice(0)).toEqual([200]);
    await expect(ask('a wrong secret')).rejects.toMatchObject({
      ...{ reason: 'refused', providerCode: 'invalid_client' },
    });
    await other.close();
  });

  it('authenticates with its key', async () => {
    const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ext: _ext, key_ops: _ops, ...own } = keys.key;
    const other = await startProvider({
      clients: [
        {
          client_id: 'ask',
          redirect_uris: [callback],
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: { keys: [{ ...own, kid: keys.kid, use: 'sig', alg: 'RS256' }] },
        },
      ],
    });
    other.people.set('anna', { preferred_username: 'anna' });
    const client = registrationAt(other, { authentication: { kind: 'key', ...keys } });
    const request = newRequest();
    const url = await remote.authorizationUrl(client, { ...request, redirectUri: callback });
    const returned = new URL(await other.browser().open(url, callback));
    const exchange = { ...request, redirectUri: callback, callback: returned.searchParams };
    expect((await remote.exchange(client, exchange)).subject).toBe('anna');
    const stranger = { ...client, authentication: { kind: 'key' as const, ...(await newKeys()) } };
    await expect(
      remote.authorizationUrl(stranger, { ...request, redirectUri: callback }),
    ).rejects.toMatchObject({ reason: 'refused', providerCode: 'invalid_client' });
    await other.close();
  });

  it('is refused with a wrong secret', async () => {
    const client = registrationAt(provider, { authentication: { kind: 'secret', secret: 'wrong' } });
    await expect(
      remote.authorizationUrl(client, { ...newRequest(), redirectUri: callback }),
    ).rejects.toMatchObject({ reason: 'refused', providerCode: 'invalid_client' });
  });

  it('reads nested groups, and none without the claim', async () => {
    const roles = registrationAt(provider, { groupsClaim: 'realm_access.roles' });
    expect((await login(roles)).groups).toEqual(['admin']);
    expect((await login(registrationAt(provider, { groupsClaim: 'teams' }))).groups).toEqual([]);
    expect((await login(registrationAt(provider, { groupsClaim: undefined }))).groups).toBeUndefined();
  });

  it('accepts the second factor of the provider only by a configured value', async () => {
    Object.assign(provider.authentication, { acr: 'urn:example:mfa', amr: ['pwd', 'otp'] });
    expect((await login(registrationAt(provider))).secondFactor).toBe(false);
    expect((await login(registrationAt(provider, { amrValues: ['otp'] }))).secondFactor).toBe(true);
    const byContext = registrationAt(provider, { acrValues: ['urn:example:mfa'] });
    expect((await login(byContext)).secondFactor).toBe(true);
    Object.assign(provider.authentication, { acr: undefined, amr: undefined });
  });

  it('requires the claim for the login name', () =>
    expect(login(registrationAt(provider, { loginNameClaim: 'upn' }))).rejects.toMatchObject({
      reason: 'claim_missing',
      claim: 'upn',
    }));

  it('reports a refusal of the provider', async () => {
    const request = newRequest();
    const client = registrationAt(provider);
    const url = await remote.authorizationUrl(client, { ...request, redirectUri: callback, prompt: 'none' });
    const returned = new URL(await provider.browser().open(url, callback)).searchParams;
    await expect(
      remote.exchange(client, { ...request, redirectUri: callback, callback: returned }),
    ).rejects.toMatchObject({ reason: 'refused', providerCode: 'login_required' });
  });
});

describe('a refresh at a certified provider', () => {
  const offline = () =>
    registrationAt(provider, { scopes: ['openid', 'profile', 'email', 'offline_access'], prompt: 'consent' });

  it('reads the groups again, and reports a revoked grant', async () => {
    provider.people.set('anna', { ...provider.people.get('anna'), groups: ['g-1', 'g-2'] });
    const found = await login(offline());
    provider.people.set('anna', { ...provider.people.get('anna'), groups: ['g-3'] });
    const grant = { refreshToken: found.refreshToken ?? '', login: found };
    const again = await remote.refresh(offline(), grant);
    expect(again).toMatchObject({ subject: 'anna', groups: ['g-3'] });
    const other = { ...grant, login: { ...found, sub: 'bert' } };
    const latest = again === 'revoked' ? grant.refreshToken : (again.refreshToken ?? grant.refreshToken);
    await expect(remote.refresh(offline(), { ...other, refreshToken: latest })).rejects.toMatchObject({
      reason: 'subject_mismatch',
    });
    expect(await remote.refresh(offline(), { ...grant, refreshToken: 'unknown' })).toBe('revoked');
  });
});

describe('the log-out at a certified provider', () => {
  it('ends the session there, returns to the portal, and is reported by a logout token', async () => {
    const client = registrationAt(provider);
    const browser = provider.browser();
    const found = await login(client, browser);
    const url = await remote.logoutUrl(client, {
      idToken: found.idToken,
      postLogoutRedirectUri: signedOut,
      state: 'after the log-out',
    });
    const page = await browser.send(url ?? '');
    const [, action = ''] = /action="([^"]+)"/.exec(page.body) ?? [];
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.body) ?? [];
    const returned = await browser.open(action, signedOut, { xsrf, logout: 'yes' });
    expect(new URL(returned).searchParams.get('state')).toBe('after the log-out');

    const [token = ''] = provider.logoutTokens.splice(0);
    const read = await remote.readLogoutToken(client, token);
    expect(read).toMatchObject({ issuer: provider.issuer, sub: 'anna', sid: found.sid });
    expect(read.jti).not.toBe('');
    await expect(remote.readLogoutToken({ ...client, clientId: 'other' }, token)).rejects.toMatchObject({
      reason: 'token_invalid',
      claim: 'aud',
    });
    await expect(remote.readLogoutToken(client, found.idToken)).rejects.toMatchObject({
      reason: 'token_invalid',
    });
  });
});
