import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { noFaults } from '../../simulator/faults.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { type ConsoleWorkplaces, startConsoleWorkplaces } from '../../support/pages/console-workplaces.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasChromium)('pools, workplaces and sessions in the console', () => {
  let fleet: ConsoleWorkplaces;
  const tabs = useConsoleTabs(async (stand) => {
    fleet = await startConsoleWorkplaces(stand);
  });
  afterEach(async () => {
    for (const { simulator } of [fleet.north, fleet.west]) {
      Object.assign(simulator.knobs, noFaults());
      simulator.resetCalls();
    }
    await fleet.reset();
  });
  afterAll(() => fleet?.close());
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const dialog = (page: Page) => page.getByRole('dialog').last();
  const inDialog = (page: Page, text: string | RegExp) => dialog(page).getByText(text).waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const pressInDialog = (page: Page, name: string) =>
    dialog(page).getByRole('button', { name, exact: true }).click();
  async function selectAll(page: Page, search: string): Promise<void> {
    await page.getByRole('searchbox').fill(search);
    await expect
      .poll(async () => (await page.getByRole('rowheader').allInnerTexts()).filter(Boolean))
      .toSatisfy((names: string[]) => names.length > 0 && names.every((name) => name.includes(search)));
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check();
  }
  const ordered = (verb: string) =>
    fleet.north.simulator.calls.filter(({ method, path }) => method === 'PATCH' && path.endsWith(verb));

  it('restarts what is free, and says before what is in use', async () => {
    const page = await tabs.open('/workplace');
    await selectAll(page, 'office');
    await press(page, 'Power');
    await press(page, 'Restart');
    await inDialog(page, '4 will be restarted');
    await inDialog(page, '2 are in use – left out');
    expect(ordered('/machine')).toEqual([]);
    await pressInDialog(page, 'Restart: 4');
    await page.getByText('Restart: 4 done').waitFor();
    expect(ordered('/machine')).toHaveLength(4);
    expect(fleet.north.simulator.state.sessions.all()).toHaveLength(2);
    await expect.poll(() => page.getByText('6 selected').count()).toBe(0);
  });

  it('interrupts work only if that is switched on', async () => {
    const page = await tabs.open('/workplace');
    await row(page, 'office-00001').getByRole('checkbox').check();
    await press(page, 'Power');
    await press(page, 'Power off');
    await inDialog(page, '1 is in use – left out');
    expect(await dialog(page).getByRole('button', { name: 'Power off' }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('Also interrupt the work at 1 workplace').check();
    await inDialog(page, '1 is in use – included');
    await pressInDialog(page, 'Power off');
    await row(page, 'office-00001').getByText('Stopped').waitFor();
    expect(fleet.north.simulator.state.sessions.all()).toHaveLength(1);
  });

  it('goes on after a failure, names it, and retries it alone', async () => {
    const [, , third] = fleet.north.simulator.state.poolNamed('Office').members;
    Object.assign(fleet.north.simulator.knobs, {
      path: `/api/webui/workplaces/${third?.uuid}`,
      failing: 500,
    });
    const page = await tabs.open('/workplace');
    await selectAll(page, 'office');
    await press(page, 'Power');
    await press(page, 'Restart');
    await pressInDialog(page, 'Restart: 4');
    await inDialog(page, '3 of 4 done. 1 failed:');
    await dialog(page)
      .getByRole('listitem')
      .filter({ hasText: /office-00003\s*The site reports an error/ })
      .waitFor();
    await expectGood(page, 'fleet-partial');
    Object.assign(fleet.north.simulator.knobs, noFaults());
    fleet.north.simulator.resetCalls();
    await pressInDialog(page, 'Retry 1 record');
    await page.getByText('Restart: 4 done').waitFor();
    expect(ordered('/machine').map(({ path }) => path)).toEqual([
      `/api/webui/workplaces/${third?.uuid}/machine`,
    ]);
  });

  it('sends four requests at a time, and none after the rest was stopped', async () => {
    const page = await tabs.open('/workplace');
    await selectAll(page, 'o');
    fleet.north.simulator.knobs.latencyMs = 2_000;
    await press(page, 'More actions');
    await press(page, 'Edit tags');
    await dialog(page).getByLabel('Tags').fill('checked');
    await dialog(page)
      .getByRole('button', { name: /^Edit tags: / })
      .click();
    await expect.poll(() => ordered('/tags').length).toBe(4);
    await pressInDialog(page, 'Stop the rest');
    await inDialog(page, '2 were not reached');
    expect(ordered('/tags')).toHaveLength(4);
    fleet.north.simulator.knobs.latencyMs = 0;
    await pressInDialog(page, 'Retry 2 records');
    await page.getByText('Edit tags: 6 done').waitFor();
    const tags = fleet.north.simulator.state.poolNamed('Office').members.map((member) => member.tags);
    expect(tags).toEqual(Array.from({ length: 6 }, () => ['checked']));
  });

  it('is done with the keyboard alone', async () => {
    const page = await tabs.open('/workplace?search=office-00004');
    // Rows can be selected as soon as the actions are loaded.
    await row(page, 'office-00004').getByRole('checkbox').waitFor();
    await row(page, 'office-00004').focus();
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    // The actions are before the table.
    const power = page.getByRole('button', { name: 'Power', exact: true });
    for (let step = 0; step < 20 && !(await isFocused(power)); step += 1)
      await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await inDialog(page, '1 will be shut down');
    const perform = dialog(page).getByRole('button', { name: 'Shut down', exact: true });
    for (let step = 0; step < 20 && !(await isFocused(perform)); step += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await row(page, 'office-00004').getByText('Stopped').waitFor();
  });

  it('says which farm does not answer, and how old its rows are', async () => {
    const page = await tabs.open('/workplace');
    await row(page, 'library-00001').waitFor();
    await page.getByText('2 of 3 farms answer').waitFor();
    fleet.west.simulator.knobs.hang = 'headers';
    await press(page, 'Read again');
    const notice = page.getByText(/^West farm does not answer\. What you see of it is .+ old\.$/);
    await notice.first().waitFor();
    await page.getByText('1 of 3 farms answer').waitFor();
    await row(page, 'library-00001').waitFor();
    await expectGood(page, 'fleet-hanging-farm');
    await page
      .getByRole('link', { name: /^Show only this farm.*West farm$/ })
      .first()
      .click();
    await expect.poll(() => row(page, 'office-00001').count()).toBe(0);
    await row(page, 'library-00001').waitFor();
    fleet.west.simulator.knobs.hang = null;
    await page.getByRole('link', { name: 'Show all farms' }).click();
    await row(page, 'office-00001').waitFor();
  });

  it('shows an administrator of one site its rows and what the roles allow', async () => {
    const account = await fleet.addLimited(['workplaces.read', 'workplaces.power', 'spsessions.read']);
    const page = await tabs.open('/workplace', {}, account);
    await row(page, 'library-00001').waitFor();
    expect(await row(page, 'office-00001').count()).toBe(0);
    await page.getByText('Farm West farm').waitFor();
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check();
    expect(await page.getByRole('button', { name: /maintenance|More actions/ }).count()).toBe(0);
    await press(page, 'Power');
    await press(page, 'Reset');
    await inDialog(page, '3 will be reset');
    await inDialog(page, '1 is in use – left out');
    expect(await dialog(page).getByRole('checkbox').count()).toBe(0);
    await page.keyboard.press('Escape');
    await goTo(page, '/spsession');
    await row(page, 'alan').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
  });
});

const isFocused = (place: ReturnType<Page['getByRole']>): Promise<boolean> =>
  place.evaluate((element) => element === document.activeElement);
