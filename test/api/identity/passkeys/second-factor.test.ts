import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Ask,
  addUser,
  adminOf,
  asker,
  audited,
  goodPassword,
  logIn,
  useWorld,
} from '../../../support/factories.ts';
import { addTwoFactorDomain, enrol, logIn2fa, said } from '../../../support/identity/second-factor.ts';
import type { Credential, Forgery } from '../../../support/passkeys/authenticator.ts';
import {
  addPasskey,
  pageAuthenticator,
  passkeyPath,
  signInWith,
} from '../../../support/passkeys/passkeys.ts';
import { baseUrl, type Json } from '../../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
const refused = [401, 'invalid_credentials'];
const path = `${passkeyPath}/second-factor`;
let domain: Json;
let user: Json;
let device = pageAuthenticator();

beforeEach(async () => {
  domain = await addTwoFactorDomain(admin, { two_factor: false });
  user = await addUser(admin, domain);
  device = pageAuthenticator();
});

const credentials = () => ({ username: user.name, password: goodPassword, authId: domain.id });
const optionsOf = (challenge_id: string, ip?: string) =>
  world.portal.send(`POST ${path}/options`, { body: { challenge_id }, ...(ip !== undefined && { ip }) });
const finish = (challenge_id: string, given: object, headers?: Record<string, string>) =>
  world.portal.send(`POST ${path}`, {
    body: { ...credentials(), challenge_id, ...given },
    ...(headers && { headers }),
  });
const challengeOf = async (): Promise<Json> => (await logIn2fa(world.portal, domain, user)).body;

