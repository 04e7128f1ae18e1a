import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Transport, TransportRequest } from '../../../shared/remotes/http/transport.ts';
import { type Forgery, forgedLogins } from '../../support/oidc/forged-login.ts';
import { type Forger, newSigningKey, type Reply, signed, startForger } from '../../support/oidc/forger.ts';
import { newRequest, registrationAt } from '../../support/oidc/registration.ts';

let forger: Forger;
let logins: ReturnType<typeof forgedLogins>;
const graphCalls: TransportRequest[] = [];

/** Microsoft Graph is the forging provider. */
const toForger = (real: Transport): Transport => ({
  send: (request) => {
    if (!request.url.startsWith('https://graph.microsoft.com/')) return real.send(request);
    graphCalls.push(request);
    return real.send({ ...request, url: request.url.replace('https://graph.microsoft.com', forger.issuer) });
  },
});

beforeAll(async () => {
  forger = await startForger();
  logins = forgedLogins(forger, toForger);
});
afterEach(() => {
  forger.reset();
  graphCalls.length = 0;
});
afterAll(async () => {
  await logins.close();
  await forger.close();
});

const refusalOf = (forgery: Forgery) => logins.exchange(forgery).catch((error: unknown) => error);
const never = new Promise<Reply>(() => undefined);
const large: Reply = { json: { text: 'x'.repeat(300_000) } };
const html: Reply = { status: 200, body: '<html></html>' };
const redirect = (): Reply => ({ status: 302, headers: { location: `${forger.issuer}/elsewhere` } });

describe('the configuration of a provider', () => {
  it.each([
    ['with an error', () => ({ status: 500, body: 'x' }), 'discovery'],
    ['of another form', () => html, 'discovery'],
    ['that is too large', () => large, 'discovery'],
    ['elsewhere', redirect, 'discovery'],
    ['that does not arrive', () => never, 'unreachable'],
  ] as const)('%s is refused', async (_, answer, reason) => {
    forger.answers.discovery = () => answer();
    const start = performance.now();
    expect(await refusalOf({ client: { deadlineMs: 2_000 } })).toMatchObject({ reason });
    expect(performance.now() - start).toBeLessThan(4_000);
  });

  it.each([
    ['of another issuer', { issuer: 'https://other.example.com' }, 'issuer_mismatch', undefined],
    ['without encryption', { token_endpoint: 'http://localhost/token' }, 'discovery', 'token_endpoint'],
    ['with a password in an address', { jwks_uri: 'https://a:b@localhost/jwks' }, 'discovery', 'jwks_uri'],
    [
      'with a script',
      { authorization_endpoint: 'javascript:alert(1)' },
      'discovery',
      'authorization_endpoint',
    ],
    ['without codes', { response_types_supported: ['id_token'] }, 'discovery', 'response_types_supported'],
    [
      'without PKCE',
      { code_challenge_methods_supported: ['plain'] },
      'discovery',
      'code_challenge_methods_supported',
    ],
    [
      'with shared secrets only',
      { id_token_signing_alg_values_supported: ['HS256', 'none'] },
      'discovery',
      'id_token_signing_alg_values_supported',
    ],
    [
      'without a method of the portal',
      { token_endpoint_auth_methods_supported: ['none', 'tls_client_auth'] },
      'discovery',
      'token_endpoint_auth_methods_supported',
    ],
    [
      'with a private address',
      { token_endpoint: 'https://10.0.0.8/token' },
      'address_not_allowed',
      undefined,
    ],
    [
      'with keys at a private address',
      { jwks_uri: 'https://169.254.169.254/' },
      'address_not_allowed',
      undefined,
    ],
  ] as const)('%s is refused', async (_, metadata, reason, claim) => {
    Object.assign(forger.metadata, metadata);
    expect(await refusalOf({})).toMatchObject({ reason, claim });
    expect(forger.count('userinfo')).toBe(0);
  });

  it('at a private address is not read', async () => {
    for (const issuer of ['https://10.0.0.8', 'https://169.254.169.254', 'https://[fd00::1]'])
      await expect(logins.newRemote().discover({ ...registrationAt(forger), issuer })).rejects.toMatchObject({
        reason: 'address_not_allowed',
      });
  });

  it('of a server with another authority is not read', async () => {
    const client = registrationAt(forger, { ca: undefined });
    await expect(logins.newRemote().discover(client)).rejects.toMatchObject({
      reason: 'unreachable',
      transport: expect.stringMatching(/^tls:/),
    });
  });
});

