import { describe, expect, it, vi } from 'vitest';
import { codeOf, expectGood, hasPrograms, type Tab } from '../e2e/support/browser.ts';
import { addUser, base, goodPassword } from '../support/factories.ts';
import { looks } from '../support/pages/looks.ts';
import { type Tabs, useTabs } from '../support/pages/tabs.ts';
import { requireService } from '../support/services.ts';

type Page = Tab['page'];
type Options = Parameters<Tabs['open']>[1];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium or oathtool', hasPrograms)('the sign-in page', () => {
  let guarded: { id: string; name: string };
  const tabs = useTabs(async ({ world }) => {
    const body = { name: 'Two factors', small_name: 'two', type: 'internal', two_factor: true };
    guarded = (await world.admin(`POST ${base}/authenticators`, body)).body;
  });

  const open = (path = '/signin', options?: Options): Promise<Page> => tabs.open(path, options);
  const userOf = (domain: { id: string }, given: Record<string, unknown> = {}) =>
    addUser(tabs.stand.world.admin, domain, given);
  async function enter(page: Page, domain: { name: string }, name: string, word = goodPassword) {
    await page.locator('#domain').selectOption({ label: domain.name });
    await page.locator('#username').fill(name);
    await page.locator('#password').fill(word);
    await page.locator('#credentials [type=submit]').click();
  }
  const focused = (page: Page, id: string) => page.locator(`#${id}:focus`).waitFor();

  it('names missing entries at their fields, and sends nothing', async () => {
    const page = await open();
    // The page asks for the options of a passkey when it opens.
    await page.waitForLoadState('networkidle');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await focused(page, 'username');
    await page.keyboard.press('Enter');
    await page.getByText('Enter your user name.').waitFor();
    await page.getByText('Enter your password.').waitFor();
    await focused(page, 'username');
    await expectGood(page, 'signin-missing');
    await page.keyboard.type('unknown-user');
    await page.getByText('Enter your user name.').waitFor({ state: 'detached' });
    expect(sent).toEqual([]);
  });

  it('sends the form once while an answer is slow, however often it is submitted', async () => {
    const user = await userOf(tabs.stand.world.domain);
    const page = await open();
    let requests = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/signin', async (route) => {
      requests += 1;
      await released;
      await route.continue();
    });
    await enter(page, tabs.stand.world.domain, user.name);
    await page.locator('#credentials [type=submit][aria-busy=true]').waitFor();
    await page.locator('#credentials [type=submit]').click();
    await page.locator('#password').press('Enter');
    release();
    await page.waitForURL('**/home/');
    expect(requests).toBe(1);
  });

  it('shows that the portal does not answer, and signs in with the same entries afterwards', async () => {
    const user = await userOf(tabs.stand.world.domain);
    const page = await open();
    await page.route('**/signin', (route) => route.abort());
    await enter(page, tabs.stand.world.domain, user.name);
    await page.getByRole('alert').getByText('The portal does not answer').waitFor();
    await page.unroute('**/signin');
    await page.locator('#credentials [type=submit]').click();
    await page.waitForURL('**/home/');
  });

  it('counts a limit down, and accepts another account at once', async () => {
    const page = await open();
    const problem = {
      ...{ type: 'about:blank', title: 'Locked', status: 429, detail: 'Locked', instance: 'r-1' },
      ...{ code: 'locked_out', retryable: true },
    };
    await page.clock.install();
    await page.route('**/signin', (route) =>
      route.fulfill({
        ...{ status: 429, headers: { 'retry-after': '65' }, contentType: 'application/problem+json' },
        body: JSON.stringify(problem),
      }),
    );
    await enter(page, tabs.stand.world.domain, 'unknown-user', 'wrong wrong wrong');
    const alert = page.getByRole('alert');
    await alert.getByText(/^Try again in 1:0\d\.$/).waitFor();
    const button = page.locator('#credentials [type=submit]');
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await page.clock.fastForward(66_000);
    await alert.getByText('You can try again now').waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('false');
    await button.click();
    await alert.getByText(/^Try again in 1:0\d\.$/).waitFor();
    await page.locator('#username').fill('another-user');
    await alert.waitFor({ state: 'detached' });
    expect(await button.getAttribute('aria-disabled')).toBe('false');
  });

  it('has no password when the browser shows it again, and none in storage or addresses', async () => {
    const user = await userOf(tabs.stand.world.domain);
    const page = await open();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await enter(page, tabs.stand.world.domain, user.name);
    await page.waitForURL('**/home/');
    const stores = () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]);
    expect(await page.evaluate(stores)).not.toContain(goodPassword);
    expect(addresses.join('\n')).not.toContain(encodeURIComponent(goodPassword));
    await page.goBack();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    expect(await page.locator('input[type=password]').count()).toBe(0);
  });

  it('removes a typed password when the page is left, and is renewed from the cache of the browser', async () => {
    const page = await open();
    await page.locator('#password').fill(goodPassword);
    await page.getByRole('button', { name: 'Show password' }).click();
    const left = () => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    await page.evaluate(left);
    expect(await page.locator('#password').inputValue()).toBe('');
    const loaded = page.waitForEvent('load');
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await loaded;
    expect(await page.locator('#password').getAttribute('type')).toBe('password');
  });

  it('loads the library for QR codes only for an enrolment', async () => {
    const user = await userOf(guarded);
    const page = await open();
    // The page loads the library for passkeys when it opens.
    await page.waitForLoadState('networkidle');
    const files: string[] = [];
    page.on('request', (request) => files.push(new URL(request.url()).pathname));
    await enter(page, tabs.stand.world.domain, user.name, 'wrong wrong wrong');
    await page.getByRole('alert').waitFor();
    const parts = () => files.filter((path) => path.startsWith('/signin/files/'));
    expect(parts()).toEqual([]);
    await enter(page, guarded, user.name);
    await page.getByRole('img', { name: /^QR code/ }).waitFor();
    expect(parts().length).toBeGreaterThan(0);
  });

  it('shows the key without the picture if the library cannot be loaded', async () => {
    const user = await userOf(guarded);
    const page = await open();
    await page.route('**/signin/files/**', (route) => route.abort());
    await enter(page, guarded, user.name);
    await page.locator('#secret').waitFor();
    await expect.poll(() => page.getByRole('img', { name: /^QR code/ }).count()).toBe(0);
  });

  it('is used by keyboard alone, from the enrolment to the recovery codes', async () => {
    const user = await userOf(guarded);
    const page = await open();
    await page.locator('#domain').selectOption({ label: guarded.name });
    await focused(page, 'username');
    await page.keyboard.type(user.name);
    await page.keyboard.press('Tab');
    await page.keyboard.type(goodPassword);
    await page.keyboard.press('Enter');
    await focused(page, 'code');
    await page.keyboard.press('Enter');
    await page.getByText('Enter the code.').waitFor();
    await focused(page, 'code');
    await page.keyboard.type(codeOf((await page.locator('#secret').innerText()).replaceAll(' ', '')));
    await page.keyboard.press('Enter');
    await page.locator('#heading:focus').getByText('Save your recovery codes').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const codes = await page.getByRole('listitem').allInnerTexts();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(codes.join('\n'));
    await page.keyboard.press('Tab');
    const saved = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    expect((await saved).suggestedFilename()).toBe('recovery-codes.txt');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/home/');
  });

  it('leads to the form if the session ends during the change of a password', async () => {
    const user = await userOf(tabs.stand.world.domain, { must_change_password: true });
    const page = await open();
    await enter(page, tabs.stand.world.domain, user.name);
    await page.locator('#current').fill(goodPassword);
    for (const id of ['new', 'again']) await page.locator(`#${id}`).fill('nine quiet harbours wait');
    await page.evaluate(() => fetch('/signout', { method: 'POST' }));
    await page.locator('#change [type=submit]').click();
    await page.getByText('Your session has ended').waitFor();
    await focused(page, 'username');
  });

  it('has a sentence instead of a form without JavaScript', async () => {
    const page = await open('/signin', { javaScriptEnabled: false });
    const sentence = page.locator('noscript p');
    await sentence.waitFor();
    expect(await sentence.innerText()).toBe('This page requires JavaScript.');
  });

  it('keeps the page to return to when the language is changed', async () => {
    const page = await open('/status');
    await page.getByRole('link', { name: 'Русский' }).click();
    await page.getByRole('heading', { name: 'Вход' }).waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/status');
  });

  describe.each(looks)('in the look %s, %s, %i px', (locale, colorScheme, width) => {
    const options = { colorScheme, locale, viewport: { width, height: 800 } };
    const shown = (name: string) => `signin-${name}-${colorScheme}-${locale.slice(0, 2)}`;

    it('is accessible and fits in each step of a second factor', async () => {
      const user = await userOf(guarded);
      const page = await open('/signin', options);
      await page.locator('#username').waitFor();
      await expectGood(page, shown('start'));
      await enter(page, guarded, user.name, 'wrong wrong wrong');
      await page.getByRole('alert').waitFor();
      await focused(page, 'password');
      await expectGood(page, shown('refused'));
      await enter(page, guarded, user.name);
      await page.locator('#secret').waitFor();
      await page.getByRole('img', { name: /^QR/ }).waitFor();
      await expectGood(page, shown('enrolment'));
      await page
        .locator('#code')
        .fill(codeOf((await page.locator('#secret').innerText()).replaceAll(' ', '')));
      await page.locator('#factor [type=submit]').click();
      await page.getByRole('listitem').first().waitFor();
      await expectGood(page, shown('codes'));
      await page.goto('/signin');
      await page.locator('nav a').waitFor();
      await expectGood(page, shown('inside'));
      await page.locator('main button').click();
      await page.locator('#username').waitFor();
      await enter(page, guarded, user.name);
      await focused(page, 'code');
      await page.locator('#code').fill('000000');
      await page.locator('#factor [type=submit]').click();
      await page.getByRole('alert').waitFor();
      await expectGood(page, shown('factor'));
    });

    it('is accessible and fits when a password must be changed', async () => {
      const user = await userOf(tabs.stand.world.domain, { must_change_password: true });
      const page = await open('/signin', options);
      await enter(page, tabs.stand.world.domain, user.name);
      await focused(page, 'current');
      await page.locator('#current').fill(goodPassword);
      for (const id of ['new', 'again']) await page.locator(`#${id}`).fill('short');
      await page.locator('#change [type=submit]').click();
      await focused(page, 'new');
      await expectGood(page, shown('change'));
    });
  });
});
