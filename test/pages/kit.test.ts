import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { accentsOf, defaultBranding } from '../../shared/http/pages/branding.ts';
import { pageHeaders } from '../../shared/http/pages/policy.ts';
import { fill } from '../../shared/http/pages/template.ts';
import type { WebPage } from '../../shared/http/pages/web-pages.ts';
import type { Language } from '../../shared/messages/languages.ts';
import { buildKit } from '../../shared/tooling/build/web-pages.ts';
import { expectGood, openTab, startBrowser, type Tab } from '../e2e/support/browser.ts';
import { hasChromium } from '../support/pages/browser-stand.ts';
import { looks } from '../support/pages/looks.ts';
import { requireService } from '../support/services.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const nonce = 'kit';
const facts = (language: Language) => ({
  language,
  site_name: 'Aggregator portal',
  logo: '',
  support_link: 'https://support.test/',
  footer_text: 'Footer',
  copyright: '© 2026',
  copyright_link: '',
  user: { id: 'ada', login: 'ada', name: 'Ada Lovelace', portal: 'admin' },
});

/** The document of the page, as the portal renders those of its pages. */
async function documentOf({ script, style, texts }: WebPage, language: Language): Promise<string> {
  const template = await readFile(new URL('../../functions/assets/app.html', import.meta.url), 'utf8');
  const boot = await readFile(new URL('../../functions/assets/boot.js', import.meta.url), 'utf8');
  return fill(template, {
    ...defaultBranding,
    ...accentsOf(defaultBranding),
    title: 'Components',
    language,
    nonce,
    style: `/${style}`,
    script: `/${script}`,
    texts: `/${texts[language]}`,
    '&facts': JSON.stringify(facts(language)),
    '&first': '',
    '&boot': boot,
  });
}

type Locator = ReturnType<Tab['page']['locator']>;

requireService('chromium', hasChromium)('the page of all components', () => {
  let folder: string;
  let server: Server;
  let origin: string;
  let browser: Awaited<ReturnType<typeof startBrowser>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-'));
    const page = await buildKit(folder);
    server = createServer(async ({ url = '' }, response) => {
      const language = /^\/(en|ru)$/.exec(url)?.[1] as Language | undefined;
      if (language)
        return response
          .writeHead(200, {
            'content-type': 'text/html; charset=utf-8',
            ...pageHeaders(nonce, { ownFiles: true, ownParts: true }),
          })
          .end(await documentOf(page, language));
      const file = /^\/([\w-]+\.(?:js|css))$/.exec(url)?.[1];
      if (!file) return response.writeHead(404).end();
      const type = file.endsWith('.js') ? 'text/javascript' : 'text/css';
      return response.writeHead(200, { 'content-type': type }).end(await readFile(join(folder, file)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => server?.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  /** Shows the page, and fails for errors of its scripts or its policy. */
  async function open(
    language: Language,
    options: Parameters<typeof openTab>[2],
    use: (page: Tab['page']) => Promise<void>,
  ): Promise<void> {
    const tab = await openTab(browser, origin, options);
    await tab.page.goto(`/${language}`);
    await tab.page.locator('h1').waitFor();
    // The picture of the key is drawn by a library that is loaded when it is needed.
    await tab.page.locator('#credentials img[src^="data:"]').waitFor();
    await use(tab.page);
    await tab.close();
    expect([tab.errors, tab.foreign]).toEqual([[], []]);
  }

  it.each(looks)('is good to look at: %s, %s, %i px', async (locale, colorScheme, width) => {
    const language = locale === 'ru-RU' ? 'ru' : 'en';
    await open(language, { colorScheme, viewport: { width, height: 900 } }, (page) =>
      expectGood(page, `kit-${language}-${colorScheme}`),
    );
  });

  // Browsers limit the height of a page in pixels of the screen.
  it.each([
    1, 3,
  ])('shows the last one of a million rows on a screen of density %i', async (deviceScaleFactor) => {
    await open('en', { viewport: { width: 1280, height: 900 }, deviceScaleFactor }, async (page) => {
      const place = page.locator('#DataTable section');
      const row = (name: string) => place.getByRole('row', { name, exact: true });
      await row('1').focus();
      await page.keyboard.press('End');
      await expect.poll(() => focusedRow(page)).toBe('1000000');
      expect(await isInside(row('1000000'), place)).toBe(true);
      await page.keyboard.press('ArrowUp');
      await expect.poll(() => focusedRow(page)).toBe('999999');
      await place.evaluate((element) => {
        element.scrollTop = (element.scrollHeight - element.clientHeight) / 2;
      });
      await row('500000').waitFor();
      expect(await isInside(row('500000'), place)).toBe(true);
      await row('500000').focus();
      await page.keyboard.press('Home');
      await expect.poll(() => focusedRow(page)).toBe('1');
    });
  });

  it('scrolls to a row while further rows arrive', async () => {
    await open('en', { viewport: { width: 1280, height: 900 } }, async (page) => {
      const place = page.locator('#DataTable section');
      await place.getByRole('row', { name: '1', exact: true }).focus();
      // The rows are added before the browser has sent the event of the scrolling.
      await page.evaluate(() => {
        const key = new KeyboardEvent('keydown', { key: 'End', bubbles: true });
        document.activeElement?.dispatchEvent(key);
        document.querySelector<HTMLElement>('#DataTable button')?.click();
      });
      await expect.poll(() => focusedRow(page)).toBe('1000000');
      await page.keyboard.press('End');
      await expect.poll(() => focusedRow(page)).toBe('1000100');
    });
  });

  it('gives the focus to a row that is partly hidden where it is', async () => {
    await open('en', { viewport: { width: 1280, height: 900 } }, async (page) => {
      const place = page.locator('#DataTable section');
      await place.getByRole('row', { name: '1', exact: true }).focus();
      // A scrolled pixel is ten pixels of rows here, so centring the row would pass it by.
      const scrolled = await place.evaluate((element) => {
        const key = new KeyboardEvent('keydown', { key: 'End', bubbles: true });
        document.activeElement?.dispatchEvent(key);
        element.scrollTop -= 3;
        return element.scrollTop;
      });
      await expect.poll(() => focusedRow(page)).toBe('1000000');
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      expect(await place.evaluate(({ scrollTop }) => scrollTop)).toBe(scrolled);
      expect(await focusedRow(page)).toBe('1000000');
    });
  });

  it('has accessible overlays: a dialog, a menu and messages', async () => {
    await open('ru', { viewport: { width: 360, height: 800 } }, async (page) => {
      await page.getByRole('button', { name: 'Dialog' }).click();
      await page.getByRole('dialog').waitFor();
      await expectGood(page, 'kit-dialog');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Menu' }).click();
      await expectGood(page, 'kit-menu');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Toast' }).click();
      await page.getByRole('button', { name: 'Fault' }).click();
      await expectGood(page, 'kit-toasts');
    });
  });
});

const focusedRow = (page: Tab['page']): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.textContent ?? undefined);

/** Whether an element is within the visible part of another one. */
async function isInside(inner: Locator, outer: Locator): Promise<boolean> {
  const [one, other] = await Promise.all([inner.boundingBox(), outer.boundingBox()]);
  if (!one || !other) return false;
  return one.y >= other.y && one.y + one.height <= other.y + other.height + 1;
}
