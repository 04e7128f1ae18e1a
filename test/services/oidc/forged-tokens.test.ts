import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Forgery, forgedLogins } from '../../support/oidc/forged-login.ts';
import {
  type Forger,
  newSigningKey,
  type SigningKey,
  signed,
  signedByPublicKey,
  startForger,
  unsigned,
} from '../../support/oidc/forger.ts';
import { registrationAt } from '../../support/oidc/registration.ts';

let forger: Forger;
let logins: ReturnType<typeof forgedLogins>;
let stranger: SigningKey;

beforeAll(async () => {
  forger = await startForger();
  logins = forgedLogins(forger);
  stranger = await newSigningKey('k1');
});
afterEach(() => {
  vi.useRealTimers();
  forger.reset();
});
afterAll(async () => {
  await logins.close();
  await forger.close();
});

const logoutToken = (): Promise<string> =>
  signed(
    {
      iss: forger.issuer,
      aud: 'ask',
      iat: now(0),
      exp: now(60),
      jti: 'one',
      sub: 'anna',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    },
    forger.key,
  );

const now = (offset: number): number => Math.floor(Date.now() / 1000) + offset;
const refusalOf = (forgery: Forgery) => logins.exchange(forgery).catch((error: unknown) => error);

describe('an ID token', () => {
  it('is accepted if it is correct', async () => {
    expect(await logins.exchange({})).toMatchObject({ subject: 'anna', groups: ['g-1'] });
  });

  it('may be a minute late or early, and may name the portal among several audiences', async () => {
    for (const claims of [
      { exp: now(-45) },
      { iat: now(45) },
      { iat: now(-300) },
      { aud: ['ask', 'other'], azp: 'ask' },
    ]) {
      forger.reset();
      expect((await logins.exchange({ claims })).subject).toBe('anna');
    }
  });

  it.each([
    ['of another issuer', { iss: 'https://other.example.com' }, 'issuer_mismatch', 'iss'],
    ['for another client', { aud: 'other' }, 'token_invalid', 'aud'],
    ['for several clients without the authorized one', { aud: ['ask', 'other'] }, 'token_invalid', 'aud'],
    ['authorized for another client', { azp: 'other' }, 'token_invalid', 'azp'],
    ['for several, authorized for another', { aud: ['ask', 'o'], azp: 'o' }, 'token_invalid', 'azp'],
    ['of another request', { nonce: 'other' }, 'nonce_mismatch', 'nonce'],
    ['without a nonce', { nonce: undefined }, 'token_invalid', undefined],
    ['that has expired', { exp: now(-120) }, 'token_invalid', 'exp'],
    ['without a time', { iat: undefined }, 'token_invalid', undefined],
    ['without an expiry', { exp: undefined }, 'token_invalid', undefined],
    ['of the future', { iat: now(120) }, 'token_invalid', 'iat'],
    ['of the past', { iat: now(-1_200) }, 'token_invalid', 'iat'],
    ['that is not valid yet', { nbf: now(120) }, 'token_invalid', 'nbf'],
    ['without a person', { sub: undefined }, 'token_invalid', undefined],
    ['with an empty person', { sub: '' }, 'token_invalid', 'sub'],
    ['without a login name', { preferred_username: undefined }, 'claim_missing', 'preferred_username'],
    [
      'with a login name that cannot be stored',
      { preferred_username: 'a\0b' },
      'claim_missing',
      'preferred_username',
    ],
    ['with a group that cannot be stored', { groups: ['g-1', '\ud800'] }, 'token_invalid', 'groups'],
    ['with groups that are no texts', { groups: [{ title: 'g-1' }] }, 'token_invalid', 'groups'],
  ] as const)('%s is refused', async (_, claims, reason, claim) => {
    expect(await refusalOf({ claims })).toMatchObject({ name: 'OidcError', reason, claim });
  });

  it.each([
    ['without a signature', (claims: object) => unsigned({ ...claims })],
    [
      'signed with the public key as a shared secret',
      (claims: object) => signedByPublicKey({ ...claims }, forger.key),
    ],
    ['of another key with the same name', (claims: object) => signed({ ...claims }, stranger)],
    ['of an unknown key', (claims: object) => signed({ ...claims }, stranger, { kid: 'k9' })],
    ['with a critical header', (claims: object) => signed({ ...claims }, forger.key, { crit: ['x'], x: 1 })],
    ['that is no token', () => 'not.a.token'],
    ['that is encrypted', () => 'a.b.c.d.e'],
  ])('%s is refused', async (_, token) => {
    expect(await refusalOf({ token })).toMatchObject({ reason: 'token_invalid' });
  });

  it('that is missing is refused', async () => {
    expect(await refusalOf({ answer: { id_token: undefined } })).toMatchObject({ reason: 'token_invalid' });
  });

  it('of a tenant that is not allowed is refused', async () => {
    const client = { allowedTenants: ['11111111-1111-4111-8111-111111111111'] };
    expect(await refusalOf({ client })).toMatchObject({ reason: 'tenant_not_allowed' });
    expect(await refusalOf({ client, claims: { tid: 'other' } })).toMatchObject({
      reason: 'tenant_not_allowed',
    });
  });

  it('leaves no token in the error', async () => {
    const error = await refusalOf({ claims: { aud: 'other' } });
    const shown = JSON.stringify(error, Object.getOwnPropertyNames(error));
    expect(shown).not.toMatch(/eyJ|access/);
    expect((error as Error).cause).toBeUndefined();
  });
});

