import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { forgedLogins } from '../../support/oidc/forged-login.ts';
import {
  type Forger,
  newSigningKey,
  signed,
  signedByPublicKey,
  startForger,
  unsigned,
} from '../../support/oidc/forger.ts';
import { registrationAt } from '../../support/oidc/registration.ts';

let forger: Forger;
let logins: ReturnType<typeof forgedLogins>;
beforeAll(async () => {
  forger = await startForger();
  logins = forgedLogins(forger);
});
afterEach(() => forger.reset());
afterAll(async () => {
  await logins.close();
  await forger.close();
});

const event = 'http://schemas.openid.net/event/backchannel-logout';
const now = (offset: number): number => Math.floor(Date.now() / 1000) + offset;
const claims = (given: object = {}) => ({
  iss: forger.issuer,
  aud: 'ask',
  iat: now(0),
  exp: now(120),
  jti: 'one',
  sub: 'anna',
  sid: 'session',
  events: { [event]: {} },
  ...given,
});
const read = (token: string) => logins.newRemote().readLogoutToken(registrationAt(forger), token);
const typ = { typ: 'logout+jwt' };

describe('a logout token', () => {
  it('names the person, the session or both', async () => {
    const expected = { issuer: forger.issuer, sub: 'anna', sid: 'session', jti: 'one' };
    expect(await read(await signed(claims(), forger.key, typ))).toEqual(expected);
    expect(await read(await signed(claims({ sub: undefined }), forger.key))).toMatchObject({
      sub: undefined,
    });
    expect(await read(await signed(claims({ sid: undefined }), forger.key))).toMatchObject({
      sid: undefined,
    });
  });

  it.each([
    ['of another issuer', { iss: 'https://other.example.com' }, 'issuer_mismatch'],
    ['for another client', { aud: 'other' }, 'token_invalid'],
    ['that has expired', { exp: now(-120) }, 'token_invalid'],
    ['that is old', { iat: now(-1_200), exp: undefined }, 'token_invalid'],
    ['of the future', { iat: now(600) }, 'token_invalid'],
    ['without a time', { iat: undefined }, 'token_invalid'],
    ['of a person that cannot be stored', { sub: 'a\0b' }, 'token_invalid'],
    ['of a session that cannot be stored', { sid: '\ud800' }, 'token_invalid'],
    ['without an identifier', { jti: undefined }, 'token_invalid'],
    ['without an event', { events: undefined }, 'token_invalid'],
    ['of another event', { events: { 'urn:other': {} } }, 'token_invalid'],
    ['with a nonce', { nonce: 'n' }, 'token_invalid'],
    ['without a person and a session', { sub: undefined, sid: undefined }, 'token_invalid'],
  ] as const)('%s is refused', async (_, given, reason) => {
    await expect(read(await signed(claims(given), forger.key, typ))).rejects.toMatchObject({ reason });
  });

  it.each([
    ['without a signature', () => unsigned(claims())],
    ['signed with the public key as a shared secret', () => signedByPublicKey(claims(), forger.key)],
    ['of another key', async () => signed(claims(), await newSigningKey('k1'), typ)],
    ['that is an access token', () => signed(claims(), forger.key, { typ: 'at+jwt' })],
    ['that is no token', () => 'token'],
    ['that is too long', () => 'x'.repeat(20_000)],
  ])('%s is refused', async (_, token) => {
    await expect(read(await token())).rejects.toMatchObject({ name: 'OidcError', reason: 'token_invalid' });
  });
});
