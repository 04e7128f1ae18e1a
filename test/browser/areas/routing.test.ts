import { afterAll, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { base, goodPassword } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { type RoutingFleet, startRoutingFleet } from '../../support/pages/routing-fleet.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

const looks = [
  ['en-GB', 'light', 1280],
  ['ru-RU', 'dark', 360],
  ['ru-RU', 'light', 768],
  ['en-GB', 'dark', 1920],
] as const;

requireService('chromium', hasChromium)('Why? in the console', () => {
  let fleet: RoutingFleet;
  const tabs = useConsoleTabs(async ({ world, origin }) => {
    fleet = await startRoutingFleet(world, origin);
  });
  afterAll(() => fleet?.close());
  const why = () => `/why?user=${fleet.ada.id}&rule=${fleet.rule.id}`;
  const node = (page: Page, farm: string) =>
    page.locator('li[data-outcome]').filter({ has: page.getByRole('heading', { name: farm }) });

  it('shows the order of the pools, each obstacle, and the record that removes it', async () => {
    const page = await tabs.open(why());
    await page.getByText('ada would be connected to Office at Ash').waitFor();
    const outcomes = await page
      .locator('li[data-outcome]')
      .evaluateAll((items) => items.map((item) => item.getAttribute('data-outcome')));
    expect(outcomes).toEqual(['chosen', 'candidate', 'excluded', 'excluded']);
    await node(page, 'Ash').getByText('The priority group Near the sea ranks the farm 1').waitFor();
    await node(page, 'Oak').getByText('The farm is in maintenance until').waitFor();
    await node(page, 'Pine').getByText('are blocked').waitFor();
    expect(await node(page, 'Pine').getByRole('link', { name: 'Open the node pine-1' }).count()).toBe(1);
    await node(page, 'Oak').getByRole('link', { name: 'Open the farm Oak' }).click();
    await page.getByRole('heading', { name: 'Oak', level: 1 }).waitFor();
  });

  it('changes at once when a record is changed', async () => {
    const { admin } = tabs.stand.world;
    const page = await tabs.open(why());
    await page.getByText('connected to Office at Ash').waitFor();
    await admin(`PATCH ${base}/farms/${fleet.farms.ash.id}`, { enabled: false });
    await page.getByText('connected to Office at Elm').waitFor();
    await node(page, 'Ash').getByText('The farm is disabled.').waitFor();
    await admin(`PATCH ${base}/farms/${fleet.farms.ash.id}`, { enabled: true });
    await page.getByText('connected to Office at Ash').waitFor();
  });

  it('is chosen by the keyboard, on a page and in a rule, and has an address of its own', async () => {
    const page = await tabs.open('/why');
    await page.getByText('Choose a user and a rule').waitFor();
    await page.getByRole('combobox', { name: 'User' }).fill('ad');
    await page.getByRole('option', { name: 'ada' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Rule' }).fill('office');
    await page.getByRole('option', { name: 'Office for all' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('connected to Office at Ash').waitFor();
    expect(page.url()).toContain(`user=${fleet.ada.id}`);
    await goTo(page, `/rule/${fleet.rule.id}`);
    await page.getByRole('combobox', { name: 'User' }).fill('ada');
    await page.getByRole('option', { name: 'ada' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('connected to Office at Ash').waitFor();
    await page.getByRole('link', { name: 'Open as a page with a link' }).click();
    await page.getByRole('heading', { name: 'Why?', level: 1 }).waitFor();
  });

  it('is limited to the sites of the administrator', async () => {
    const { world } = tabs.stand;
    const account = { domain: world.domain.name, name: 'narrow', password: goodPassword };
    const page = await tabs.open('/why', {}, account);
    await page.getByRole('combobox', { name: 'User' }).fill('ada');
    await page.getByRole('option', { name: 'ada' }).click();
    await page.getByRole('combobox', { name: 'Rule' }).fill('o');
    await page.getByRole('option', { name: 'Office for all' }).click();
    await page.getByText('connected to Office at Ash').waitFor();
    const { body: elsewhere } = await world.admin(`POST ${base}/rules`, {
      name: 'Elsewhere',
      site_id: fleet.other.id,
      match_tags: { any: ['office'], all: [] },
    });
    await goTo(page, `/why?user=${fleet.ada.id}&rule=${elsewhere.id}`);
    await page.getByRole('alert').waitFor();
    expect(await page.locator('li[data-outcome]').count()).toBe(0);
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open(why(), { locale, colorScheme: scheme, viewport: { width, height: 900 } });
      await page.locator('li[data-outcome=excluded]').first().waitFor();
      await expectGood(page, `routing-why-${locale}-${scheme}`);
    }
  });
});