describe('a passkey as the second factor', () => {
  let ask: Ask;
  let credential: Credential;
  beforeEach(async () => {
    ask = asker(world.portal, (await logIn(world.portal, domain, user)).body.token);
    ({ credential } = await addPasskey(ask, device));
  });
  const answer = async (forged: Forgery = {}, of = credential) => {
    const { challenge_id } = await challengeOf();
    const { body } = await optionsOf(challenge_id);
    return finish(challenge_id, { assertion: device.get(of, body.authentication, forged) });
  };

  it('finishes a login with a password', async () => {
    const challenge = await challengeOf();
    expect(challenge).toMatchObject({ result: 'challenge', method: 'totp', methods: ['passkey'] });
    expect(challenge).not.toHaveProperty('enrolment');
    const { body } = await optionsOf(challenge.challenge_id);
    expect(body.authentication).toMatchObject({
      allowCredentials: [{ id: credential.id, type: 'public-key' }],
      userVerification: 'required',
    });
    const { result, events } = await audited(world.portal, () =>
      finish(challenge.challenge_id, {
        assertion: device.get(credential, body.authentication, { userHandle: null }),
      }),
    );
    expect([result.status, result.body.user.id]).toEqual([200, user.id]);
    expect(events).toMatchObject([
      { event: 'portal.UserLogin', details: { factor: 'password', second_factor: 'passkey' } },
    ]);
  });

  it('opens a browser session for a page of the portal', async () => {
    const { challenge_id } = await challengeOf();
    const { body } = await optionsOf(challenge_id);
    const assertion = device.get(credential, body.authentication);
    const given = { assertion, in_browser: true };
    expect(said(await finish(challenge_id, given))).toEqual([403, 'forbidden']);
    const own = await finish(challenge_id, given, { origin: baseUrl, 'sec-fetch-site': 'same-origin' });
    expect([own.status, own.headers.get('set-cookie')?.slice(0, 20)]).toEqual([200, '__Host-session=agbs_']);
  });

  it.each<[string, Forgery]>([
    ['another origin', { origin: 'https://evil.test' }],
    ['another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['no user verified', { flags: { uv: false } }],
    ['another user handle', { userHandle: 'AAAA' }],
  ])('is refused with %s', async (_, forged) => {
    expect(said(await answer(forged))).toEqual(refused);
  });

  it('is refused with the passkey of another user, a wrong password, and the challenge of another login', async () => {
    const other = await addUser(admin, domain);
    const theirs = asker(world.portal, (await logIn(world.portal, domain, other)).body.token);
    const foreign = await addPasskey(theirs, device);
    expect(said(await answer({}, foreign.credential))).toEqual(refused);
    const [first, second] = [await challengeOf(), await challengeOf()];
    const { body } = await optionsOf(first.challenge_id);
    const assertion = device.get(credential, body.authentication);
    expect(said(await finish(second.challenge_id, { assertion }))).toEqual(refused);
    expect(said(await finish(first.challenge_id, { assertion, password: 'wrong' }))).toEqual(refused);
  });

  it('answers a challenge once', async () => {
    const { challenge_id } = await challengeOf();
    const { body } = await optionsOf(challenge_id);
    const assertion = device.get(credential, body.authentication);
    expect((await finish(challenge_id, { assertion })).status).toBe(200);
    expect(said(await finish(challenge_id, { assertion }))).toEqual(refused);
    expect(said(await optionsOf(challenge_id))).toEqual([401, 'login_expired']);
  });

  it('has no options for another network, an unknown login or a login of a user without passkeys', async () => {
    const { challenge_id } = await challengeOf();
    const expired = [401, 'login_expired'];
    expect(said(await optionsOf(challenge_id, '203.0.113.9'))).toEqual(expired);
    expect(said(await optionsOf('not-an-id'))).toEqual(expired);
    await world.portal.db.execute('delete from passkeys');
    expect(said(await optionsOf(challenge_id))).toEqual(expired);
  });

  it('signs in without a password as well, and a recovery code replaces it', async () => {
    expect((await signInWith(world.portal, device, credential)).status).toBe(200);
    const member = await addUser(admin, domain);
    const own = asker(world.portal, (await logIn(world.portal, domain, member)).body.token);
    const { answer: added } = await addPasskey(own, device);
    const { body } = await logIn2fa(world.portal, domain, member);
    const given = { challenge_id: body.challenge_id, code: added.body.recovery_codes[3] };
    expect((await logIn2fa(world.portal, domain, member, given)).status).toBe(200);
  });
});

describe('a login that requires to set a second factor up', () => {
  beforeEach(async () => {
    await admin(`PATCH /api/webui/aggregator/authenticators/${domain.id}`, { two_factor: true });
  });
  const register = async (challenge: Json, forged: Forgery = {}) => {
    const { body } = await optionsOf(challenge.challenge_id);
    const { credential, response } = device.create(body.registration, forged);
    const given = { registration: response, name: 'Laptop' };
    return { credential, answer: await finish(challenge.challenge_id, given) };
  };

  it('accepts a new passkey instead of an authenticator app', async () => {
    const challenge = await challengeOf();
    expect(challenge).toMatchObject({ methods: ['totp', 'passkey'], enrolment: {} });
    const { result, events } = await audited(world.portal, () => register(challenge));
    expect([result.answer.status, result.answer.body.recovery_codes.length]).toEqual([200, 10]);
    expect(events.map(({ action, event }) => action ?? event).sort()).toEqual([
      'add_passkey',
      'portal.UserLogin',
    ]);
    expect((await signInWith(world.portal, device, result.credential)).status).toBe(200);
    expect(await challengeOf()).toMatchObject({ methods: ['passkey'] });
  });

  it('refuses a forged registration, and an assertion in its place', async () => {
    const challenge = await challengeOf();
    expect(said((await register(challenge, { origin: 'https://evil.test' })).answer)).toEqual(refused);
    expect((await register(challenge)).answer.status).toBe(200);
  });

  it('cannot add a factor to an account that has one in the meantime', async () => {
    const [first, second] = [await challengeOf(), await challengeOf()];
    expect((await register(first)).answer.status).toBe(200);
    expect(said((await register(second)).answer)).toEqual(refused);
    expect(said(await enrol(world.portal, domain, user, second, new Date()))).toEqual(refused);
  });
});
