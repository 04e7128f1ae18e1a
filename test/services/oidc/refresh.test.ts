import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OidcClient } from '../../../shared/remotes/oidc/port.ts';
import { forgedLogins } from '../../support/oidc/forged-login.ts';
import { claimsOf, type Forger, signed, startForger } from '../../support/oidc/forger.ts';
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

const former = () => ({
  issuer: forger.issuer,
  sub: 'anna',
  subject: 'anna',
  loginName: 'anna',
  idToken: 'the former token',
});
const answerWith = (json: object, status = 200): void => {
  forger.answers.token = () => ({ json: { access_token: 'access', token_type: 'Bearer', ...json }, status });
};
const refresh = (client: Partial<OidcClient> = {}) =>
  logins.newRemote().refresh(registrationAt(forger, client), { refreshToken: 'refresh', login: former() });

describe('a refresh', () => {
  it('sends the refresh token and returns the next one', async () => {
    answerWith({ id_token: await signed(claimsOf(forger.issuer, 'n'), forger.key), refresh_token: 'next' });
    expect(await refresh()).toMatchObject({ subject: 'anna', groups: ['g-1'], refreshToken: 'next' });
    const [sent] = forger.requests.filter(({ part }) => part === 'token');
    expect(Object.fromEntries(new URLSearchParams(sent?.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh',
    });
  });

  it('without an ID token reads the person by userinfo, and keeps the former ID token', async () => {
    answerWith({});
    forger.answers.userinfo = () => ({
      json: { sub: 'anna', preferred_username: 'anna.berg', groups: ['g-2'] },
    });
    expect(await refresh()).toMatchObject({
      subject: 'anna',
      loginName: 'anna.berg',
      groups: ['g-2'],
      idToken: 'the former token',
      secondFactor: false,
    });
    forger.answers.userinfo = () => ({ json: { sub: 'bert' } });
    await expect(refresh()).rejects.toMatchObject({ reason: 'subject_mismatch' });
  });

  it('without an ID token is held to the required claims that userinfo has, and not to those that it lacks', async () => {
    answerWith({});
    const client = {
      requiredClaims: [{ claim: 'hd', values: ['corp.example'] }],
      loginNameClaim: 'email',
    };
    const person = { sub: 'anna', email: 'anna@corp.example', groups: ['g-1'] };
    const refreshedAs = (more: object) => {
      forger.answers.userinfo = () => ({ json: { ...person, ...more } });
      return refresh(client);
    };
    expect(await refreshedAs({})).toMatchObject({ subject: 'anna' });
    expect(await refreshedAs({ hd: 'corp.example', email_verified: true })).toMatchObject({
      subject: 'anna',
    });
    await expect(refreshedAs({ hd: 'gmail.com' })).rejects.toMatchObject({ reason: 'claim_not_allowed' });
    await expect(refreshedAs({ email_verified: false })).rejects.toMatchObject({
      reason: 'email_unverified',
    });
  });

  it('without any claims does not take the groups away', async () => {
    answerWith({});
    delete forger.metadata.userinfo_endpoint;
    expect(await refresh()).toMatchObject({ subject: 'anna', loginName: 'anna', groups: undefined });
  });

  it.each([
    ['of another person', { sub: 'bert' }, 'subject_mismatch'],
    ['for another client', { aud: 'other' }, 'token_invalid'],
    ['of another issuer', { iss: 'https://other.example.com' }, 'issuer_mismatch'],
    ['that has expired', { exp: 1 }, 'token_invalid'],
  ] as const)('with an ID token %s is refused', async (_, given, reason) => {
    answerWith({ id_token: await signed({ ...claimsOf(forger.issuer, 'n'), ...given }, forger.key) });
    await expect(refresh()).rejects.toMatchObject({ reason });
  });

  it('is revoked only if the provider says so, and not if it fails', async () => {
    answerWith({ error: 'invalid_grant' }, 400);
    expect(await refresh()).toBe('revoked');
    for (const [error, status, reason] of [
      ['invalid_client', 401, 'refused'],
      ['temporarily_unavailable', 503, 'invalid_response'],
    ] as const) {
      answerWith({ error }, status);
      await expect(refresh()).rejects.toMatchObject({ reason });
    }
    forger.answers.token = () => new Promise(() => undefined);
    await expect(refresh({ deadlineMs: 2_000 })).rejects.toMatchObject({ reason: 'unreachable' });
  });
});
