import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { fillWorkplaces } from '../../bench/fleet/workplaces.ts';
import type { Tab } from '../../e2e/support/browser.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];

/** See `test/bench/README.md`. */
const wanted = Number(process.env.CONSOLE_WORKPLACES ?? 20_000);
const farms = 100;
const perFarm = Math.ceil(wanted / farms);
const all = perFarm * farms;
const pageSize = 100;
/** How far the list is scrolled: to its end if a number is given. */
const isWhole = process.env.CONSOLE_WORKPLACES !== undefined;
const pagesRead = isWhole ? Math.ceil(all / pageSize) - 1 : 50;
const mostRows = 70;
const mostHeapMb = 60;
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 180_000 + pagesRead * 500 });

requireService('chromium', hasChromium)(`a list of ${all} workplaces in the console`, () => {
  const tabs = useConsoleTabs(async ({ world }) => {
    const database = new pg.Pool({ connectionString: world.portal.database.ownerUrl, max: 1 });
    await fillWorkplaces(database, { sites: farms / 2, farmsPerSite: 2, workplacesPerFarm: perFarm });
    await database.end();
  });
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const drawn = (page: Page) => page.getByRole('row').count();

  it('is scrolled far, with few rows drawn and few pages in memory', async () => {
    const page = await tabs.open();
    const asked = listRequests(page);
    await goTo(page, '/workplace');
    await row(page, 'Many-1-1-000001').waitFor();
    await page.getByRole('heading', { level: 1 }).getByText(all.toLocaleString('en-GB')).waitFor();
    const before = await heapMb(page);
    const began = performance.now();
    await page.locator('[data-index="0"]').focus();
    // The end is the last row that is known; the pages after it are read when it is in view.
    for (let at = 0; at < (isWhole ? all - 1 : pagesRead * pageSize); at = await focusedIndex(page)) {
      await expect
        .poll(() => page.keyboard.press('End').then(() => focusedIndex(page)), {
          interval: 5,
          timeout: 30_000,
        })
        .toBeGreaterThan(at);
      await page.locator(':focus th button').waitFor();
    }
    const ms = (performance.now() - began) / pagesRead;
    expect(await drawn(page)).toBeLessThan(mostRows);
    if (isWhole) {
      await row(page, lastName).waitFor();
      expect(await page.locator(':focus').getAttribute('aria-rowindex')).toBe(String(all + 1));
    }
    // Each page once, one ahead, and the number of all rows.
    expect(asked.length).toBeLessThanOrEqual(pagesRead + 4);
    const grown = (await heapMb(page)) - before;
    expect(grown).toBeLessThan(mostHeapMb);
    await selectLoaded(page);
    await page.locator('[data-index]').last().focus();
    await page.keyboard.press('Home');
    await row(page, 'Many-1-1-000001').waitFor();
    expect(asked.length).toBeLessThanOrEqual(pagesRead + 7);
    print(
      `scrolled over ${pagesRead * pageSize} rows: ${ms.toFixed(0)} ms a page, heap + ${grown.toFixed(1)} MB, ${asked.length} requests`,
    );
  });

  it('is filtered and searched on the server', async () => {
    const page = await tabs.open('/workplace');
    await row(page, 'Many-1-1-000001').waitFor();
    const asked = listRequests(page);
    for (const [query, name] of narrowed) {
      const began = performance.now();
      const answered = page.waitForResponse((answer) => isPage(answer.url()));
      await goTo(page, `/workplace?${query}`);
      const request = (await answered).request();
      await page.getByText(name).first().waitFor();
      const shownMs = performance.now() - began;
      const { responseEnd, requestStart } = request.timing();
      expect(await drawn(page)).toBeLessThan(mostRows);
      print(
        `${query}: shown after ${shownMs.toFixed(0)} ms, API ${(responseEnd - requestStart).toFixed(0)} ms`,
      );
    }
    // The page, the next one, and the number of all rows.
    expect(asked.length).toBeLessThanOrEqual(3 * narrowed.length);
  });

  it('shows the end of the list first in the other order', async () => {
    const page = await tabs.open('/workplace');
    await row(page, 'Many-1-1-000001').waitFor();
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await row(page, lastName).waitFor();
    expect(await drawn(page)).toBeLessThan(mostRows);
  });
});

const last = String(perFarm).padStart(6, '0');
/** In the order by name. */
const lastName = `Many-9-2-${last}`;
/** Queries of the list with a row that they find. */
const narrowed = [
  [`search=many-3-1-${last}`, `Many-3-1-${last}`],
  ['state=preparing', 'Many-1-1-000002'],
  ['in_use=true', 'Many-1-1-000001'],
  [`owner=owner-${last}`, `-${last}`],
  ['search=zz', 'No records match'],
  ['maintenance=true', 'No records match'],
] as const;

const isList = (url: string): boolean => url.includes('/aggregator/workplaces?');

/** A request that does not only count. */
const isPage = (url: string): boolean => isList(url) && !url.includes('count=');

function listRequests(page: Page): string[] {
  const urls: string[] = [];
  page.on('request', (request) => {
    if (isList(request.url())) urls.push(request.url());
  });
  return urls;
}

/** Selects the rows of the pages in memory, and clears the selection. */
async function selectLoaded(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check();
  const selected = await page.getByRole('status').getByText('selected').innerText();
  expect(Number.parseInt(selected, 10)).toBeGreaterThanOrEqual(pageSize);
  await page.getByRole('button', { name: 'Clear selection' }).click();
}

const focusedIndex = async (page: Page): Promise<number> =>
  Number(await page.locator(':focus').getAttribute('data-index'));

/** After a garbage collection. */
async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1_000_000;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
