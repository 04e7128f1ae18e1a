import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addMember, goodPassword, type Member } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { addManySites, type ConsoleFleet, startConsoleFleet } from '../../support/pages/console-fleet.ts';
import { looks } from '../../support/pages/looks.ts';
import { type Tabs, useTabs } from '../../support/pages/tabs.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

const dashboard = '**/dashboard/admin';

requireService('chromium', hasChromium)('the console', () => {
  let fleet: ConsoleFleet;
  let member: Member;
  const tabs = useTabs(async ({ world, origin }) => {
    fleet = await startConsoleFleet(world, origin);
    member = await addMember(world, ['dashboard.read'], '*', { real_name: 'Ada Lovelace' });
  });
  afterAll(() => fleet?.close());

  const open = (options?: Parameters<Tabs['open']>[1], path = '/console/'): Promise<Page> =>
    tabs.open(path, options, {
      ...{ domain: tabs.stand.world.domain.name, name: member.user.name, password: goodPassword },
    });
  const site = (page: Page, name: string) =>
    page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true, level: 3 }) });
  const shownSites = (page: Page) => page.getByRole('heading', { level: 3 }).allInnerTexts();
  const allSites = ['North', 'West', 'Kept', 'Alpha', 'Off'];

  it('shows what fails first, with the reason, at both addresses', async () => {
    const page = await open();
    await site(page, 'North').getByText('A node did not respond in time').waitFor();
    const names = await shownSites(page);
    expect(names.filter((name) => allSites.includes(name))).toEqual(allSites);
    await site(page, 'West').getByText('Partly failing').waitFor();
    await site(page, 'West').getByRole('row').filter({ hasText: 'west-2' }).getByText('Failing').waitFor();
    await site(page, 'West').getByText('gw-west').waitFor();
    await site(page, 'Kept').getByText('In maintenance').first().waitFor();
    expect(await site(page, 'Alpha').getByRole('row').count()).toBe(0);
    await site(page, 'Alpha').getByText('1 farm, 1 node').click();
    await site(page, 'Alpha').getByText('37 ms').waitFor();
    await page.goto('/status');
    await site(page, 'North').waitFor();
    expect(await page.title()).toMatch(/^Console – /);
  });

  it('groups failures by cause in the language of the page, in the past tense', async () => {
    const page = await open({ locale: 'ru-RU' });
    const failures = page.getByRole('region', { name: 'Недавние сбои' });
    const timeout = failures.getByRole('listitem').filter({ hasText: 'Узел не ответил вовремя' });
    await timeout.getByText(/^11 раз: /).waitFor();
    expect(await timeout.count()).toBe(1);
    await timeout.getByText('north-1, west-2').waitFor();
    await failures.getByText('Предохранитель разомкнулся: вызовы узла были заблокированы').waitFor();
    expect(await failures.innerText()).not.toMatch(/Dispatcher|fails/);
    const maintenance = page.getByRole('region', { name: 'Обслуживание' });
    await maintenance.getByText('Площадка Kept').waitFor();
    await maintenance.getByText('Ферма Alpha farm').waitFor();
    await page
      .getByRole('region', { name: 'Истекающие сертификаты' })
      .getByText('alpha-1', { exact: true })
      .waitFor();
    await page.getByRole('region', { name: 'Почти заполненные пулы' }).getByText('Library').waitFor();
  });

  it('filters by text and by failures, and sorts a table, by keyboard alone', async () => {
    const page = await open();
    await site(page, 'North').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('WEST-2');
    await expect.poll(() => shownSites(page)).toEqual(['West']);
    expect(await site(page, 'West').getByRole('rowheader').allInnerTexts()).toEqual(['west-2']);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('nowhere');
    await page.getByText('No site matches the filter').waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Only failing', pressed: true }).waitFor();
    await expect.poll(() => shownSites(page)).toEqual(['North', 'West']);
    const header = site(page, 'West').getByRole('columnheader', { name: 'Node' });
    await header.getByRole('button').focus();
    await page.keyboard.press('Enter');
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    expect(await site(page, 'West').getByRole('rowheader').allInnerTexts()).toEqual(['west-1', 'west-2']);
    await page.keyboard.press('Enter');
    expect(await header.getAttribute('aria-sort')).toBe('descending');
  });

  it('follows a recovery, and sends nothing while it is hidden', async () => {
    const page = await open();
    await site(page, 'North').waitFor();
    await page.clock.install();
    await page.reload();
    await site(page, 'North').getByText('Failing').first().waitFor();
    await fleet.probe(fleet.north, 'pass');
    await page.clock.fastForward(15_000);
    await site(page, 'North').getByText('Running').first().waitFor();
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/dashboard/admin')) requests += 1;
    });
    const show = (state: 'hidden' | 'visible') =>
      page.evaluate((visibility) => {
        Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      }, state);
    await show('hidden');
    await page.clock.fastForward(60_000);
    expect(requests).toBe(0);
    const answered = page.waitForResponse(dashboard);
    await show('visible');
    await answered;
    await fleet.probe(fleet.north, 'fail');
  });

  it('keeps what was read while the portal does not respond', async () => {
    const page = await open();
    await site(page, 'North').waitFor();
    await page.clock.install();
    await page.reload();
    await site(page, 'North').waitFor();
    await page.context().setOffline(true);
    await page.clock.fastForward(15_000);
    await expect
      .poll(async () => {
        await page.clock.fastForward(1_000);
        return page.getByText('The portal does not respond').count();
      })
      .toBe(1);
    await page.getByText(/^You see the data as of \d+:\d+:\d+/).waitFor();
    expect(await site(page, 'North').isVisible()).toBe(true);
    await expectGood(page, 'console-no-answer');
    await page.context().setOffline(false);
    await page.clock.fastForward(15_000);
    await expect.poll(() => page.getByText('The portal does not respond').count()).toBe(0);
  });

  it('stays as it is when the session ends, and leads back after the sign-in', async () => {
    const page = await open();
    await site(page, 'North').waitFor();
    await page.clock.install();
    await page.reload();
    await site(page, 'North').waitFor();
    await page.evaluate(() => fetch('/signout', { method: 'POST' }));
    await page.clock.fastForward(15_000);
    await page.getByText('Your session has ended').waitFor();
    expect(await site(page, 'North').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.waitForURL('**/signin?next=%2Fconsole%2F');
  });

  it('has links to the overview, the reference and the own workplaces', async () => {
    const page = await open();
    const current = page.getByRole('navigation').getByRole('link', { name: 'Overview' });
    expect(await current.getAttribute('aria-current')).toBe('page');
    expect(await current.getAttribute('href')).toBe('#/');
    await page.getByRole('button', { name: 'Ada Lovelace' }).click();
    for (const [name, path] of [
      ['API reference', '/api/docs/'],
      ['Own workplaces', '/home/'],
    ] as const)
      expect(await page.locator('[popover]').getByRole('link', { name }).getAttribute('href')).toBe(path);
  });

  it.each(looks)('is good to look at: %s, %s, %i px', async (locale, colorScheme, width) => {
    const page = await open({ colorScheme, viewport: { width, height: 1000 }, locale });
    await site(page, 'North').waitFor();
    await expectGood(page, `console-${colorScheme}`);
  });

  describe('with 500 nodes at 50 sites', () => {
    beforeAll(() => addManySites(tabs.stand.world, 45, 11));

    it('reads the overview in one request, and filters at once', async () => {
      const requests: string[] = [];
      const page = await open();
      await site(page, 'Branch 45').waitFor();
      page.on('request', (request) => {
        if (request.url().includes('/api/')) requests.push(new URL(request.url()).pathname);
      });
      await page.reload();
      await site(page, 'Branch 45').waitFor();
      // The page also follows the changes, which it does not wait for.
      expect(requests.filter((path) => path !== '/api/webui/aggregator/changes')).toEqual([
        '/api/webui/aggregator/dashboard/admin',
      ]);
      expect((await shownSites(page)).length).toBe(51);
      expect(await site(page, 'Branch 45').getByRole('row').count()).toBe(0);
      await page.getByRole('searchbox').fill('branch-44-7');
      await expect.poll(() => shownSites(page)).toEqual(['Branch 44']);
      await site(page, 'Branch 44').locator('summary').click();
      await expect
        .poll(() => site(page, 'Branch 44').getByRole('rowheader').allInnerTexts())
        .toEqual(['branch-44-7']);
      await page.getByRole('searchbox').fill('');
      await expectGood(page, 'console-large');
    });
  });
});
