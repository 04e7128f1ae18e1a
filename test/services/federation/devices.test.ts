import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import { audited, useStand } from '../../support/factories.ts';
import { nativeProgram, sendConsent, sendForm } from '../../support/federation/programs.ts';
import { staff, startFederationStand } from '../../support/federation/stand.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

describe('a device', () => {
  const stand = useStand(() => startFederationStand());
  const urlOf = (path: string): string => `${stand.world.portal.deps.baseUrl}${path}`;
  const person = (subject: string): void => {
    stand.provider.people.set(subject, { preferred_username: subject, groups: [staff] });
    stand.provider.atKeyboard = subject;
  };
  const codes = async (ip = '192.0.2.7') =>
    (
      await stand.world.portal.send(`POST /api/auth/v7.0/oidc/${stand.domain.id}/device`, {
        body: { client_name: 'Door panel' },
        ip,
      })
    ).body;
  const poll = (device_code: string) =>
    stand.world.portal.send('POST /api/auth/v7.0/oidc/token', {
      body: { grant_type: deviceGrant, device_code },
    });
  /** Enters the code in a browser, and signs the person in. */
  async function enter(user_code: string, subject: string) {
    person(subject);
    const browser = stand.browser();
    const moved = await sendForm(browser, urlOf('/device'), { user_code });
    const start = moved.headers.get('refresh')?.split('url=')[1] ?? '';
    return { browser, page: await browser.follow(urlOf(start)) };
  }

  it('receives a session by openid-client after the person has entered its code', async () => {
    const config = await nativeProgram(stand, '192.0.2.7');
    const device = await client.initiateDeviceAuthorization(config, { client_name: 'Door panel' });
    expect(device).toMatchObject({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: urlOf('/device'),
      verification_uri_complete: urlOf(`/device?user_code=${device.user_code}`),
      expires_in: 600,
      interval: 5,
    });
    const prepared = await stand.browser().open(device.verification_uri_complete ?? '');
    expect(prepared.body).toContain(`value="${device.user_code}"`);
    const { browser, page } = await enter(device.user_code.toLowerCase().replace('-', ' '), 'anna');
    for (const shown of ['Door panel', '192.0.2.7', device.user_code, 'anna'])
      expect(page.body).toContain(shown);
    const { result: done, events } = await audited(stand.world.portal, () =>
      sendConsent(browser, page, 'allow'),
    );
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('The device is signed in')]);
    expect(events).toMatchObject([{ event: 'portal.ProgramAllowed', details: { by: 'device' } }]);
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.01 });
    const { body } = await stand.world.portal.send('GET /api/userinfo', { token: tokens.access_token });
    expect(body.name).toBe('anna');
    expect((await poll(device.device_code)).body.error).toBe('invalid_grant');
  }, 30_000);

  it('waits, slows down, is refused and expires as RFC 8628 requires', async () => {
    const waiting = await codes();
    const errors: string[] = [];
    for (const seconds of [0, 1, 5, 20]) {
      stand.world.portal.advance(seconds);
      errors.push((await poll(waiting.device_code)).body.error);
    }
    expect(errors).toEqual(['authorization_pending', 'slow_down', 'slow_down', 'authorization_pending']);
    const denied = await codes();
    const { browser, page } = await enter(denied.user_code, 'bob');
    expect((await sendConsent(browser, page, 'deny')).body).toContain('The device was refused');
    expect((await poll(denied.device_code)).body.error).toBe('access_denied');
    const late = await codes();
    stand.world.portal.advance(601);
    expect((await poll(late.device_code)).body.error).toBe('expired_token');
    expect((await poll('unknown')).body.error).toBe('invalid_grant');
  });

  it('is decided about once, and by one browser', async () => {
    const { user_code, device_code } = await codes();
    const first = await enter(user_code, 'carl');
    const second = await enter(user_code, 'dora');
    expect((await sendConsent(second.browser, first.page, 'allow')).status).toBe(409);
    expect((await sendConsent(first.browser, first.page, 'allow')).status).toBe(200);
    expect((await sendConsent(second.browser, second.page, 'allow')).status).toBe(401);
    const { body } = await poll(device_code);
    expect(body.user.name).toBe('carl');
  });

  it('is not found by guessing: a network has 5 tries', async () => {
    const { user_code } = await codes('192.0.2.8');
    const browser = stand.browser();
    const pages = [];
    for (let tries = 0; tries < 5; tries++)
      pages.push(await sendForm(browser, urlOf('/device'), { user_code: `BBBB-BBB${tries}` }));
    expect(pages[0]).toMatchObject({ status: 200, body: expect.stringContaining('role="alert"') });
    const locked = await sendForm(browser, urlOf('/device'), { user_code });
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
    stand.world.portal.advance(301);
    expect((await sendForm(browser, urlOf('/device'), { user_code })).headers.get('refresh')).toContain(
      '/start?',
    );
  });

  it('cannot be entered by a form of another site', async () => {
    const { user_code } = await codes();
    const browser = stand.browser();
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }]) {
      browser.originOfForms = headers as Record<string, string>;
      expect((await browser.open(urlOf('/device'), { user_code })).status).toBe(403);
    }
  });

  it('receives no codes for another kind of domain, nor more than 20 at a time', async () => {
    const { body } = await stand.world.admin('GET /api/webui/aggregator/authenticators');
    const builtin = body.items.find(({ type }: { type: string }) => type === 'internal');
    const path = `POST /api/auth/v7.0/oidc/${builtin.id}/device`;
    expect((await stand.world.portal.send(path)).status).toBe(404);
    for (let count = 0; count < 20; count++) expect((await codes('192.0.2.9')).device_code).toBeDefined();
    expect((await codes('192.0.2.9')).code).toBe('rate_limited');
    expect((await codes('192.0.2.10')).device_code).toBeDefined();
  });
});