describe('an answer of a provider', () => {
  it.each([
    ['with an error page', () => ({ status: 500, body: 'x' })],
    ['of another form', () => html],
    ['that is too large', () => large],
    ['elsewhere', redirect],
  ] as const)('%s to the code is refused', async (_, answer) => {
    forger.answers.token = () => answer();
    expect(await refusalOf({})).toMatchObject({ reason: 'invalid_response', endpoint: 'token' });
  });

  it('that does not arrive has a time limit', async () => {
    forger.answers.token = () => never;
    expect(await refusalOf({ client: { deadlineMs: 500 } })).toMatchObject({ reason: 'unreachable' });
  });

  it.each([
    ['with too many keys', () => ({ json: { keys: Array.from({ length: 101 }, () => ({})) } })],
    ['without keys', () => ({ json: { keys: 'none' } })],
    ['of another form', () => html],
    ['elsewhere', redirect],
  ] as const)('%s instead of its keys is refused', async (_, answer) => {
    forger.answers.jwks = () => answer();
    expect(await refusalOf({})).toMatchObject({ reason: 'discovery' });
  });

  describe.each([
    ['about another person', () => ({ json: { sub: 'bert', name: 'Bert' } }), 'subject_mismatch'],
    ['elsewhere', redirect, 'invalid_response'],
    ['with an error page', () => ({ status: 500, body: 'x' }), 'invalid_response'],
    ['that requires another token', () => ({ status: 401, json: { error: {} } }), 'invalid_response'],
    ['that is too large', () => large, 'invalid_response'],
  ] as const)('%s instead of that about the person', (_, answer, reason) => {
    it.each([
      ['the login name', { claims: { preferred_username: undefined } }],
      ['the groups', { claims: { groups: undefined } }],
      ['a required claim', { client: { requiredClaims: [{ claim: 'hd', values: ['corp.example'] }] } }],
      [
        'the verification of an address',
        { claims: { email: 'a@corp.example' }, client: { loginNameClaim: 'email' } },
      ],
    ])('is refused if %s had to come from there', async (__, forgery) => {
      forger.answers.userinfo = () => answer();
      expect(await refusalOf(forgery)).toMatchObject({ reason });
    });

    it('is noted if only the full name had to come from there', async () => {
      forger.answers.userinfo = () => answer();
      const found = await logins.exchange({ claims: { name: undefined } });
      expect([found.loginName, found.groups, found.userinfoFault]).toEqual(['anna', ['g-1'], reason]);
      expect(found.claims).not.toHaveProperty('name');
    });
  });

  it('that settles a required claim by userinfo is accepted, and one that does not is refused', async () => {
    const client = { requiredClaims: [{ claim: 'hd', values: ['corp.example'] }] };
    forger.answers.userinfo = () => ({ json: { sub: 'anna', hd: 'corp.example' } });
    expect((await logins.exchange({ client })).loginName).toBe('anna');
    forger.reset();
    forger.answers.userinfo = () => ({ json: { sub: 'anna', hd: 'gmail.com' } });
    expect(await refusalOf({ client })).toMatchObject({ reason: 'claim_not_allowed', claim: 'hd' });
  });

  it('with an address that is not verified is refused as a login name', async () => {
    const client = { loginNameClaim: 'email' };
    for (const email_verified of [false, 'false', undefined]) {
      forger.reset();
      const claims = { email: 'ceo@corp.example', email_verified };
      expect(await refusalOf({ client, claims })).toMatchObject({ reason: 'email_unverified' });
    }
    const claims = { email: 'ada@corp.example', email_verified: 'true' };
    expect((await logins.exchange({ client, claims })).loginName).toBe('ada@corp.example');
  });

  it('with a person whose identifier cannot be stored is refused', async () => {
    for (const sub of ['a\0b', 'ä', '', 'x'.repeat(256)])
      expect(await refusalOf({ claims: { sub } })).toMatchObject({ reason: 'token_invalid' });
  });

  it('about the person may be signed, by a key of the provider', async () => {
    const claims = { sub: 'anna', name: 'Anna Berg', iss: forger.issuer, aud: 'ask' };
    const headers = { 'content-type': 'application/jwt' };
    const own = await signed(claims, forger.key);
    forger.answers.userinfo = () => ({ status: 200, body: own, headers });
    const found = await logins.exchange({ claims: { name: undefined } });
    expect(found.claims.name).toBe('Anna Berg');
    const foreign = await signed(claims, await newSigningKey('k1'));
    forger.answers.userinfo = () => ({ status: 200, body: foreign, headers });
    const forged = await logins.exchange({ claims: { name: undefined } });
    expect([forged.claims.name, forged.userinfoFault]).toEqual([undefined, 'invalid_response']);
  });

  it('about the person does not replace what the ID token states', async () => {
    forger.answers.userinfo = () => ({
      json: { sub: 'anna', name: 'Anna', groups: ['administrators'], amr: ['mfa'], oid: 'other' },
    });
    const found = await logins.exchange({
      claims: { name: undefined },
      client: { amrValues: ['mfa'] },
    });
    expect([found.groups, found.secondFactor]).toEqual([['g-1'], false]);
    forger.reset();
    forger.answers.userinfo = () => ({ json: { sub: 'anna', oid: 'other' } });
    expect(await refusalOf({ claims: { name: undefined }, client: { subjectClaim: 'oid' } })).toMatchObject({
      reason: 'claim_missing',
    });
  });
});

