import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import { programGrants } from '../../../db/schema/identity/providers/program-grants.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { newId } from '../../../shared/kernel/ids.ts';
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

  const isMoved = ({ headers }: { headers: Headers }) => headers.get('refresh')?.includes('/start?') === true;

  it('is not found by guessing: a browser has 5 tries, others at its address are not concerned', async () => {
    const { user_code } = await codes('192.0.2.8');
    const browser = stand.browser();
    const pages = [];
    for (let tries = 0; tries < 5; tries++)
      pages.push(await sendForm(browser, urlOf('/device'), { user_code: `BBBB-BBB${tries}` }));
    expect(pages[0]).toMatchObject({ status: 200, body: expect.stringContaining('role="alert"') });
    const locked = await sendForm(browser, urlOf('/device'), { user_code });
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
    expect(isMoved(await sendForm(stand.browser(), urlOf('/device'), { user_code }))).toBe(true);
    stand.world.portal.advance(301);
    expect(isMoved(await sendForm(browser, urlOf('/device'), { user_code }))).toBe(true);
  });

  it('is not found by guessing with a new browser each time: an address has 50 tries in a minute', async () => {
    const ownForm = { 'sec-fetch-site': 'same-origin', origin: urlOf('') };
    const guess = (user_code: string, ip: string, cookie = '') =>
      stand.world.portal.send('POST /device', {
        ip,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...ownForm, cookie },
        body: new URLSearchParams({ user_code }).toString(),
      });
    const { user_code } = await codes('192.0.2.8');
    for (let tries = 0; tries < 50; tries++)
      expect((await guess('BBBB-BBBB', '198.51.100.7', '__Host-device-tries=made-up')).status).toBe(200);
    expect((await guess(user_code, '198.51.100.7')).status).toBe(429);
    expect(isMoved(await guess(user_code, '198.51.100.8'))).toBe(true);
    stand.world.portal.advance(61);
    expect(isMoved(await guess(user_code, '198.51.100.7'))).toBe(true);
  });

  it('cannot be entered by a form of another site', async () => {
    const { user_code } = await codes();
    const browser = stand.browser();
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }]) {
      browser.originOfForms = headers as Record<string, string>;
      expect((await browser.open(urlOf('/device'), { user_code })).status).toBe(403);
    }
  });

  it('receives no codes for another kind of domain', async () => {
    const { body } = await stand.world.admin('GET /api/webui/aggregator/authenticators');
    const builtin = body.items.find(({ type }: { type: string }) => type === 'internal');
    const path = `POST /api/auth/v7.0/oidc/${builtin.id}/device`;
    expect((await stand.world.portal.send(path)).status).toBe(404);
  });

  it('receives codes while fewer than 200 of its network and 5,000 of its domain wait', async () => {
    await addWaiting(198, '2001:db8:0:7::1');
    expect((await codes('2001:db8:0:7::2')).device_code).toBeDefined();
    expect((await codes('2001:db8:0:7::3')).device_code).toBeDefined();
    expect((await codes('2001:db8:0:7::4')).code).toBe('rate_limited');
    expect((await codes('2001:db8:0:8::1')).device_code).toBeDefined();
    stand.world.portal.advance(601);
    await addWaiting(4_999, '203.0.113.1');
    expect((await codes('192.0.2.10')).device_code).toBeDefined();
    expect((await codes('192.0.2.11')).code).toBe('rate_limited');
    stand.world.portal.advance(601);
    expect((await codes('192.0.2.11')).device_code).toBeDefined();
  });

  /** Devices that wait since now. */
  async function addWaiting(count: number, source_ip: string): Promise<void> {
    const { db, clock } = stand.world.portal.deps;
    const at = clock();
    const rows = Array.from({ length: count }, () => ({
      ...{
        id: newId(),
        kind: 'device' as const,
        state: 'waiting' as const,
        program: 'Door panel',
        source_ip,
      },
      ...{ authenticator_id: stand.domain.id, code_hash: newId(), user_code_hash: newId(), interval_s: 5 },
      ...{ created_at: at, expires_at: addSeconds(at, 600), kept_until: addSeconds(at, 1_200) },
    }));
    for (let from = 0; from < count; from += 1_000)
      await db.insert(programGrants).values(rows.slice(from, from + 1_000));
  }
});
