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
    expect(await refusalOf({})).toMatchObject({ reason: 'token_invalid' });
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

  it('about another person is refused', async () => {
    forger.answers.userinfo = () => ({ json: { sub: 'bert', name: 'Bert' } });
    expect(await refusalOf({ claims: { name: undefined } })).toMatchObject({ reason: 'subject_mismatch' });
  });

  it.each([
    ['elsewhere', redirect],
    ['with an error page', () => ({ status: 500, body: 'x' })],
    ['that is too large', () => large],
  ] as const)('%s about the person is refused', async (_, answer) => {
    forger.answers.userinfo = () => answer();
    expect(await refusalOf({ claims: { name: undefined } })).toMatchObject({ reason: 'invalid_response' });
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
    expect(await refusalOf({ claims: { name: undefined } })).toMatchObject({ reason: 'invalid_response' });
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
  it('is required if the provider offers it, so that its refusal is one of the sign-in', async () => {
    forger.metadata.pushed_authorization_request_endpoint = `${forger.issuer}/pushed`;
    forger.answers.pushed = () => ({ json: { error: 'invalid_request' }, status: 400 });
    const request = { ...newRequest(), redirectUri: 'https://portal.test/callback' };
    await expect(logins.newRemote().authorizationUrl(registrationAt(forger), request)).rejects.toMatchObject({
      reason: 'refused',
      providerCode: 'invalid_request',
    });
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
