import { describe, expect, it } from 'vitest';
import { addRole, audited, usersPath, useStand } from '../../../support/factories.ts';
import type { Browser } from '../../../support/federation/browser.ts';
import { staff, startFederationStand } from '../../../support/federation/stand.ts';
import { follow, patient, serveChanges } from '../../../support/http/changes.ts';

const signOut = 'POST /api/auth/v7.0/oidc/sign-out';

describe('a sign-out at an identity provider', () => {
  const stand = useStand(() => startFederationStand());
  const isAlive = async (browser: Browser): Promise<boolean> =>
    (await browser.send('POST /signin/token')).status === 200;
  const signIn = (subject: string, browser?: Browser) => {
    stand.provider.people.set(subject, { preferred_username: subject, groups: [staff] });
    return stand.signIn(subject, browser);
  };

  it('ends the session here and there, and returns to the sign-in page', async () => {
    const browser = await signIn('anna');
    const { result, events } = await audited(stand.world.portal, () => browser.send(signOut));
    expect(events.map(({ event }) => event)).toEqual(['portal.UserLogout']);
    expect(await isAlive(browser)).toBe(false);
    const page = await browser.open(result.body.location);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const confirmed = await browser.open(`${stand.provider.issuer}/session/end/confirm`, {
      xsrf,
      logout: 'yes',
    });
    const back = await browser.follow(confirmed.headers.get('location') ?? '');
    expect(back.url).toMatch(/\/signin\?step=signed_out$/);
    expect(back.body).not.toContain('http-equiv="refresh"');
  });

  it('says so only to the browser that asked for it', async () => {
    const { baseUrl } = stand.world.portal.deps;
    const answer = await stand.browser().open(`${baseUrl}/api/auth/v7.0/oidc/signed-out?state=guessed`);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/signin']);
  });

  it('ends the session here even if the provider is down, or the domain does not log out there', async () => {
    const browser = await signIn('bella');
    await stand.set({ provider_logout: false });
    const { body } = await browser.send(signOut);
    expect([body.location, await isAlive(browser)]).toEqual(['/signin?step=signed_out', false]);
    await stand.set({ provider_logout: true });
  });

  it('ends sessions of other kinds as well', async () => {
    const browser = stand.browser();
    const body = { username: 'admin', password: 'correct horse battery staple', authSmallName: 'builtin' };
    await browser.send('POST /signin', body);
    expect((await browser.send(signOut)).body.location).toBe('/signin?step=signed_out');
    expect(await isAlive(browser)).toBe(false);
  });

  describe('that the provider starts', () => {
    const path = () => `POST /api/auth/v7.0/oidc/${stand.domain.id}/backchannel-logout`;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (token: string) =>
      stand.world.portal.send(path(), {
        headers: form,
        body: new URLSearchParams({ logout_token: token }).toString(),
      });
    const clientOf = async () => {
      const client = await stand.provider.provider.Client.find('aggregator');
      if (!client) throw new Error('no client');
      return client;
    };
    /** A logout token as the provider signs it. */
    const tokenFor = async (
      claims: { sub?: string; sid?: string; jti?: string },
      client?: object,
    ): Promise<string> => {
      const { IdToken } = stand.provider.provider;
      const token = new IdToken(claims.sub ? { sub: claims.sub } : {}, {
        client: client ?? (await clientOf()),
        ctx: undefined,
      } as never);
      Reflect.set(token, 'mask', { sub: null });
      token.set('events', { 'http://schemas.openid.net/event/backchannel-logout': {} });
      token.set('jti', claims.jti ?? crypto.randomUUID());
      if (claims.sid) token.set('sid', claims.sid);
      return Reflect.apply(Reflect.get(token, 'issue'), token, [{ use: 'logout' }]);
    };

    it('ends the sessions of the person, and is audited', async () => {
      const browser = await signIn('carol');
      const second = await signIn('carol');
      const other = await signIn('dora');
      const token = await tokenFor({ sub: 'carol' });
      const { result, events } = await audited(stand.world.portal, () => send(token));
      expect([result.status, result.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
      expect(events).toMatchObject([
        {
          event: 'portal.UserLogout',
          user_name: 'carol',
          details: { by: 'provider', sessions: 2, all: true },
        },
      ]);
      expect([await isAlive(browser), await isAlive(second), await isAlive(other)]).toEqual([
        false,
        false,
        true,
      ]);
    });

    it('ends one session by its identifier, when the person leaves the provider', async () => {
      const browser = await signIn('erna');
      const other = await signIn('erna');
      const page = await browser.open(`${stand.provider.issuer}/session/end`);
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
      await browser.open(`${stand.provider.issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
      await expect.poll(() => isAlive(browser)).toBe(false);
      expect(await isAlive(other)).toBe(true);
    });

    it('ends the stream of changes of the session, and not that of another person', async () => {
      const { admin, portal } = stand.world;
      const served = await serveChanges(portal);
      const role = await addRole(admin, ['sites.read']);
      const streamOf = async (subject: string) => {
        await signIn(subject);
        const { items } = (await admin(`GET ${usersPath(stand.domain)}?search=${subject}`)).body;
        const path = `${usersPath(stand.domain)}/${items[0].id}`;
        expect((await admin(`PATCH ${path}`, { roles: [role.id] })).status).toBe(200);
        const browser = await signIn(subject);
        return follow(served.origin, (await browser.send('POST /signin/token')).body.token);
      };
      const [ended, other] = [await streamOf('hanna'), await streamOf('ida')];
      expect([ended.ends(), other.ends()]).toEqual([0, 0]);
      expect((await send(await tokenFor({ sub: 'hanna' }))).status).toBe(200);
      await expect.poll(() => ended.ends(), patient).toBeGreaterThan(0);
      expect(other.ends()).toBe(0);
      for (const stream of [ended, other]) stream.close();
      portal.deps.changes?.end();
      await served.close();
    });

    it('counts once', async () => {
      await signIn('fina');
      const token = await tokenFor({ sub: 'fina' });
      expect((await send(token)).status).toBe(200);
      const browser = await signIn('fina');
      expect((await send(token)).status).toBe(400);
      expect(await isAlive(browser)).toBe(true);
    });

    it.each(['', 'no token', 'eyJhbGciOiJub25lIn0.e30.'])('is refused with the token %j', async (token) => {
      const answer = await send(token);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'private, no-store']);
    });

    it('is refused with an ID token, with one for another client, and without a token', async () => {
      const foreign = Object.assign(Object.create(await clientOf()), { clientId: 'another' });
      expect((await send(await tokenFor({ sub: 'anna' }, foreign))).status).toBe(400);
      expect((await stand.world.portal.send(path(), { headers: form, body: 'a=b' })).status).toBe(400);
      const json = await stand.world.portal.send(path(), { body: { logout_token: 'x' } });
      expect(json.status).toBe(415);
    });

    it('also answers 200 for a person without a session', async () => {
      expect((await send(await tokenFor({ sub: 'stranger' }))).status).toBe(200);
    });
  });
});
