import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addFarm, addSite } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
const polled = <T>(read: () => T) => expect.poll(read, { timeout: 30_000 });
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasChromium)('the saved views of a list', () => {
  const tabs = useConsoleTabs(async ({ world: { admin } }) => {
    for (const name of ['Amber', 'Birch', 'Cedar'])
      await addFarm(admin, await addSite(admin, { name }), { name: `${name} farm` });
  });
  const names = async (page: Page) => (await page.getByRole('rowheader').allInnerTexts()).filter(Boolean);
  const chips = (page: Page) => page.getByRole('list', { name: 'Saved views' });
  const chip = (page: Page, name: string) => chips(page).getByRole('link', { name });
  const current = (page: Page) => chips(page).locator('a[aria-current]');
  const dialog = (page: Page) => page.getByRole('dialog');
  const inMenu = async (page: Page, view: string, item: string) => {
    await page.getByRole('button', { name: `Change the view ${view}` }).click();
    await page.getByRole('button', { name: item, exact: true }).click();
  };
  const save = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Save view' }).click();
    await dialog(page).getByLabel('Name of the view').fill(name);
    await page.keyboard.press('Enter');
    await chip(page, name).waitFor();
  };

  it('are saved, opened, shared as a link, renamed, replaced and deleted', async () => {
    const page = await tabs.open('/farm');
    await polled(() => names(page)).toContain('Birch farm');
    expect(await page.getByRole('button', { name: 'Save view' }).count()).toBe(0);
    await page.getByRole('searchbox').fill('birch');
    await save(page, 'Only birch');
    await polled(() => current(page).innerText()).toBe('Only birch');
    await chip(page, 'All').click();
    await polled(() => names(page)).toContain('Amber farm');
    await chip(page, 'Only birch').click();
    await polled(() => names(page)).toEqual(['Birch farm']);
    await page.getByRole('searchbox').fill('amber');
    await page.getByRole('button', { name: 'Save view' }).click();
    await dialog(page).getByLabel('Name of the view').fill('only BIRCH');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('The list already has a view with this name').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await inMenu(page, 'Only birch', 'Replace with what the list shows now');
    await polled(() => current(page).innerText()).toBe('Only birch');
    await inMenu(page, 'Only birch', 'Rename');
    await dialog(page).getByLabel('Name of the view').fill('Only amber');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await chip(page, 'Only amber').click();
    await polled(() => names(page)).toEqual(['Amber farm']);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await inMenu(page, 'Only amber', 'Copy the link');
    await page.getByText('The link is copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toBe(`${tabs.stand.origin}/console/#/farm?search=amber`);
    await inMenu(page, 'Only amber', 'Delete');
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await chips(page).waitFor({ state: 'detached' });
  });

  it('follow the user to another browser, and a default view opens with the list', async () => {
    const page = await tabs.open('/site?sort=-name');
    await page.getByRole('searchbox').fill('r');
    await polled(() => names(page)).toEqual(['Cedar', 'Birch', 'Amber']);
    await save(page, 'With r');
    await inMenu(page, 'With r', 'Open the list with this view');
    await chip(page, 'With r The list opens with this view').waitFor();
    const other = await tabs.open('/site');
    await polled(() => names(other)).toEqual(['Cedar', 'Birch', 'Amber']);
    expect(other.url()).toContain('search=r');
    await chip(other, 'All').click();
    await polled(async () => (await names(other)).length).toBeGreaterThan(3);
    await other.reload();
    await polled(async () => (await names(other)).length).toBeGreaterThan(3);
    await goTo(other, '/farm');
    await polled(() => names(other)).toContain('Amber farm');
    expect(await chips(other).count()).toBe(0);
    await goTo(other, '/site');
    await polled(() => names(other)).toEqual(['Cedar', 'Birch', 'Amber']);
    // What is emptied by hand stays empty.
    await other.getByRole('searchbox').fill('');
    await other.getByRole('button', { name: 'Name', exact: true }).click();
    await polled(async () => (await names(other)).length).toBeGreaterThan(3);
    expect(other.url()).toMatch(/sort=name$/);
  });

  it('are good to look at', async () => {
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open('/farm?search=a', {
        locale,
        colorScheme: scheme,
        viewport: { width, height: 800 },
      });
      await page.getByRole('row').filter({ hasText: 'Amber farm' }).waitFor();
      const [button] = await page.getByRole('button', { name: /Save view|Сохранить представление/ }).all();
      if (button) {
        await button.click();
        await page.getByRole('dialog').getByRole('textbox').fill(`Farms of Amber, sorted by weight ${width}`);
        await expectGood(page, `views-dialog-${locale}-${scheme}`);
        await page.getByRole('dialog').getByRole('checkbox').check();
        await page.keyboard.press('Enter');
      }
      await page.getByRole('list').locator('a[aria-current="true"]').waitFor();
      await page
        .getByRole('button', { name: /Change the view|Изменить представление/ })
        .first()
        .click();
      await expectGood(page, `views-${locale}-${scheme}`);
    }
  });
});
