import { afterAll, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addTag, base, goodPassword } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { type RoutingFleet, startRoutingFleet } from '../../support/pages/routing-fleet.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasChromium)('routing in the console', () => {
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

  it('is opened from the page of a user', async () => {
    const { domain } = tabs.stand.world;
    const page = await tabs.open(`/user/${fleet.ada.id}?auth_uuid=${domain.id}`);
    await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
    await page.locator('a[href*="/why?user="]').click();
    await page.getByText('Choose a user and a rule').waitFor();
    expect(page.url()).toContain(`user=${fleet.ada.id}`);
  });

  it('adds a tag to selected domains, and removes it', async () => {
    const { admin, domain } = tabs.stand.world;
    await addTag(admin, { name: 'head-office' });
    const page = await tabs.open('/authenticator');
    const tagsNow = async () => (await admin(`GET ${base}/authenticators/${domain.id}`)).body.tags;
    for (const [action, expected] of [
      ['Add a tag', ['head-office']],
      ['Remove a tag', []],
    ] as const) {
      await page.getByRole('checkbox', { name: `Select ${domain.name}` }).check();
      await page.getByRole('button', { name: action }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox', { name: 'Tag' }).fill('head');
      await dialog.getByRole('option', { name: 'head-office' }).waitFor();
      await page.keyboard.press('Enter');
      const before = await tagsNow();
      await dialog.getByRole('button', { name: 'Try first' }).click();
      await dialog.getByRole('listitem').filter({ hasText: domain.name }).waitFor();
      expect(await tagsNow()).toEqual(before);
      await dialog.getByRole('button', { name: action }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await tagsNow()).toEqual(expected);
    }
    await goTo(page, '/tag?search=head');
    await page.getByRole('link', { name: 'head-office' }).click();
    await page.getByRole('link', { name: 'Authentication domains: head-office' }).click();
    await page.getByText('No records match').waitFor();
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

  it('orders the farms of a priority group by the keyboard, by dragging, and as equals', async () => {
    const page = await tabs.open(`/priority_group/${fleet.group.id}/edit`);
    const farms = page.getByRole('group', { name: 'Farms' });
    const ranks = async () => {
      const lines = await farms.getByRole('listitem').allInnerTexts();
      return lines.map((line) => line.split(/\s+/).slice(0, 2).join(' '));
    };
    await farms.getByRole('listitem').filter({ hasText: 'As good as Ash' }).waitFor();
    await expect.poll(ranks).toEqual(['1 Ash', '2 Elm']);
    await farms.getByRole('combobox', { name: 'Add a farm' }).fill('oak');
    await page.getByRole('option', { name: 'Oak' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(ranks).toEqual(['1 Ash', '2 Elm', '3 Oak']);
    const up = farms.getByRole('button', { name: 'Move Oak up' });
    await up.focus();
    await page.keyboard.press('Enter');
    await expect.poll(ranks).toEqual(['1 Ash', '2 Oak', '3 Elm']);
    await page.keyboard.press('Enter');
    await expect.poll(ranks).toEqual(['1 Oak', '2 Ash', '3 Elm']);
    await farms.getByText('Oak: place 1 of 3').waitFor({ state: 'attached' });
    await farms.getByRole('checkbox', { name: 'As good as Ash' }).press('Space');
    await expect.poll(ranks).toEqual(['1 Oak', '2 Ash', '2 Elm']);
    await farms.locator('[data-item] > :first-child').first().hover();
    await page.mouse.down();
    await farms.getByRole('listitem').nth(2).hover();
    await page.mouse.up();
    await expect.poll(ranks).toEqual(['1 Ash', '1 Elm', '2 Oak']);
    await expectGood(page, 'routing-group-form');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Near the sea', level: 1, exact: true }).waitFor();
    const { body } = await tabs.stand.world.admin(`GET ${base}/priority_groups/${fleet.group.id}`);
    const rankOf = (farm: Json) => body.farms.find((one: Json) => one.farm_id === farm.id)?.priority;
    const { oak, elm, ash } = fleet.farms;
    expect([rankOf(ash), rankOf(elm), rankOf(oak)]).toEqual([1, 1, 2]);
    await tabs.stand.world.admin(`PATCH ${base}/priority_groups/${fleet.group.id}`, {
      farms: fleet.group.farms,
    });
  });

  it('chooses the pools of a rule by name, and shows their state', async () => {
    const { admin } = tabs.stand.world;
    const page = await tabs.open(`/rule/new?site_id=${fleet.site.id}`);
    await page.getByLabel('Name', { exact: true }).fill('Chosen by name');
    const pools = page.getByRole('group', { name: 'Pools', exact: true });
    for (const farm of ['Elm', 'Oak']) {
      await pools.getByRole('combobox', { name: 'Add a pool' }).fill('off');
      await page.getByRole('option').filter({ hasText: farm }).click();
      await pools
        .getByRole('listitem')
        .filter({ hasText: `Office · ${farm}` })
        .waitFor();
    }
    await pools.getByRole('button', { name: 'Move Office · Oak up' }).press('Enter');
    await expectGood(page, 'routing-rule-form');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Chosen by name', level: 1 }).waitFor();
    const now = page.getByRole('region', { name: 'Pools now' });
    await now.getByText('Farm in maintenance').waitFor();
    expect(await now.getByRole('listitem').count()).toBe(2);
    await expectGood(page, 'routing-rule-page');
    const { body } = await admin(`GET ${base}/rules?search=chosen`);
    const { oak, elm } = fleet.farms;
    expect(
      body.items[0].members
        .toSorted((a: Json, b: Json) => a.priority - b.priority)
        .map(({ farm_id, servicepool_uuid }: Json) => [farm_id, servicepool_uuid]),
    ).toEqual([
      [oak.id, fleet.pools[0]],
      [elm.id, fleet.pools[2]],
    ]);
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open(why(), { locale, colorScheme: scheme, viewport: { width, height: 900 } });
      await page.locator('li[data-outcome=excluded]').first().waitFor();
      await expectGood(page, `routing-why-${locale}-${scheme}`);
      await goTo(page, `/priority_group/${fleet.group.id}/edit`);
      await page.getByRole('listitem').filter({ hasText: 'Ash' }).first().waitFor();
      await expectGood(page, `routing-group-${locale}-${scheme}`);
      await goTo(page, `/rule/${fleet.rule.id}`);
      await page.getByRole('listitem').filter({ hasText: 'Pine' }).first().waitFor();
      await expectGood(page, `routing-rule-${locale}-${scheme}`);
    }
  });
});
