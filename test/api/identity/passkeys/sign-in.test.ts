import { beforeEach, describe, expect, it } from 'vitest';
import {
  addDomain,
  addUser,
  adminOf,
  asker,
  audited,
  goodPassword,
  logIn,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import { said } from '../../../support/identity/second-factor.ts';
import type { Credential, Forgery } from '../../../support/passkeys/authenticator.ts';
import { keyPair } from '../../../support/passkeys/keys.ts';
import {
  addPasskey,
  assertionOf,
  pageAuthenticator,
  passkeyPath,
  signInWith,
} from '../../../support/passkeys/passkeys.ts';
import { baseUrl, type Json } from '../../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
const refused = [401, 'invalid_credentials'];
let domain: Json;
let user: Json;
let device = pageAuthenticator();
let credential: Credential;

beforeEach(async () => {
  domain = await addDomain(admin);
  user = await addUser(admin, domain);
  device = pageAuthenticator();
  const ask = asker(world.portal, (await logIn(world.portal, domain, user)).body.token);
  const added = await addPasskey(ask, device);
  expect(added.answer.status).toBe(200);
  ({ credential } = added);
});

const signIn = (forged: Forgery = {}, given: object = {}) =>
  signInWith(world.portal, device, credential, forged, given);

describe('a sign-in with a passkey', () => {
  it('opens a session of the user without a password', async () => {
    const { result, events } = await audited(world.portal, () => signIn({}, { platform: 'linux' }));
    expect(said(result)).toEqual([200, undefined]);
    expect(result.body).toMatchObject({ result: 'ok', user: { id: user.id, portal: 'user' } });
    expect(events).toMatchObject([
      {
        event: 'portal.UserLogin',
        user_id: user.id,
        details: { factor: 'passkey', passkey: 'Laptop', platform: 'linux' },
      },
    ]);
    const profile = await asker(world.portal, result.body.token)('GET /api/userinfo');
    expect(profile.body).toMatchObject({
      id: user.id,
      two_factor: { enrolled: true, methods: ['passkey'] },
    });
  });

  it('puts the token of a page of the portal into the cookie, and of no other page', async () => {
    const send = async (headers: Record<string, string>) =>
      world.portal.send(`POST ${passkeyPath}/sign-in`, {
        body: { assertion: await assertionOf(world.portal, device, credential), in_browser: true },
        headers,
      });
    const own = await send({ origin: baseUrl, 'sec-fetch-site': 'same-origin' });
    expect([own.status, own.body.token]).toEqual([200, undefined]);
    expect(own.headers.get('set-cookie')).toMatch(/^__Host-session=agbs_/);
    for (const headers of [{ origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }, {}])
      expect(said(await send(headers as Record<string, string>))).toEqual([403, 'forbidden']);
  });

  it.each<[string, Forgery]>([
    ['another origin', { origin: 'https://evil.test' }],
    ['a page of another port', { origin: `${baseUrl}:8443` }],
    ['another relying party', { rpId: 'evil.test' }],
    ['a challenge of its own', { challenge: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['the type of a registration', { type: 'webauthn.create' }],
    ['a frame of another site', { crossOrigin: true }],
    ['no user present', { flags: { up: false } }],
    ['no user verified', { flags: { uv: false } }],
    ['another key', { signer: keyPair(-7) }],
    ['another user handle', { userHandle: 'AAAA' }],
    ['no user handle', { userHandle: null }],
  ])('refuses a response with %s', async (_, forged) => {
    expect(said(await signIn(forged))).toEqual(refused);
    expect(said(await signIn())).toEqual([200, undefined]);
  });

  it('refuses an unknown credential like a wrong response, and counts both', async () => {
    const { result, events } = await audited(world.portal, () =>
      signInWith(world.portal, device, { ...credential, id: 'bm90LWtub3du' }),
    );
    expect(said(result)).toEqual(refused);
    expect(events).toMatchObject([{ event: 'portal.LoginFailed', user_id: null }]);
    const wrong = await audited(world.portal, () => signIn({ signer: keyPair(-7) }));
    expect(wrong.events).toMatchObject([
      { event: 'portal.LoginFailed', user_id: user.id, details: { factor: 'passkey' } },
    ]);
  });

  it('accepts a challenge once, for 300 seconds and only in the ceremony that it was issued for', async () => {
    const assertion = await assertionOf(world.portal, device, credential);
    const send = (body: object) => world.portal.send(`POST ${passkeyPath}/sign-in`, { body });
    expect((await send({ assertion })).status).toBe(200);
    expect(said(await send({ assertion }))).toEqual(refused);
    const late = await assertionOf(world.portal, device, credential);
    world.portal.advance(301);
    expect(said(await send({ assertion: late }))).toEqual(refused);
    const ask = asker(world.portal, (await signIn()).body.token);
    const proof = { assertion: await assertionOf(world.portal, device, credential) };
    const { body: options } = await ask(`POST ${passkeyPath}/options`, proof);
    expect(said(await send({ assertion: device.get(credential, options) }))).toEqual(refused);
  });

  it('spends the challenge of a refused response', async () => {
    const { body: options } = await world.portal.send(`POST ${passkeyPath}/sign-in/options`);
    const send = (forged: Forgery) =>
      world.portal.send(`POST ${passkeyPath}/sign-in`, {
        body: { assertion: device.get(credential, options, forged) },
      });
    expect(said(await send({ flags: { uv: false } }))).toEqual(refused);
    expect(said(await send({}))).toEqual(refused);
  });

  it('accepts one of two concurrent uses of a response', async () => {
    const assertion = await assertionOf(world.portal, device, credential);
    const send = () => world.portal.send(`POST ${passkeyPath}/sign-in`, { body: { assertion } });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });
});

describe('a counter that goes back', () => {
  it('blocks the passkey as a possible copy, and is audited', async () => {
    expect((await signIn({ counter: 10 })).status).toBe(200);
    const { result, events } = await audited(world.portal, () => signIn({ counter: 10 }));
    expect(said(result)).toEqual(refused);
    expect(events.find(({ action }) => action === 'block_passkey')).toMatchObject({
      level: 'warning',
      object_id: user.id,
      details: { passkey: 'Laptop', counter: 10, last_counter: 10 },
    });
    expect(events.filter(({ event }) => event === 'portal.LoginFailed')).toHaveLength(1);
    expect(said(await signIn({ counter: 11 }))).toEqual(refused);
  });

  it('blocks nothing without a genuine signature', async () => {
    expect((await signIn({ counter: 10 })).status).toBe(200);
    expect(said(await signIn({ counter: 1, signer: keyPair(-7) }))).toEqual(refused);
    expect((await signIn({ counter: 11 })).status).toBe(200);
  });

  it('does not concern authenticators without a counter', async () => {
    const ask = asker(world.portal, (await signIn()).body.token);
    const manager = pageAuthenticator(false);
    const proof = { assertion: await assertionOf(world.portal, device, credential) };
    const added = await addPasskey(ask, manager, { proof: proof as never });
    for (let times = 0; times < 2; times += 1)
      expect((await signInWith(world.portal, manager, added.credential)).status).toBe(200);
  });
});

describe('the account', () => {
  it('cannot sign in while it or its domain is disabled, or it is locked', async () => {
    const state = (path: string, body: object) => admin(`PATCH ${path}`, body);
    const own = `${usersPath(domain)}/${user.id}`;
    const of = `/api/webui/aggregator/authenticators/${domain.id}`;
    await state(own, { state: 'inactive' });
    expect(said(await signIn())).toEqual(refused);
    await state(own, { state: 'active' });
    await state(of, { state: 'disabled' });
    expect(said(await signIn())).toEqual(refused);
    await state(of, { state: 'visible' });
    expect((await signIn()).status).toBe(200);
    for (let tries = 0; tries < 5; tries += 1) await logIn(world.portal, domain, user, { password: 'wrong' });
    expect(said(await signIn())).toEqual([429, 'locked_out']);
  });

  it('opens only the portal that it has access to', async () => {
    expect(said(await signIn({}, { portal: 'admin' }))).toEqual([403, 'forbidden']);
  });

  it('no longer signs in with the password alone', async () => {
    const answer = await logIn(world.portal, domain, user, { password: goodPassword });
    expect(said(answer)).toEqual([403, 'two_factor_required']);
  });
});
