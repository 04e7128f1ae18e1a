import { eq } from 'drizzle-orm';
import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import { providerSessions } from '../../../db/schema/identity/providers/sessions.ts';
import { audited, domainsPath, useStand } from '../../support/factories.ts';
import {
  type LoopbackListener,
  listenOnLoopback,
  nativeProgram,
  sendConsent,
} from '../../support/federation/programs.ts';
import { staff, startFederationStand } from '../../support/federation/stand.ts';
import type { Json } from '../../support/portal.ts';

describe('a native program with a loopback address', () => {
  const stand = useStand(() => startFederationStand());
  const person = (subject: string, given: Json = {}) => {
    stand.provider.people.set(subject, { preferred_username: subject, groups: [staff], ...given });
    stand.provider.atKeyboard = subject;
  };

  /** Opens the browser at the address of the program, up to the page that asks for consent. */
  async function begin(listener: LoopbackListener, extra: Record<string, string> = {}) {
    const config = await nativeProgram(stand);
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: listener.redirectUri,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      client_name: 'Console client',
      state,
      ...extra,
    });
    const browser = stand.browser();
    const page = await browser.follow(url.href);
    return { config, verifier, state, browser, page };
  }

  it.each(['127.0.0.1', '::1'] as const)('at %s receives a session after the consent', async (host) => {
    person('anna', { name: 'Anna Schmidt' });
    const listener = await listenOnLoopback(host);
    const { config, verifier, state, browser, page } = await begin(listener);
    expect([page.status, new URL(page.url).pathname]).toEqual([200, expect.stringMatching(/^\/consent\//)]);
    for (const shown of ['Console client', new URL(listener.redirectUri).host, 'Anna Schmidt, anna', 'UTC'])
      expect(page.body).toContain(shown);
    const { result: sent, events } = await audited(stand.world.portal, () =>
      sendConsent(browser, page, 'allow'),
    );
    expect(sent.status).toBe(303);
    expect(events).toMatchObject([
      { event: 'portal.ProgramAllowed', user_name: 'anna', details: { program: 'Console client' } },
    ]);
    await fetch(sent.headers.get('location') ?? '');
    const tokens = await client.authorizationCodeGrant(config, await listener.received, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    listener.close();
    expect(tokens).toMatchObject({ result: 'ok', token: tokens.access_token, user: { name: 'anna' } });
    const { body } = await stand.world.portal.send('GET /api/userinfo', { token: tokens.access_token });
    expect(body.name).toBe('anna');
  });

  /** A code, as the program receives it. */
  async function allowed(subject: string) {
    person(subject);
    const listener = await listenOnLoopback();
    listener.close();
    const begun = await begin(listener);
    const sent = await sendConsent(begun.browser, begun.page, 'allow');
    const code = new URL(sent.headers.get('location') ?? '').searchParams.get('code') ?? '';
    return { ...begun, code, redirect_uri: listener.redirectUri };
  }
  const exchange = (body: Record<string, string>) =>
    stand.world.portal.send('POST /api/auth/v7.0/oidc/token', { body });
  const isValid = async (token: string): Promise<boolean> =>
    (await stand.world.portal.send('GET /api/userinfo', { token })).status === 200;

  it('accepts JSON as well, and a repeated code ends the session that it has opened', async () => {
    const { code, verifier } = await allowed('bob');
    const first = await exchange({ code, code_verifier: verifier });
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(await isValid(first.body.token)).toBe(true);
    const { result: second, events } = await audited(stand.world.portal, () =>
      exchange({ code, code_verifier: verifier }),
    );
    expect([second.status, second.body]).toEqual([
      400,
      { error: 'invalid_grant', error_description: expect.any(String) },
    ]);
    expect(second.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(events).toMatchObject([
      { event: 'portal.UserLogout', user_name: 'bob', details: { by: 'repeated_code' } },
    ]);
    expect(await isValid(first.body.token)).toBe(false);
  });

  it('of two concurrent exchanges at most one opens a session, and it does not last', async () => {
    const { code, verifier } = await allowed('carl');
    const answers = await Promise.all([1, 2].map(() => exchange({ code, code_verifier: verifier })));
    const tokens = answers.flatMap(({ body }) => (body.token ? [body.token] : []));
    expect(tokens.length).toBeLessThan(2);
    for (const token of tokens) expect(await isValid(token)).toBe(false);
  });

  it.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }],
    ['another address', { redirect_uri: 'http://127.0.0.1:1/back' }],
  ])('with %s is refused and uses the code up', async (_, changed) => {
    const { code, verifier } = await allowed('dora');
    const refused = await exchange({ code, code_verifier: verifier, ...changed });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    expect((await exchange({ code, code_verifier: verifier })).body.error).toBe('invalid_grant');
  });

  it('is refused with a code that has expired, and after the person has signed out', async () => {
    const late = await allowed('emma');
    stand.world.portal.advance(61);
    expect((await exchange({ code: late.code, code_verifier: late.verifier })).body.error).toBe(
      'invalid_grant',
    );
    const left = await allowed('emma');
    await left.browser.send('POST /signout');
    expect((await exchange({ code: left.code, code_verifier: left.verifier })).body.error).toBe(
      'invalid_grant',
    );
    const disabled = await allowed('emma');
    await stand.world.admin(`PATCH ${domainsPath}/${stand.domain.id}`, { state: 'disabled' });
    expect((await exchange({ code: disabled.code, code_verifier: disabled.verifier })).body.error).toBe(
      'invalid_grant',
    );
    await stand.world.admin(`PATCH ${domainsPath}/${stand.domain.id}`, { state: 'visible' });
  });

  it('loses its session when the provider logs the person out', async () => {
    const { code, verifier } = await allowed('greta');
    const { body } = await exchange({ code, code_verifier: verifier });
    expect(await isValid(body.token)).toBe(true);
    const [bound] = await stand.world.portal.db
      .select({ sid: providerSessions.sid })
      .from(providerSessions)
      .where(eq(providerSessions.sub, 'greta'));
    const portal = await stand.provider.provider.Client.find('aggregator');
    // The types of the provider do not contain the method.
    await Reflect.apply(Reflect.get(portal ?? {}, 'backchannelLogout'), portal, ['greta', bound?.sid]);
    expect(await isValid(body.token)).toBe(false);
  });

  it.each([
    ['without a code', { code_verifier: 'x'.repeat(43) }, 'invalid_request'],
    ['with a short verifier', { code: 'x', code_verifier: 'x'.repeat(42) }, 'invalid_request'],
    ['with an unknown code', { code: 'x', code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['with another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('is refused %s in the form of RFC 6749', async (_, body, error) => {
    const answer = await exchange(body);
    expect([answer.status, answer.body.error]).toEqual([400, error]);
  });

  it('receives a refusal of the person', async () => {
    person('fred');
    const listener = await listenOnLoopback();
    const { config, verifier, state, browser, page } = await begin(listener);
    const sent = await sendConsent(browser, page, 'deny');
    await fetch(sent.headers.get('location') ?? '');
    const grant = client.authorizationCodeGrant(config, await listener.received, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    await expect(grant).rejects.toMatchObject({ error: 'access_denied' });
    listener.close();
  });

  const valid = {
    redirect_uri: 'http://127.0.0.1:5000/back',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  };
  it.each([
    ['another host', { redirect_uri: 'http://evil.example/' }],
    ['a name instead of an address', { redirect_uri: 'http://localhost:5000/' }],
    ['another loopback address', { redirect_uri: 'http://127.0.0.2:5000/' }],
    ['another spelling of the address', { redirect_uri: 'http://127.1:5000/' }],
    ['https', { redirect_uri: 'https://127.0.0.1:5000/' }],
    ['a user name', { redirect_uri: 'http://127.0.0.1:5000@evil.example/' }],
    ['a user name in the address', { redirect_uri: 'http://evil@127.0.0.1:5000/' }],
    ['a host that begins like the address', { redirect_uri: 'http://127.0.0.1.evil.example/' }],
    ['a fragment', { redirect_uri: 'http://127.0.0.1:5000/#x' }],
    ['an impossible port', { redirect_uri: 'http://127.0.0.1:99999/' }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['a challenge without a method', { code_challenge_method: undefined }],
    ['no challenge', { code_challenge: undefined }],
    ['a long challenge', { code_challenge: 'x'.repeat(129) }],
    ['an invisible name', { client_name: 'Console\u202eclient' }],
    ['another response', { response_type: 'token' }],
  ])('%s is refused without a redirect', async (_, changed) => {
    const query = Object.entries({ ...valid, ...changed }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const answer = await stand.browser().open(stand.startOf(Object.fromEntries(query)));
    expect([answer.status, answer.headers.get('location')]).toEqual([422, null]);
    expect((await stand.browser().open(stand.startOf(valid))).status).toBe(302);
  });
});
