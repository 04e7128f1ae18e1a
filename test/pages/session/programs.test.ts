import * as client from 'openid-client';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { expectGood, hasPrograms, type Tab } from '../../e2e/support/browser.ts';
import { listenOnLoopback, nativeProgramAt } from '../../support/federation/programs.ts';
import { type Federation, federate, staff } from '../../support/federation/stand.ts';
import { type BrowserStand, startBrowserStand } from '../../support/pages/browser-stand.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasPrograms)('client programs and devices in Chromium', () => {
  let stand: BrowserStand;
  let federation: Federation;

  beforeAll(async () => {
    stand = await startBrowserStand();
    // Another site than that of the portal, so that the browser applies `SameSite`.
    federation = await federate(stand.world, '127.0.0.1');
    federation.provider.people.set('anna', {
      preferred_username: 'anna',
      name: 'Anna Schmidt',
      groups: [staff],
    });
    federation.provider.atKeyboard = 'anna';
  }, 120_000);
  afterAll(async () => {
    await federation?.provider.close();
    await stand?.close();
  });

  const program = () => {
    const { send } = stand.world.portal;
    return nativeProgramAt({ baseUrl: stand.origin, send }, federation.domain.id, '192.0.2.7');
  };
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

  it.each(['127.0.0.1', '::1'] as const)('a program at %s is allowed with the keyboard', async (host) => {
    const [config, listener] = [await program(), await listenOnLoopback(host)];
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: listener.redirectUri,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      client_name: 'Console client',
    });
    const { page, close } = await stand.open(url.pathname + url.search);
    await heading(page, 'A program asks for your account').waitFor();
    expect(await page.locator('dl').textContent()).toContain('Console client');
    await expectGood(page, 'program-consent');
    const allow = page.getByRole('button', { name: 'Allow' });
    for (let keys = 0; keys < 5 && !(await allow.evaluate((one) => one === document.activeElement)); keys++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('You can close this page.').waitFor();
    const tokens = await client.authorizationCodeGrant(config, await listener.received, {
      pkceCodeVerifier: verifier,
    });
    expect(tokens).toMatchObject({ user: { name: 'anna' } });
    listener.close();
    await close();
  });

  it.each([
    ['en-GB', 1280, 'Sign in on a device', 'A program asks for your account', 'The device is signed in'],
    [
      'ru-RU',
      360,
      'Вход на устройстве',
      'Программа запрашивает вашу учётную запись',
      'Устройство вошло в систему',
    ],
  ])('a device is allowed in %s at %i pixels', async (locale, width, enter, consent, done) => {
    const config = await program();
    const device = await client.initiateDeviceAuthorization(config, { client_name: 'Door panel' });
    const { page, close } = await stand.open('/device', { locale, viewport: { width, height: 800 } });
    await heading(page, enter).waitFor();
    await page.locator('#user_code').fill('BBBB-BBBB');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await expectGood(page, `program-device-${locale}`);
    await page.locator('#user_code').fill(device.user_code.toLowerCase());
    await page.keyboard.press('Enter');
    await heading(page, consent).waitFor();
    expect(await page.locator('main').textContent()).toContain(device.user_code);
    await expectGood(page, `program-device-consent-${locale}`);
    await page.locator('button[value=allow]').click();
    await heading(page, done).waitFor();
    await expectGood(page, `program-device-done-${locale}`);
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.01 });
    expect(tokens).toMatchObject({ user: { name: 'anna' } });
    await close();
  });
});
