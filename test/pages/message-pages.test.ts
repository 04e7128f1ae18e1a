import { expect, it, vi } from 'vitest';
import { expectGood } from '../e2e/support/browser.ts';
import { hasChromium } from '../support/pages/browser-stand.ts';
import { looks } from '../support/pages/looks.ts';
import { useTabs } from '../support/pages/tabs.ts';
import { requireService } from '../support/services.ts';

// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('pages with one message', () => {
  const tabs = useTabs();
  const { open } = tabs;

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
    expect(requested.filter((url) => !url.startsWith('data:'))).toEqual([`${tabs.stand.origin}/nowhere`]);
  });

  it.each(looks)('are good to look at: %s, %s, %i px', async (locale, colorScheme, width) => {
    const page = await open('/nowhere', { viewport: { width, height: 800 }, colorScheme, locale });
    await expectGood(page, `message-404-${colorScheme}`);
    await page.goto('/api/errors/unauthenticated');
    await expectGood(page, `message-error-${colorScheme}`);
  });
});
