import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addFarm, addSite, addUser } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('records in the console', () => {
  const tabs = useConsoleTabs(async ({ world: { admin } }) => {
    for (const name of ['Amber', 'Birch', 'Cedar']) {
      const site = await addSite(admin, { name, uri: name.toLowerCase() });
      await addFarm(admin, site, { name: `${name} farm`, weight: name.length });
    }
  });
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const names = async (page: Page) => (await page.getByRole('rowheader').allInnerTexts()).filter(Boolean);

  it('lists, searches, filters and sorts, and keeps all of it in the address', async () => {
    const page = await tabs.open('/farm');
    await row(page, 'Cedar farm').waitFor();
    await page.getByRole('searchbox').fill('birch');
    await expect.poll(() => names(page)).toEqual(['Birch farm']);
    expect(page.url()).toContain('search=birch');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Site' }).fill('ced');
    await page.getByRole('option', { name: 'Cedar' }).click();
    await expect.poll(() => names(page)).toEqual(['Cedar farm']);
    await page.reload();
    await row(page, 'Cedar farm').waitFor();
    expect(await names(page)).toEqual(['Cedar farm']);
    await page.getByRole('button', { name: 'Remove the filter Site' }).click();
    const header = page.getByRole('columnheader', { name: 'Name' });
    await header.getByRole('button').click();
    await expect.poll(async () => (await names(page))[0]).toContain('farm-');
    expect(await header.getAttribute('aria-sort')).toBe('descending');
  });

  it('creates, changes and deletes a record', async () => {
    const page = await tabs.open('/site');
    await page.getByRole('link', { name: 'Create site' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Dover');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('One entry is not valid').waitFor();
    await page.getByLabel('Name in URLs').fill('dover');
    await page.getByRole('button', { name: 'Try first' }).click();
    await page.getByRole('dialog').getByText('Nothing is changed yet.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Dover', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Comments').fill('By the sea');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').filter({ hasText: 'By the sea' }).waitFor();
    await page.getByText('History').click();
    await page.getByText('Changed').waitFor();
    await page.getByRole('button', { name: 'Restore this version' }).click();
    await page.getByRole('dialog').getByRole('row').filter({ hasText: 'By the sea' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore this version' }).click();
    await page.getByText('The version is restored').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Dover is deleted').waitFor();
    await expect.poll(() => names(page)).not.toContain('Dover');
  });

  it('shows users and groups that it refers to as links to their pages', async () => {
    const { world } = tabs.stand;
    const user = await addUser(world.admin, world.domain, { name: 'referred' });
    const [site] = (await world.admin('GET /api/webui/aggregator/sites?search=Amber')).body.items;
    await world.admin(`PATCH /api/webui/aggregator/sites/${site.id}`, { users: [user.id] });
    const page = await tabs.open(`/site/${site.id}`);
    await page.getByRole('link', { name: 'referred' }).click();
    await page.getByRole('heading', { name: 'referred', level: 1 }).waitFor();
    expect(page.url()).toContain(`auth_uuid=${world.domain.id}`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Amber', level: 1 }).waitFor();
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open('/farm', {
        locale,
        colorScheme: scheme,
        viewport: { width, height: 900 },
      });
      await row(page, 'Amber farm').waitFor();
      await expectGood(page, `records-list-${locale}-${scheme}`);
      await page.getByRole('rowheader').getByRole('link').first().click();
      await page.getByRole('definition').first().waitFor();
      await expectGood(page, `records-record-${locale}-${scheme}`);
      await goTo(page, '/rule/new');
      await page.getByRole('group').first().waitFor();
      await expectGood(page, `records-form-${locale}-${scheme}`);
    }
  });
});