describe('a pushed request', () => {
  const request = { ...newRequest(), redirectUri: 'https://portal.test/callback' };
  const startAfter = (error: string) => {
    forger.metadata.pushed_authorization_request_endpoint = `${forger.issuer}/pushed`;
    forger.answers.pushed = () => ({ json: { error }, status: error === 'invalid_client' ? 401 : 400 });
    return logins.newRemote().authorizationUrl(registrationAt(forger), request);
  };

  it.each([
    ['unauthorized_client', true],
    ['invalid_client', false],
  ])('that is refused with %s fails if the provider requires it: %s', async (providerCode, isRequired) => {
    if (isRequired) forger.metadata.require_pushed_authorization_requests = true;
    await expect(startAfter(providerCode)).rejects.toMatchObject({ reason: 'refused', providerCode });
  });

  it('that is refused to this client is replaced by parameters', async () => {
    const { searchParams } = new URL(await startAfter('unauthorized_client'));
    expect(searchParams.get('redirect_uri')).toBe(request.redirectUri);
    expect(searchParams.has('request_uri')).toBe(false);
  });

  it('is replaced by parameters without such an address', async () => {
    const request = { ...newRequest(), redirectUri: 'https://portal.test/callback' };
    const client = registrationAt(forger, { acrValues: ['a', 'b'] });
    const options = { loginHint: 'anna', maxAge: 60, responseMode: 'form_post', prompt: 'login' } as const;
    const url = new URL(await logins.newRemote().authorizationUrl(client, { ...request, ...options }));
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'ask',
      redirect_uri: request.redirectUri,
      scope: 'openid profile email',
      state: request.state,
      nonce: request.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      acr_values: 'a b',
      login_hint: 'anna',
      prompt: 'login',
      max_age: '60',
      response_mode: 'form_post',
    });
  });

  it('has the further parameters of the settings, but not in place of those of the portal', async () => {
    const authorizationParameters = { domain_hint: 'corp.example', state: 'forged', scope: 'openid admin' };
    const url = await logins
      .newRemote()
      .authorizationUrl(registrationAt(forger, { authorizationParameters }), request);
    const { searchParams } = new URL(url);
    expect(['domain_hint', 'state', 'scope'].map((name) => searchParams.getAll(name))).toEqual([
      ['corp.example'],
      [request.state],
      ['openid profile email'],
    ]);
  });

  it.each([
    ['not announced', undefined, 'openid profile email offline_access'],
    ['announced with it', ['openid', 'offline_access'], 'openid profile email offline_access'],
    ['announced without it', ['openid', 'email'], 'openid profile email'],
  ])('asks for a refresh token by offline_access if the scopes are %s', async (_, announced, scope) => {
    if (announced) forger.metadata.scopes_supported = announced;
    const client = registrationAt(forger, { isOffline: true });
    const url = new URL(await logins.newRemote().authorizationUrl(client, request));
    expect(url.searchParams.get('scope')).toBe(scope);
  });
});

