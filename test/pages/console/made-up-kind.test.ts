import '../../support/pages/sample-kind/type.ts';
import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addFarm, addSite } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { withSamples } from '../../support/pages/sample-kind/gateway.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });
const polled = <T>(read: () => T) => expect.poll(read, { timeout: 30_000 });

const invocation = {
  client: { ip: '127.0.0.1', secure: true, loopback: false },
  background: (work: Promise<unknown>) => void work.catch(() => undefined),
};

requireService('chromium', hasChromium)('a made-up kind of records', () => {
  let call: (route: string, body?: unknown) => Promise<{ status: number; body: Json }>;
  const tabs = useConsoleTabs(async (stand) => {
    const { world } = stand;
    const site = await addSite(world.admin, { name: 'Amber' });
    for (const name of ['First farm', 'Second farm']) await addFarm(world.admin, site, { name });
    const fetch = await withSamples(world);
    await stand.stop();
    await stand.restart(fetch);
    const token = await world.portal.login();
    call = async (route, body) => {
      const [method = 'GET', path = ''] = route.split(' ');
      const request = new Request(`${stand.origin}/api/webui/aggregator/samples${path}`, {
        method,
        headers: { 'x-auth-token': token, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = await fetch(request, invocation);
      return { status: answer.status, body: await answer.json().catch(() => null) };
    };
  });
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const names = async (page: Page) => (await page.getByRole('rowheader').allInnerTexts()).filter(Boolean);
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const value = (page: Page, label: string) =>
    page
      .locator('dl > div')
      .filter({ has: page.getByText(label, { exact: true }) })
      .getByRole('definition')
      .first();

  it('has an entry in the navigation and an empty list that says what to do', async () => {
    const page = await tabs.open('/');
    await page.getByRole('link', { name: 'Samples', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Samples' }).waitFor();
    await page.getByText('There are no records yet').waitFor();
    await expectGood(page, 'made-up-empty');
  });

  it('has a form with inputs of all types, a dry run, and faults at the members', async () => {
    const page = await tabs.open('/sample/new');
    await page.getByLabel('Name', { exact: true }).fill('Alpha');
    await page.getByLabel('Amount').fill('101');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('2 entries are not valid').waitFor();
    // The first of them has the focus, so that a long form needs no search.
    await polled(() =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-describedby') ?? ''),
    ).toContain('fault');
    await expectGood(page, 'made-up-faults');
    await page.getByLabel('Code').fill('AA');
    await page.getByLabel('Amount').fill('42');
    await page.getByLabel('Ratio').fill('0.25');
    await page.getByLabel('Comments').fill('First line\nSecond line');
    await page.getByLabel('Active').uncheck();
    await page.getByLabel('Mode').selectOption('quick');
    await page.getByLabel('Starts').fill('2030-05-04T10:30');
    await page.getByRole('combobox', { name: 'Site' }).fill('amb');
    await page.getByRole('option', { name: 'Amber' }).click();
    for (const farm of ['First farm', 'Second farm']) {
      await page.getByRole('combobox', { name: 'Farms' }).fill(farm);
      await page.getByRole('option', { name: farm }).click();
    }
    await page.getByLabel('Aliases').fill('one\ntwo');
    await page.getByLabel('Set Window').check();
    await page.getByLabel('From hour').fill('7');
    await page.getByRole('group', { name: 'Steps' }).getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Title').fill('Unpack');
    await page.getByLabel('Pin', { exact: true }).fill('123456');
    await page.getByRole('button', { name: 'Try first' }).click();
    await page.getByRole('dialog').getByText('Nothing is changed yet.').waitFor();
    await page.keyboard.press('Escape');
    expect((await call('GET ')).body.items).toEqual([]);
    await expectGood(page, 'made-up-form');
    await page.getByRole('button', { name: 'Create' }).click();
    await heading(page, 'Alpha').waitFor();
    expect((await call('GET ')).body.items).toMatchObject([
      {
        ...{ name: 'Alpha', code: 'AA', amount: 42, ratio: 0.25, comments: 'First line\nSecond line' },
        ...{ active: false, mode: 'quick', aliases: ['one', 'two'], pin: null, pin_set: true },
        ...{ window: { from_hour: 7, note: '' }, steps: [{ title: 'Unpack', minutes: 5 }] },
        farms: [expect.any(String), expect.any(String)],
        site_id: expect.any(String),
        starts_at: expect.stringMatching(/^2030-05-04T/),
      },
    ]);
    await page.getByRole('link', { name: 'Amber' }).waitFor();
    await page.getByRole('link', { name: 'Second farm' }).waitFor();
    expect(await value(page, 'Mode').innerText()).toBe('Quick');
    expect(await page.getByText('123456').count()).toBe(0);
    await expectGood(page, 'made-up-record');
  });

  it('is changed, cleared, restored from its history, and conflicts are resolved', async () => {
    const [alpha] = (await call('GET ?search=alpha')).body.items;
    const page = await tabs.open(`/sample/${alpha.id}/edit`);
    await page.getByLabel('Ratio').fill('');
    await page.getByLabel('Set Window').uncheck();
    await page.getByRole('button', { name: 'Remove Amber' }).click();
    await page.getByRole('button', { name: 'Remove 1' }).click();
    expect(await page.getByLabel('Code').isDisabled()).toBe(true);
    expect((await call(`PATCH /${alpha.id}`, { amount: 50 })).status).toBe(200);
    await page.getByLabel('Amount').fill('60');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Amount: Mine' }).check();
    await dialog.getByRole('button', { name: 'Save the chosen values' }).click();
    await heading(page, 'Alpha').waitFor();
    const changed = (await call(`GET /${alpha.id}`)).body;
    expect(changed).toMatchObject({
      ...{ amount: 60, ratio: null, window: null, site_id: null, steps: [], mode: 'quick' },
    });
    await page.getByText('History').click();
    await page.getByRole('button', { name: 'Restore this version' }).last().click();
    await dialog.getByRole('button', { name: 'Restore this version' }).click();
    await page.getByText('The version is restored').waitFor();
    expect((await call(`GET /${alpha.id}`)).body).toMatchObject({ amount: 42, window: { from_hour: 7 } });
  });

  it('is searched, filtered, sorted, deleted and deleted in bulk', async () => {
    for (const [name, amount] of [
      ['Beta', 7],
      ['Gamma', 90],
      ['Delta', 30],
    ] as const)
      await call('POST ', { name, amount, code: 'XX' });
    const page = await tabs.open('/sample');
    await polled(() => names(page)).toEqual(['Alpha', 'Beta', 'Delta', 'Gamma']);
    await expectGood(page, 'made-up-list');
    await page.getByRole('button', { name: 'Amount' }).click();
    await polled(() => names(page)).toEqual(['Beta', 'Delta', 'Alpha', 'Gamma']);
    await page.getByRole('searchbox').fill('ta');
    await polled(() => names(page)).toEqual(['Beta', 'Delta']);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'Filters' }).click();
    const filters = page.getByRole('group', { name: 'Filters' });
    await filters.getByLabel('Mode').selectOption('quick');
    await polled(() => names(page)).toEqual(['Alpha']);
    await filters.getByLabel('Mode').selectOption('');
    await filters.getByLabel('Active').selectOption('true');
    await polled(() => names(page)).toEqual(['Beta', 'Delta', 'Gamma']);
    for (const name of ['Beta', 'Gamma'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Try first' }).click();
    await page.getByText('2 records would be deleted, none refused.').waitFor();
    expect((await call('GET ')).body.items).toHaveLength(4);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 records are deleted').waitFor();
    await polled(() => names(page)).toEqual(['Delta']);
    await row(page, 'Delta').getByRole('link').first().click();
    await heading(page, 'Delta').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Delta is deleted').waitFor();
    expect((await call('GET ')).body.items.map(({ name }: Json) => name)).toEqual(['Alpha']);
  });

  it('has words in Russian, and is good to look at on a phone', async () => {
    const look = { locale: 'ru-RU', viewport: { width: 360, height: 800 }, colorScheme: 'dark' } as const;
    const page = await tabs.open('/sample', look);
    await row(page, 'Alpha').waitFor();
    await expectGood(page, 'made-up-list-ru');
    await goTo(page, '/sample/new');
    await page.getByRole('group').first().waitFor();
    await expectGood(page, 'made-up-form-ru');
  });
});
