import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

const svg = (color: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="32" viewBox="0 0 96 32"><script>alert(1)</script><rect width="96" height="32" rx="6" fill="${color}"/></svg>`,
  );
const logo = { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: svg('#b45309') };

requireService('chromium', hasChromium)('the appearance in the console', () => {
  const tabs = useConsoleTabs();
  const themes = '/api/userinfo/themes';
  const stored = async () => (await tabs.stand.world.admin(`GET ${themes}`)).body;
  const store = async (changes: object) =>
    tabs.stand.world.admin(`PUT ${themes}`, { ...(await stored()), ...changes });
  const scene = (page: Page, scheme: 'light' | 'dark') => page.locator(`[data-preview="${scheme}"]`);
  const primary = (page: Page) => page.getByRole('textbox', { name: 'Primary colour', exact: true });

  it('is previewed while it is typed, and warns of colours that are hard to read', async () => {
    const page = await tabs.open('/theme');
    await page.getByLabel('Name of the installation').fill('Harbour');
    await page.getByLabel('Text on the sign-in page').fill('Only for the crew.');
    for (const scheme of ['light', 'dark'] as const) {
      await scene(page, scheme).getByText('Harbour').first().waitFor();
      await scene(page, scheme).getByText('Only for the crew.').waitFor();
    }
    await primary(page).fill('#ffd400');
    await page.getByText('Hard to read as text on light pages').waitFor();
    expect(await page.getByText('Hard to read as text on dark pages').count()).toBe(0);
    await page.getByText('1.3 : 1').waitFor();
    const button = scene(page, 'light').getByText('Connect', { exact: true });
    const colors = () =>
      button.evaluate((element) => {
        const { backgroundColor, color } = getComputedStyle(element.closest('button') ?? element);
        return [backgroundColor, color];
      });
    await expect.poll(colors).toEqual(['rgb(255, 212, 0)', 'rgb(0, 0, 0)']);
    await expectGood(page, 'theme-low-contrast');
    expect((await stored()).site_name).not.toBe('Harbour');
    await page.getByRole('button', { name: 'Discard' }).click();
    await scene(page, 'light').getByText('Aggregator portal').first().waitFor();
  });

  it('is saved with a picture, which is sanitised, and shown by the sign-in page', async () => {
    const page = await tabs.open('/theme');
    await page.getByLabel('Name of the installation').fill('Harbour');
    await page.getByLabel('Logo').setInputFiles({ ...logo, name: 'logo.gif', mimeType: 'image/gif' });
    await page.getByText('The file cannot be read as a picture.').waitFor();
    await page.getByLabel('Logo').setInputFiles(logo);
    await scene(page, 'dark').locator('img').first().waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Pages show it when they are loaded again').waitFor();
    const { site_name, logo: saved } = await stored();
    expect(site_name).toBe('Harbour');
    expect(Buffer.from(saved.split(',')[1], 'base64').toString()).not.toContain('script');
    await page.reload();
    await page.getByRole('banner').getByText('Harbour').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByLabel('Name of the installation').fill('Aggregator portal');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await stored()).logo, { timeout: 20_000 }).toBeNull();
  });

  it('names a refused value at its input', async () => {
    const page = await tabs.open('/theme');
    await page.getByLabel('Link to the support').fill('javascript:alert(1)');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('One entry is not valid').waitFor();
    await expect.poll(() => page.getByLabel('Link to the support').getAttribute('aria-invalid')).toBe('true');
  });

  it('asks which values to keep if another administrator has changed it', async () => {
    const page = await tabs.open('/theme');
    await page.getByLabel('Text in the footer').fill('Mine');
    await store({ footer_text: 'Theirs', copyright: '© Theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Changed by another administrator').waitFor();
    await dialog.getByRole('radio', { name: 'Text in the footer: Mine' }).check();
    await dialog.getByRole('button', { name: 'Save the chosen values' }).click();
    await page.getByText('Pages show it when they are loaded again').waitFor();
    expect(await stored()).toMatchObject({ footer_text: 'Mine', copyright: '© Theirs' });
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    await store({ footer_text: 'Operated by the harbour', copyright: '© Harbour', login_text: 'Welcome.' });
    for (const [locale, colorScheme, width] of looks) {
      const page = await tabs.open('/theme', { locale, colorScheme, viewport: { width, height: 900 } });
      await scene(page, 'dark').waitFor();
      await page.locator('input[type=file]').first().setInputFiles(logo);
      await scene(page, 'dark').locator('img').first().waitFor();
      await expectGood(page, `theme-${locale}-${colorScheme}`);
    }
  });
});
