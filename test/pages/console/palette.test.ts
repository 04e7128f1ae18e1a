import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addDomain, addFarm, addMember, addSite, addUser, goodPassword } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { startConsoleFleet } from '../../support/pages/console-fleet.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasChromium)('the palette', () => {
  let domain: Json;
  const tabs = useConsoleTabs(async ({ world, origin }) => {
    const fleet = await startConsoleFleet(world, origin);
    await fleet.close();
    for (const name of ['Amber', 'Birch', 'Cedar']) {
      const site = await addSite(world.admin, { name, uri: name.toLowerCase() });
      await addFarm(world.admin, site, { name: `${name} farm` });
    }
    domain = await addDomain(world.admin, { name: 'Company' });
    await addUser(world.admin, domain, { name: 'amber.jones' });
  });
  const palette = (page: Page) => page.getByRole('dialog', { name: 'Search objects, pages and actions' });
  const input = (page: Page) => palette(page).getByRole('combobox');
  const option = (page: Page, name: string | RegExp) => palette(page).getByRole('option', { name });
  const groups = async (page: Page) =>
    (await palette(page)
      .getByRole('group')
      .evaluateAll((all) =>
        all.map((one) => document.getElementById(one.getAttribute('aria-labelledby') ?? '')?.textContent),
      )) as string[];
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
  const openPalette = async (page: Page) => {
    await page.keyboard.press('Control+k');
    await input(page).waitFor();
  };

  it('finds objects of all kinds, pages and actions by keyboard only', async () => {
    const page = await tabs.open('/');
    await page.getByRole('navigation', { name: 'Pages of the console' }).waitFor();
    await openPalette(page);
    expect(await groups(page)).toEqual(['Pages', 'Actions']);
    await input(page).fill('amber');
    await option(page, 'amber.jones Company').waitFor();
    expect(await groups(page)).toEqual(['Domain users', 'Sites', 'Farms']);
    await page.keyboard.press('ArrowDown');
    const active = await input(page).getAttribute('aria-activedescendant');
    expect(await page.locator(`#${active}`).textContent()).toContain('Amber');
    expect(await page.getByRole('option', { selected: true }).count()).toBe(1);
    await page.keyboard.press('Enter');
    await heading(page, 'Amber').waitFor();
    expect(await palette(page).count()).toBe(0);
    await openPalette(page);
    await input(page).fill('amber.j');
    await option(page, 'amber.jones Company').waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'amber.jones').waitFor();
    expect(page.url()).toContain(`auth_uuid=${domain.id}`);
    await openPalette(page);
    expect((await groups(page))[0]).toBe('Opened last');
    await option(page, 'Amber Site').waitFor();
    await input(page).fill('create si');
    await option(page, 'Create site').waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name in URLs').waitFor();
    await page.getByLabel('Name', { exact: true }).focus();
    await openPalette(page);
    await input(page).fill('zzz nothing');
    await palette(page).getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
  });

  it('finds pools, workplaces and sessions, and opens their lists limited to them', async () => {
    const page = await tabs.open('/');
    await openPalette(page);
    await input(page).fill('libr');
    await option(page, 'Library West farm').click();
    await heading(page, 'Service pools').waitFor();
    await page.getByRole('row').filter({ hasText: 'Library' }).waitFor();
    expect(page.url()).toContain('search=Library');
  });

  it('opens an entry in a new tab with Ctrl-Enter, and stays', async () => {
    const page = await tabs.open('/');
    await openPalette(page);
    await input(page).fill('birch');
    await option(page, /^Birch$/).waitFor();
    const opened = page.context().waitForEvent('page');
    await page.keyboard.press('Control+Enter');
    const other = await opened;
    await other.getByRole('heading', { level: 1, name: 'Birch' }).waitFor();
    expect(await palette(page).count()).toBe(1);
  });

  it('keeps what it has found while the portal does not respond, and says so', async () => {
    const page = await tabs.open('/');
    await openPalette(page);
    await page.route('**/aggregator/search*', (route) => route.abort());
    await input(page).fill('sites');
    await palette(page).getByText('The portal does not respond').waitFor();
    await option(page, /^Sites/).waitFor();
    await page.unroute('**/aggregator/search*');
    await input(page).fill('cedar');
    await option(page, 'Cedar farm').waitFor();
  });

  it('offers only what the user may use', async () => {
    const { world } = tabs.stand;
    const site = await addSite(world.admin, { name: 'Own site' });
    const { user } = await addMember(world, ['sites.read', 'dashboard.read'], [site.id]);
    const account = { domain: world.domain.name, name: user.name, password: goodPassword };
    const page = await tabs.open('/', undefined, account);
    await openPalette(page);
    await option(page, /^Sites/).waitFor();
    expect(await option(page, /Create|Farms|Roles/).count()).toBe(0);
    await input(page).fill('site');
    await option(page, /^Own site$/).waitFor();
    await input(page).fill('amber');
    await palette(page).getByText('Nothing found').waitFor();
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open('/farm', {
        locale,
        colorScheme: scheme,
        viewport: { width, height: 800 },
      });
      await page.getByRole('row').filter({ hasText: 'Amber farm' }).waitFor();
      await expectGood(page, `palette-button-${locale}-${scheme}`);
      await page.keyboard.press('Control+k');
      const field = page.getByRole('dialog').getByRole('combobox');
      await field.waitFor();
      await expectGood(page, `palette-empty-${locale}-${scheme}`);
      await field.fill('am');
      await page.getByRole('option', { name: 'Amber farm' }).waitFor();
      await expectGood(page, `palette-found-${locale}-${scheme}`);
      await page.keyboard.press('Escape');
      await goTo(page, '/site');
      await page.getByRole('row').filter({ hasText: 'Amber' }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByRole('checkbox').waitFor();
      await expectGood(page, `palette-keys-${locale}-${scheme}`);
    }
  });
});