describe('the keys of a provider', () => {
  it('are read once for several sign-ins, and again for a new key', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const remote = logins.newRemote();
    await logins.exchange({}, remote);
    await logins.exchange({}, remote);
    expect([forger.count('discovery'), forger.count('jwks')]).toEqual([1, 1]);
    const next = await newSigningKey('k2');
    forger.answers.jwks = () => ({ json: { keys: [forger.key.jwk, next.jwk] } });
    vi.advanceTimersByTime(11_000);
    expect((await logins.exchange({ token: (own) => signed(own, next) }, remote)).subject).toBe('anna');
    expect(forger.count('jwks')).toBe(2);
  });

  it('sign without a key id only if there is one of them', async () => {
    const token = (own: Record<string, unknown>) => signed(own, forger.key, { kid: undefined });
    expect((await logins.exchange({ token }, logins.newRemote())).subject).toBe('anna');
    const next = await newSigningKey('k2');
    forger.answers.jwks = () => ({ json: { keys: [forger.key.jwk, next.jwk] } });
    await expect(logins.exchange({ token }, logins.newRemote())).rejects.toMatchObject({
      reason: 'token_invalid',
    });
  });

  it('are not read for each unknown key', async () => {
    const remote = logins.newRemote();
    const token = (own: Record<string, unknown>) => signed(own, stranger, { kid: crypto.randomUUID() });
    for (let n = 0; n < 5; n++) {
      await logins.exchange({ token }, remote).catch(() => undefined);
    }
    expect(forger.count('jwks')).toBe(1);
  });

  it('are read again after five minutes, so that a withdrawn key is not valid any more', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const remote = logins.newRemote();
    await logins.exchange({}, remote);
    forger.answers.jwks = () => ({ json: { keys: [] } });
    vi.advanceTimersByTime(301_000);
    await expect(logins.exchange({}, remote)).rejects.toMatchObject({ reason: 'token_invalid' });
  });

  it('and the configuration are read once by concurrent sign-ins', async () => {
    const remote = logins.newRemote();
    forger.answers.token = () => ({ json: { error: 'invalid_grant' }, status: 400 });
    await Promise.all(Array.from({ length: 10 }, () => logins.exchange({}, remote).catch(() => undefined)));
    expect([forger.count('discovery'), forger.count('token')]).toEqual([1, 10]);
    const tokens = await Promise.all(Array.from({ length: 10 }, () => logoutToken()));
    await Promise.all(tokens.map((token) => remote.readLogoutToken(registrationAt(forger), token)));
    expect([forger.count('discovery'), forger.count('jwks')]).toEqual([1, 1]);
  });
});

describe('a callback', () => {
  const other = 'https://other.example.com';
  it.each([
    ['of another sign-in', { state: 'other' }, 'state_mismatch'],
    ['without a state', { state: undefined }, 'state_mismatch'],
    ['of another provider', { iss: other }, 'issuer_mismatch'],
    ['without the announced issuer', { iss: undefined }, 'issuer_mismatch'],
    ['without a code', { code: undefined }, 'invalid_response'],
    ['with an ID token', { id_token: 'x' }, 'token_invalid'],
    ['of another provider with an error', { iss: other, error: 'access_denied' }, 'issuer_mismatch'],
  ] as const)('%s is refused before a request', async (_, callback, reason) => {
    expect(await refusalOf({ callback })).toMatchObject({ reason });
    expect(forger.count('token')).toBe(0);
  });

  it('with an error of the provider is refused with its code, if that is safe to show', async () => {
    const shown = await refusalOf({ callback: { error: 'access_denied', code: undefined } });
    expect(shown).toMatchObject({ reason: 'refused', providerCode: 'access_denied' });
    const hidden = await refusalOf({ callback: { error: '<script>', code: undefined } });
    expect(hidden).toMatchObject({ reason: 'refused', providerCode: undefined });
  });

  it('sends the code to the provider of the request only', async () => {
    await logins.exchange({});
    const [token] = forger.requests.filter(({ part }) => part === 'token');
    const sent = new URLSearchParams(token?.body);
    expect([...sent.keys()].sort()).toEqual(['code', 'code_verifier', 'grant_type', 'redirect_uri']);
  });
});