describe('the log-out at a provider', () => {
  const logOut = async (claims: Record<string, unknown>) => {
    forger.metadata.end_session_endpoint = `${forger.issuer}/end`;
    const idToken = await signed(claims, forger.key);
    const request = { idToken, postLogoutRedirectUri: 'https://portal.test/signed-out', state: 's' };
    const url = await logins.newRemote().logoutUrl(registrationAt(forger), request);
    return { idToken, url: new URL(url ?? '') };
  };

  it('carries the ID token, unless the address would be longer than servers accept', async () => {
    const short = await logOut({ sub: 'anna' });
    expect(short.url.searchParams.get('id_token_hint')).toBe(short.idToken);
    const groups = Array.from({ length: 201 }, () => crypto.randomUUID());
    const { url } = await logOut({ sub: 'anna', login_hint: 'hint', preferred_username: 'a@corp', groups });
    expect(url.href.length).toBeLessThan(2_000);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'ask',
      post_logout_redirect_uri: 'https://portal.test/signed-out',
      state: 's',
      logout_hint: 'hint',
    });
  });
});

describe('Microsoft Entra ID', () => {
  const tenant = '11111111-1111-4111-8111-111111111111';
  const overage = {
    groups: undefined,
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint: 'https://graph.windows.net/t/users/u/getMemberObjects' } },
  };

  it('signs for the tenants that are allowed, with the issuer of the tenant', async () => {
    Object.assign(forger.metadata, { issuer: `${forger.issuer}/{tenantid}/v2.0` });
    const issuer = `${forger.issuer}/organizations/v2.0`;
    const client = { issuer, allowedTenants: [tenant] };
    const own = { iss: `${forger.issuer}/${tenant}/v2.0`, tid: tenant };
    const callback = { iss: undefined };
    Object.assign(forger.metadata, { authorization_response_iss_parameter_supported: false });
    expect((await logins.exchange({ client, claims: own, callback })).issuer).toBe(own.iss);
    const other = '22222222-2222-4222-8222-222222222222';
    const foreign = { iss: `${forger.issuer}/${other}/v2.0`, tid: other };
    for (const [claims, reason] of [
      [foreign, 'tenant_not_allowed'],
      [{ ...foreign, tid: tenant }, 'issuer_mismatch'],
      [{ ...own, tid: undefined }, 'tenant_not_allowed'],
    ] as const) {
      expect(await refusalOf({ client, claims, callback })).toMatchObject({ reason });
    }
  });

  it.each([
    [['c2', 'c1'], true],
    ['c1', true],
    [['c2'], false],
    [undefined, false],
  ])('proves a second factor by the authentication contexts %j: %s', async (acrs, isProven) => {
    const found = await logins.exchange({ client: { acrValues: ['c1'] }, claims: { acrs } });
    expect(found.secondFactor).toBe(isProven);
  });

  it('returns many groups by Microsoft Graph', async () => {
    forger.metadata.msgraph_host = 'graph.microsoft.com';
    const value = Array.from({ length: 500 }, (_, n) => `group-${n}`);
    forger.answers.graph = () => ({ json: { value } });
    const found = await logins.exchange({ claims: overage });
    expect(found.groups).toEqual(value);
    expect(graphCalls.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['https://graph.microsoft.com/v1.0/me/getMemberObjects', 'Bearer access'],
    ]);
  });

  it.each([
    ['another host', 'graph.example.com', () => ({ json: { value: [] } })],
    ['no host', undefined, () => ({ json: { value: [] } })],
    ['an error', 'graph.microsoft.com', () => ({ json: { error: {} }, status: 403 })],
    ['no groups', 'graph.microsoft.com', () => ({ json: {} })],
  ] as const)('with %s refuses the sign-in instead of leaving groups out', async (_, host, answer) => {
    forger.metadata.msgraph_host = host;
    forger.answers.graph = () => answer();
    expect(await refusalOf({ claims: overage })).toMatchObject({ reason: 'groups_unavailable' });
  });
});
