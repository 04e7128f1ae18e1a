import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { codeOf, expectGood, hasPrograms, type Tab } from '../../e2e/support/browser.ts';
import { base } from '../../support/factories.ts';
import { type Federation, federate, staff } from '../../support/federation/stand.ts';
import { type BrowserStand, startBrowserStand } from '../../support/pages/browser-stand.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
/** The pages of the provider ask for fonts of another site. */
const fonts = 'https://fonts.googleapis.com/**';
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium or oathtool', hasPrograms)('a sign-in at an identity provider in Chromium', () => {
  let stand: BrowserStand;
  let federation: Federation;
  const tabs: Tab[] = [];

  beforeAll(async () => {
    stand = await startBrowserStand();
    // Another site than that of the portal, so that the browser applies `SameSite`.
    federation = await federate(stand.world, '127.0.0.1');
    for (const subject of ['anna', 'bella'])
      federation.provider.people.set(subject, { preferred_username: subject, groups: [staff] });
    await stand.world.admin(`PATCH ${base}/authenticators/${federation.domain.id}`, {
      name: 'Company account',
    });
  }, 120_000);
  afterEach(async () => {
    const seen = tabs.splice(0);
    await Promise.all(seen.map((tab) => tab.close()));
    const foreign = seen.flatMap((tab) => tab.foreign).filter((url) => !isOfProvider(url));
    expect(foreign).toEqual([]);
  });
  afterAll(async () => {
    await federation?.provider.close();
    await stand?.close();
  });

  const isOfProvider = (url: string): boolean =>
    url.startsWith(federation.provider.issuer) || url.startsWith(new URL(fonts).origin);
  async function open(path = '/signin', options?: Parameters<BrowserStand['open']>[1]): Promise<Page> {
    const tab = await stand.open(path, options);
    tabs.push(tab);
    await tab.page.route(fonts, (route) => route.abort());
    return tab.page;
  }
  /** The pages of the provider. */
  async function logIn(page: Page, subject: string): Promise<void> {
    await page.waitForURL((url) => url.href.startsWith(federation.provider.issuer));
    await page.locator('[name=login]').fill(subject);
    await page.locator('[name=password]').fill('any password');
    await page.getByRole('button', { name: 'Sign-in' }).click();
  }
  const button = (page: Page) => page.getByRole('link', { name: 'Sign in with Company account' });

  it('leads to the page that was opened, and out again at both', async () => {
    const page = await open('/home/');
    await button(page).click();
    await logIn(page, 'anna');
    await page.waitForURL('**/home/');
    await page.getByRole('button', { name: 'Account' }).or(page.getByText('anna')).first().click();
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.getByRole('button', { name: /yes/i }).click();
    await page.waitForURL('**/signin?step=signed_out');
    await page.getByText('You are signed out').waitFor();
    await page.goto('/home/');
    await page.waitForURL('**/signin?next=*');
  });

  it('has an account page that asks for no password', async () => {
    const page = await open('/home/');
    await button(page).click();
    await logIn(page, 'anna');
    await page.waitForURL('**/home/');
    await page.goto('/home/#account');
    await page.getByText('Your identity provider (Company account) decides how you sign in').waitFor();
    expect(await page.locator('input[type=password]').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign in again' }).waitFor();
    await expectGood(page, 'account-provider');
  });

  it('is offered on the sign-in page in both languages and on phones', async () => {
    for (const [locale, name] of [
      ['en-GB', 'Sign in with Company account'],
      ['ru-RU', 'Войти через Company account'],
    ] as const)
      for (const width of [1280, 360]) {
        const page = await open('/signin', { locale, viewport: { width, height: 800 } });
        await page.getByRole('link', { name }).waitFor();
        await expectGood(page, `signin-provider-${locale}`);
      }
  });

  it('begins when an address of the provider is typed as the user name', async () => {
    await federation.set({ email_domains: ['Компания.example'] });
    const page = await open('/signin');
    await page.locator('#username').fill('anna@КОМПАНИЯ.example');
    await page.keyboard.press('Tab');
    await page.waitForURL((url) => url.href.startsWith(federation.provider.issuer));
    expect(await page.locator('[name=login]').inputValue()).toBe('anna@КОМПАНИЯ.example');
  });

  it('shows a refusal with a way back', async () => {
    federation.provider.atKeyboard = null;
    const page = await open('/signin', { locale: 'ru-RU', viewport: { width: 360, height: 800 } });
    await page.getByRole('link', { name: 'Войти через Company account' }).click();
    await page.getByText('Провайдер удостоверений отказал во входе').waitFor();
    await expectGood(page, 'signin-provider-refused');
    federation.provider.atKeyboard = undefined;
    await page.getByRole('link', { name: 'Повторить' }).click();
    await page.waitForURL('**/signin');
  });

  it('continues with a second factor of the portal', async () => {
    await federation.set({}, { two_factor: true });
    const page = await open('/signin?next=/home/');
    await button(page).click();
    await logIn(page, 'bella');
    await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor();
    await expectGood(page, 'signin-provider-factor');
    const secret = (
      (await page
        .getByText(/^[A-Z2-7 ]{32,}$/)
        .first()
        .textContent()) ?? ''
    ).replaceAll(' ', '');
    await page.locator('#code').fill(codeOf(secret));
    await page.locator('#factor [type=submit]').click();
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    await page.goto('/home/#account');
    // The person signs in at the provider again, and can then remove the device.
    await page.getByRole('button', { name: 'Remove the second factor' }).click();
    await page.getByRole('button', { name: 'Remove the second factor' }).click();
    await page.getByText('Sign in at the identity provider again').waitFor();
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await logIn(page, 'bella');
    await federation.set({}, { two_factor: false });
  });
});
