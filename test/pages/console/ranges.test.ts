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

requireService('chromium', hasChromium)('the ranges of a list', () => {
  const tabs = useConsoleTabs(async ({ world: { admin } }) => {
    for (const [at, name] of ['Amber', 'Birch', 'Cedar'].entries())
      await addFarm(admin, await addSite(admin, { name }), { name: `${name} farm`, weight: 20 * (at + 1) });
  });
  const names = async (page: Page) => (await page.getByRole('rowheader').allInnerTexts()).filter(Boolean);
  const set = (page: Page) => page.getByRole('list', { name: 'Set filters' });
  const openFilters = (page: Page) => page.getByRole('button', { name: /^Filters/ }).click();
  const group = (page: Page, name: string) => page.getByRole('group', { name, exact: true });

  it('restrict numbers, are in the address, and are removed as one filter', async () => {
    const page = await tabs.open('/farm');
    await polled(() => names(page)).toContain('Amber farm');
    await openFilters(page);
    const weight = group(page, 'Weight');
    await weight.getByLabel('At least').fill('30');
    await polled(() => names(page)).toEqual(['Birch farm', 'Cedar farm']);
    await weight.getByLabel('At most').fill('45');
    await polled(() => names(page)).toEqual(['Birch farm']);
    await polled(() => set(page).innerText()).toContain('Weight: 30 – 45');
    expect(page.url()).toContain('weight_min=30&weight_max=45');
    await page.reload();
    await polled(() => names(page)).toEqual(['Birch farm']);
    await page.getByRole('button', { name: 'Remove the filter Weight' }).click();
    await polled(() => names(page)).toContain('Cedar farm');
    expect(page.url()).not.toContain('weight_');
  });

  it('are refused where they are typed, before anything is read', async () => {
    const page = await tabs.open('/farm?weight_min=30');
    await polled(() => names(page)).toEqual(['Birch farm', 'Cedar farm']);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await openFilters(page);
    const most = group(page, 'Weight').getByLabel('At most');
    await most.fill('20');
    await page.getByText('Must not be less than the lower bound').waitFor();
    expect(await most.getAttribute('aria-invalid')).toBe('true');
    expect(await most.getAttribute('aria-describedby')).toContain('fault');
    await most.fill('many');
    await page.getByText('Enter a whole number').waitFor();
    expect(page.url()).not.toContain('weight_max');
    await most.fill('50');
    await polled(() => names(page)).toEqual(['Birch farm']);
    expect(requests.filter((url) => /weight_max=(?:20|many)\b/.test(url))).toEqual([]);
  });

  it('restrict times by a choice, which stays one in relation to now in a saved view', async () => {
    const page = await tabs.open('/farm');
    await polled(() => names(page)).toContain('Amber farm');
    await openFilters(page);
    const created = page.getByRole('combobox', { name: 'Created' });
    await created.selectOption('More than 30 days ago');
    await page.getByText('No records match').waitFor();
    await created.selectOption('Last hour');
    await polled(() => names(page)).toContain('Amber farm');
    await polled(() => set(page).innerText()).toContain('Created: Last hour');
    expect(page.url()).toContain('created_at_from=-PT1H');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name of the view').fill('New farms');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Saved views' }).getByRole('link', { name: 'All' }).click();
    await polled(() => set(page).count()).toBe(0);
    await goTo(page, '/site');
    await goTo(page, '/farm');
    const read = page.waitForRequest((request) => request.url().includes('created_at_from=20'));
    await page.getByRole('link', { name: 'New farms' }).click();
    const since = new URL((await read).url()).searchParams.get('created_at_from') ?? '';
    const hour = 3_600_000;
    expect(Math.abs(Date.now() - hour - Date.parse(since))).toBeLessThan(120_000);
    await polled(() => set(page).innerText()).toContain('Created: Last hour');
  });

  it('restrict times between two times of the clock of the reader', async () => {
    const page = await tabs.open('/farm', { timezoneId: 'Asia/Tokyo' });
    await polled(() => names(page)).toContain('Amber farm');
    await openFilters(page);
    await page.getByRole('combobox', { name: 'Created' }).selectOption('Between two times');
    const times = group(page, 'Created');
    await times.getByText('Times are in the time zone Asia/Tokyo.').waitFor();
    await times.getByLabel('From').fill('2026-01-31T09:30');
    await polled(() => page.url()).toContain(encodeURIComponent('2026-01-31T00:30:00.000Z'));
    await polled(() => names(page)).toContain('Amber farm');
    await times.getByLabel('To').fill('2026-01-30T00:00');
    await page.getByText('Must not be before the start').waitFor();
    await times.getByLabel('To').fill('2026-02-01T00:00');
    await page.getByText('No records match').waitFor();
    await polled(() => set(page).innerText()).toMatch(/Created: Jan 31, 2026, 9:30.AM – Feb 1/);
    await expectGood(page, 'ranges-between');
  });

  it('are in the journals, together with their buttons', async () => {
    for (const place of ['/audit', '/monitoring_record']) {
      const page = await tabs.open(place);
      await page.getByRole('button', { name: 'Last hour' }).click();
      await openFilters(page);
      const time = page.getByRole('combobox', { name: 'Time', exact: true });
      await polled(() => time.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text)).toBe(
        'Last hour',
      );
      await time.selectOption('Last 7 days');
      await polled(() => page.getByRole('button', { name: 'Last 7 days' }).getAttribute('aria-pressed')).toBe(
        'true',
      );
      await page.getByRole('button', { name: 'Remove the filter Time' }).click();
      await polled(() => page.url()).not.toContain('from=');
    }
  });

  it('are good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, colorScheme, width] of looks) {
      const viewport = { width, height: 900 };
      const address =
        '/farm?weight_min=30&weight_max=70&created_at_from=-P7D&updated_at_from=2026-01-01T00:00:00Z';
      const page = await tabs.open(address, { locale, colorScheme, viewport });
      await polled(() => names(page)).toEqual(['Birch farm', 'Cedar farm']);
      await page.locator('search').getByRole('button').last().click();
      await page.getByRole('combobox').last().waitFor();
      await expectGood(page, `ranges-${locale}-${colorScheme}`);
    }
  });
});
