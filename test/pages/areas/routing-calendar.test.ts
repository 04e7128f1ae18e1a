import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addFarm, addMember, addSite, addTemplate, base, goodPassword } from '../../support/factories.ts';
import { inMinutes } from '../../support/fleet/maintenance.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

const day = 24 * 60;
requireService('chromium', hasChromium)('the maintenance calendar in the console', () => {
  let north: Json;
  const tabs = useConsoleTabs(async ({ world: { admin } }) => {
    const period = (start: number, end: number | null) => ({
      start_at: inMinutes(start * day),
      end_at: end === null ? null : inMinutes(end * day),
    });
    const disks = await addTemplate(admin, { name: 'disks', title: 'New disks', ...period(3, 6) });
    const move = await addTemplate(admin, {
      name: 'Move to hall 2',
      ...period(10, null),
      logoff_sessions: true,
    });
    const weekend = await addTemplate(admin, { name: 'Weekend', ...period(4, 16) });
    await addTemplate(admin, { name: 'Forgotten', ...period(5, 5.2) });
    const maintain = (path: string, template?: Json) =>
      admin(`PATCH ${base}/${path}`, {
        maintenance: true,
        ...(template && { maintenance_template_id: template.id }),
      });
    north = await addSite(admin, { name: 'North', uri: 'north' });
    const south = await addSite(admin, { name: 'South', uri: 'south' });
    for (const [site, name, template] of [
      [north, 'Oak', disks],
      [north, 'Pine', move],
      [south, 'Elm', undefined],
      [south, 'Ash', disks],
    ] as const) {
      const farm = await addFarm(admin, site, { name });
      await maintain(`farms/${farm.id}`, template);
    }
    await addFarm(admin, south, { name: 'Birch' });
    await maintain(`sites/${south.id}`, weekend);
  });
  const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('rowheader') });
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

  it('has a row for each object by site, and finds templates that apply to nothing', async () => {
    const page = await tabs.open('/calendar');
    await row(page, 'Farm Oak').waitFor();
    await expect.poll(() => rows(page).count()).toBe(7);
    expect(await row(page, 'Farm Oak').innerText()).toContain('Planned');
    expect(await row(page, 'Farm Elm').innerText()).toContain('In effect');
    await page.getByRole('link', { name: 'Forgotten' }).waitFor();
    await row(page, 'Farm Oak').getByRole('link', { name: 'New disks: Oak' }).click();
    await page.getByRole('heading', { name: 'disks', level: 1 }).waitFor();
  });

  it('moves by four weeks, and is limited to a site', async () => {
    const page = await tabs.open(`/calendar?site_id=${north.id}`);
    await row(page, 'Farm Oak').waitFor();
    expect(await row(page, 'Farm Ash').count()).toBe(0);
    await page.getByRole('button', { name: 'Later' }).click();
    await expect.poll(() => row(page, 'Farm Oak').count()).toBe(0);
    await row(page, 'Farm Pine').waitFor();
    expect(page.url()).toContain('from=');
    await page.getByRole('button', { name: 'Today' }).click();
    await row(page, 'Farm Oak').waitFor();
  });

  it('plans a maintenance by the keyboard, after a trial', async () => {
    const page = await tabs.open('/calendar');
    await row(page, 'Farm Oak').waitFor();
    await page.getByRole('button', { name: 'Plan maintenance' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Without a template the maintenance starts at once').waitFor();
    const choose = async (name: string, text: string) => {
      await dialog.getByRole('combobox', { name }).fill(text);
      await dialog.getByRole('option', { name: text }).waitFor();
      await page.keyboard.press('Enter');
    };
    await dialog.getByRole('combobox', { name: 'Farm', exact: true }).waitFor();
    await choose('Farm', 'Birch');
    await choose('Template', 'disks');
    await dialog.getByRole('button', { name: 'Try first' }).press('Enter');
    await dialog.getByRole('row').filter({ hasText: 'Maintenance' }).first().waitFor();
    expect(await row(page, 'Farm Birch').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Plan maintenance' }).press('Enter');
    await row(page, 'Farm Birch').waitFor();
    expect(await dialog.count()).toBe(0);
  });

  it('shows only the sites of the administrator, and nothing that is not allowed', async () => {
    const { world } = tabs.stand;
    await addMember(world, ['maintenance.read', 'sites.read'], [north.id], { name: 'narrow' });
    const account = { domain: world.domain.name, name: 'narrow', password: goodPassword };
    const page = await tabs.open('/calendar', {}, account);
    await row(page, 'Farm Oak').waitFor();
    expect(await row(page, 'Farm Ash').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Plan maintenance' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New template' }).count()).toBe(0);
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open('/calendar', {
        locale,
        colorScheme: scheme,
        viewport: { width, height: 900 },
      });
      await row(page, 'Oak').waitFor();
      await expectGood(page, `routing-calendar-${locale}-${scheme}`);
      await goTo(page, '/calendar?from=2030-01-01');
      await row(page, 'Elm').waitFor();
    }
    const page = await tabs.open('/calendar');
    await page.getByRole('button', { name: 'Plan maintenance' }).click();
    await page.getByRole('dialog').waitFor();
    await expectGood(page, 'routing-plan');
  });
});
