import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { type ConsoleWorkplaces, startConsoleWorkplaces } from '../../support/pages/console-workplaces.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasChromium)('single pools, workplaces and sessions in the console', () => {
  let fleet: ConsoleWorkplaces;
  const tabs = useConsoleTabs(async (stand) => {
    fleet = await startConsoleWorkplaces(stand);
  });
  afterEach(() => fleet.reset());
  afterAll(() => fleet?.close());
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const dialog = (page: Page) => page.getByRole('dialog').last();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const pressInDialog = (page: Page, name: string) =>
    dialog(page).getByRole('button', { name, exact: true }).click();

  it('shows the capacity of a pool, and leads to its workplaces and sessions', async () => {
    const page = await tabs.open('/servicespool');
    await row(page, 'Office').getByText('2 of 6').waitFor();
    await row(page, 'Office').getByRole('link', { name: '6', exact: true }).click();
    await row(page, 'office-00001').waitFor();
    expect(await row(page, 'lab-00001').count()).toBe(0);
    const set = page.getByRole('list', { name: 'Set filters' });
    await set.getByText('Pool: Office').waitFor();
    await expectGood(page, 'fleet-of-pool');
    await row(page, 'office-00001').getByRole('link', { name: 'In use' }).click();
    await row(page, 'ada').waitFor();
    expect(await row(page, 'grace').count()).toBe(0);
    await set.getByText('Workplace: office-00001').waitFor();
    await row(page, 'ada').getByRole('link', { name: 'office-00001' }).click();
    await row(page, 'office-00001').waitFor();
  });

  it('finds the pool of a filter by its name', async () => {
    const page = await tabs.open('/workplace');
    await row(page, 'office-00001').waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Pool' }).fill('libr');
    await page.getByRole('option', { name: 'Library' }).click();
    await expect.poll(() => row(page, 'office-00001').count()).toBe(0);
    await row(page, 'library-00001').waitFor();
    await page.getByRole('list', { name: 'Set filters' }).getByText('Pool: Library').waitFor();
  });

  it('changes a pool, shows its policies and sends a message to its users', async () => {
    const page = await tabs.open('/servicespool');
    await press(page, 'Lab');
    await pressInDialog(page, 'Policies');
    await dialog(page).getByText('Log off when idle').waitFor();
    await expectGood(page, 'fleet-policies');
    await page.keyboard.press('Escape');
    await pressInDialog(page, 'Edit');
    await dialog(page).getByLabel('Maximum workplaces').fill('9');
    await dialog(page).getByText('What would change').waitFor();
    await expectGood(page, 'fleet-pool-form');
    await pressInDialog(page, 'Save');
    await row(page, 'Lab').getByText('0 of 9').waitFor();
    await press(page, 'Office');
    await pressInDialog(page, 'Send a message');
    await dialog(page).getByLabel('Message', { exact: true }).waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Send a message' }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('Message', { exact: true }).fill('Please save your work');
    await expectGood(page, 'fleet-message');
    await pressInDialog(page, 'Send a message');
    await dialog(page).getByText('Delivered to 2 workplaces.').waitFor();
    expect(fleet.north.simulator.state.messages.map(({ message }) => message)).toEqual([
      'Please save your work',
      'Please save your work',
    ]);
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
  });

  it('starts and ends the maintenance of a pool', async () => {
    const page = await tabs.open('/servicespool');
    await press(page, 'Lab');
    await pressInDialog(page, 'Start maintenance');
    await dialog(page).getByLabel('Message', { exact: true }).fill('New disks');
    await dialog(page).getByText('1 will go into maintenance').waitFor();
    await expectGood(page, 'fleet-maintenance');
    await pressInDialog(page, 'Start maintenance');
    await row(page, 'Lab').getByText('In maintenance').waitFor();
    const { state } = fleet.north.simulator;
    expect(state.poolNamed('Lab').maintenance_message).toBe('New disks');
    await press(page, 'Lab');
    await dialog(page).getByRole('button', { name: 'End maintenance' }).waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Start maintenance' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    for (const name of ['Lab', 'Office']) await row(page, name).getByRole('checkbox').check();
    await press(page, 'Start maintenance');
    await dialog(page).getByText('1 is in maintenance already – left out').waitFor();
    await dialog(page).getByText('1 will go into maintenance').waitFor();
    await page.keyboard.press('Escape');
    await press(page, 'Clear selection');
    await press(page, 'Lab');
    await pressInDialog(page, 'End maintenance');
    await dialog(page).getByText('1 will go back into service').waitFor();
    await pressInDialog(page, 'End maintenance');
    await expect.poll(() => state.poolNamed('Lab').maintenance).toBe(false);
  });

  it('disconnects and logs off sessions, and opens the remote assistant', async () => {
    const page = await tabs.open('/spsession');
    await press(page, 'grace');
    await pressInDialog(page, 'Assist');
    const link = dialog(page).getByRole('link', { name: 'Open the remote assistant' });
    expect(await link.getAttribute('href')).toMatch(/^https:\/\/north-1\.example\/assist\//);
    await pressInDialog(page, 'Disconnect');
    await dialog(page).getByText('1 will be disconnected').waitFor();
    await pressInDialog(page, 'Disconnect');
    await row(page, 'grace').getByText('Disconnected').waitFor();
    await row(page, 'ada').getByRole('checkbox').check();
    await row(page, 'grace').getByRole('checkbox').check();
    await press(page, 'Send a message');
    await dialog(page).getByLabel('Message', { exact: true }).fill('The server restarts');
    await dialog(page).getByText('1 will get the message').waitFor();
    await dialog(page).getByText('1 is disconnected already – left out').waitFor();
    await pressInDialog(page, 'Send a message');
    await page.getByText('Send a message: 1 done').waitFor();
    expect(fleet.north.simulator.state.messages.at(-1)?.message).toBe('The server restarts');
    for (const name of ['ada', 'grace']) await row(page, name).getByRole('checkbox').check();
    await press(page, 'Log off');
    await dialog(page).getByText('2 will be logged off').waitFor();
    await pressInDialog(page, 'Log off: 2');
    await page.getByText('Log off: 2 done').waitFor();
    expect(fleet.north.simulator.state.sessions.all()).toEqual([]);
    await expect.poll(() => row(page, 'grace').count()).toBe(0);
  });

  it('assigns a workplace to a user and removes the owner', async () => {
    const page = await tabs.open('/workplace?search=lab-00001');
    await press(page, 'lab-00001');
    await pressInDialog(page, 'More actions');
    await pressInDialog(page, 'Assign to a user');
    await dialog(page).getByRole('combobox', { name: 'Domain' }).fill(tabs.stand.world.domain.name);
    await page.getByRole('option', { name: tabs.stand.world.domain.name }).click();
    await dialog(page).getByRole('combobox', { name: 'User' }).fill('barbara');
    await page.getByRole('option', { name: 'barbara' }).click();
    await pressInDialog(page, 'Assign to a user');
    await row(page, 'lab-00001').getByRole('link', { name: 'barbara' }).waitFor();
    await press(page, 'lab-00001');
    await pressInDialog(page, 'More actions');
    await pressInDialog(page, 'Remove the owner');
    await pressInDialog(page, 'Remove the owner');
    await expect.poll(() => row(page, 'lab-00001').getByRole('link', { name: 'barbara' }).count()).toBe(0);
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open('/workplace', {
        locale,
        colorScheme: scheme,
        viewport: { width, height: 900 },
      });
      const name = `${locale}-${scheme}`;
      await row(page, 'office-00001').waitFor();
      await expectGood(page, `fleet-workplaces-${name}`);
      await page.getByRole('button', { name: 'office-00001', exact: true }).click();
      await page.getByRole('dialog').waitFor();
      await expectGood(page, `fleet-workplace-${name}`);
      await page.keyboard.press('Escape');
      await page.getByRole('checkbox').first().check();
      const power = page.getByRole('button', { name: /^(?:Power|Питание)$/ });
      await power.click();
      await expectGood(page, `fleet-selection-${name}`);
      // The screenshot changes the size of the window, and the menu is where it was before.
      await page.keyboard.press('Escape');
      await power.click();
      await page.getByRole('button', { name: /^(?:Restart|Перезагрузить)$/ }).click();
      await dialog(page).getByText('office-00001').waitFor();
      await expectGood(page, `fleet-restart-${name}`);
      await page.keyboard.press('Escape');
      await goTo(page, '/servicespool');
      await row(page, 'Library').waitFor();
      await expectGood(page, `fleet-pools-${name}`);
      await page.getByRole('button', { name: 'Library', exact: true }).click();
      await expectGood(page, `fleet-pool-${name}`);
      await page.keyboard.press('Escape');
      await goTo(page, '/spsession');
      await row(page, 'ada').waitFor();
      await expectGood(page, `fleet-sessions-${name}`);
    }
  });
});
