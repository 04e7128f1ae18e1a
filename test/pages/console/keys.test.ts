import { expect, it, vi } from 'vitest';
import type { Tab } from '../../e2e/support/browser.ts';
import { addSite, addTag } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('the keys of the console', () => {
  const tabs = useConsoleTabs(async ({ world: { admin } }) => {
    for (const name of ['Amber', 'Birch', 'Cedar']) await addSite(admin, { name });
    await addTag(admin, { name: 'night' });
  });
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  it('open pages, move in tables, select, open, edit, create and search', async () => {
    const page = await tabs.open('/');
    await page.getByRole('navigation', { name: 'Pages of the console' }).waitFor();
    await press(page, 'g', 's');
    await heading(page, 'Sites').waitFor();
    await row(page, 'Cedar').waitFor();
    await press(page, 'j');
    expect(await focused(page)).toContain('Amber');
    await press(page, 'j', 'x');
    expect(await focused(page)).toContain('Birch');
    await page.getByText('1 selected').waitFor();
    await press(page, 'k');
    expect(await focused(page)).toContain('Amber');
    await press(page, 'Enter');
    await heading(page, 'Amber').waitFor();
    await press(page, 'e');
    await heading(page, 'Edit Amber').waitFor();
    await press(page, 'g', 't');
    await heading(page, 'Tags').waitFor();
    await row(page, 'night').waitFor();
    await press(page, '/', 'n', 'i', 'g');
    expect(await page.getByRole('searchbox').inputValue()).toBe('nig');
    // Within an input, letters are letters.
    await press(page, 'c');
    expect(await page.getByRole('searchbox').inputValue()).toBe('nigc');
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await press(page, 'c');
    await page.getByRole('button', { name: 'Create' }).waitFor();
  });

  it('are the same keys in a Russian layout', async () => {
    const page = await tabs.open('/site');
    await row(page, 'Amber').waitFor();
    const type = (key: string, code: string) =>
      page.evaluate(
        (init) =>
          document.body.dispatchEvent(
            new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }),
          ),
        { key, code },
      );
    await type('п', 'KeyG');
    await type('е', 'KeyT');
    await heading(page, 'Tags').waitFor();
  });

  it('are listed, and those of a single key can be switched off', async () => {
    const page = await tabs.open('/site');
    await row(page, 'Amber').waitFor();
    await press(page, '?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Next row, previous row').waitFor();
    await dialog.getByRole('checkbox', { name: 'Shortcuts of a single key' }).uncheck();
    await press(page, 'Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await press(page, 'g', 't', '?', '/', 'c');
    expect(await focused(page)).not.toBe('');
    expect([await heading(page, 'Sites').count(), await dialog.count()]).toEqual([1, 0]);
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    await page.reload();
    await row(page, 'Amber').waitFor();
    await press(page, '?');
    expect(await dialog.count()).toBe(0);
    // The menu of the user opens the list, and switches them on again.
    await page.getByRole('button', { name: 'Administrator' }).click();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await dialog.getByRole('checkbox').check();
    await press(page, 'Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await press(page, 'g', 't');
    await heading(page, 'Tags').waitFor();
  });
});
