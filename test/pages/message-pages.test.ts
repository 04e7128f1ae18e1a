import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../e2e/support/browser.ts';
import { type BrowserStand, hasChromium, startBrowserStand } from '../support/pages/browser-stand.ts';
import { looks } from '../support/pages/looks.ts';
import { requireService } from '../support/services.ts';

// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

/** Messages of the browser itself about the status of the page. */
const ofBrowser = /^Failed to load resource: .* 404/;

requireService('chromium', hasChromium)('pages with one message', () => {
  let stand: BrowserStand;
  const tabs: Tab[] = [];

  beforeAll(async () => {
    stand = await startBrowserStand();
  }, 120_000);
  afterEach(async () => {
    const seen = tabs.splice(0);
    await Promise.all(seen.map((tab) => tab.close()));
    expect(seen.flatMap(({ foreign }) => foreign)).toEqual([]);
    expect(seen.flatMap(({ errors }) => errors).filter((error) => !ofBrowser.test(error))).toEqual([]);
  });
  afterAll(() => stand?.close());

  async function open(path: string, options?: Parameters<BrowserStand['open']>[1]): Promise<Tab['page']> {
    const tab = await stand.open(path, options);
    tabs.push(tab);
    return tab.page;
  }

  it('lead from an unknown path to the explanation of the code, and to the start page', async () => {
    const page = await open('/nowhere');
    await page.getByRole('heading', { level: 1, name: 'The page does not exist' }).waitFor();
    await page.getByRole('link', { name: 'not_found' }).click();
    await page.getByRole('heading', { level: 1, name: 'The resource does not exist' }).waitFor();
    await page.getByRole('link', { name: 'Русский' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ресурс не найден' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await page.waitForURL('**/signin?next=%2F');
  });

  it('have the colours that the user has chosen', async () => {
    const page = await open('/nowhere', { colorScheme: 'light' });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.evaluate(() => localStorage.setItem('scheme', 'dark'));
    await page.reload();
    expect(await ground()).not.toBe(light);
  });

  it('load nothing', async () => {
    // The sign-in page would load files of its own meanwhile.
    const page = await open('/api/errors/unauthenticated');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.goto('/nowhere');
    expect(requested.filter((url) => !url.startsWith('data:'))).toEqual([`${stand.origin}/nowhere`]);
  });

  it.each(looks)('are good to look at: %s, %s, %i px', async (locale, colorScheme, width) => {
    const page = await open('/nowhere', { viewport: { width, height: 800 }, colorScheme, locale });
    await expectGood(page, `message-404-${colorScheme}`);
    await page.goto('/api/errors/unauthenticated');
    await expectGood(page, `message-error-${colorScheme}`);
  });
});
