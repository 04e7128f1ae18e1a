import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { webPageOf } from '../../shared/http/pages/app-page.ts';
import { filesOf } from '../../shared/http/pages/web-pages.ts';
import { ownAssets } from '../../shared/tooling/build/asset-files.ts';
import { expectGood, startBrowserIn, type Tab } from '../e2e/support/browser.ts';
import { addMember, addSite, goodPassword, type Member } from '../support/factories.ts';
import { type BrowserStand, hasChromium, startBrowserStand } from '../support/pages/browser-stand.ts';
import { looks } from '../support/pages/looks.ts';
import { nextBuildOf } from '../support/pages/next-build.ts';
import { requireService } from '../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow, and the page without the portal waits between its attempts.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('the page of the user as an app', () => {
  let stand: BrowserStand;
  let member: Member;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    stand = await startBrowserStand();
    member = await addMember(stand.world, [], '*', { real_name: 'Alice Liddell' });
    await addSite(stand.world.admin, {
      name: 'North',
      uri: 'north',
      authenticators: [stand.world.domain.id],
    });
  }, 120_000);
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(() => stand?.close());

  async function signIn(page: Page): Promise<void> {
    await page.locator('#domain').selectOption({ label: stand.world.domain.name });
    await page.locator('#username').fill(member.user.name);
    await page.locator('#password').fill(goodPassword);
    await page.locator('#credentials [type=submit]').click();
    await page.waitForURL('**/home/');
  }
  /** The page of a user, with its service worker in charge. */
  async function open(options?: Parameters<BrowserStand['open']>[1]): Promise<Tab> {
    const tab = await stand.open('/signin', options);
    closing.push(() => tab.close());
    await signIn(tab.page);
    await inCharge(tab.page);
    return tab;
  }
  /** Waits until the service worker has stored the report of the page. */
  const inCharge = (page: Page) =>
    expect
      .poll(
        () =>
          page.evaluate(async () => {
            const isStored = (await caches.match('/home/state')) !== undefined;
            return [navigator.serviceWorker.controller !== null, isStored];
          }),
        { timeout: 20_000 },
      )
      .toEqual([true, true]);
  async function stopPortal(): Promise<void> {
    await stand.stop();
    closing.push(() => stand.restart());
  }
  async function restartPortal(): Promise<void> {
    closing.pop();
    await stand.restart();
  }
  const offlineHeading = (page: Page, name = 'The portal does not respond') =>
    page.getByRole('heading', { level: 1, name });
  const storedPaths = (page: Page): Promise<string[]> =>
    page.evaluate(async () => {
      const caught = (await caches.keys()).map(async (name) => (await caches.open(name)).keys());
      const requests = (await Promise.all(caught)).flat();
      return requests.map(({ url }) => url.slice(location.origin.length)).sort();
    });
  async function allowedPaths(): Promise<string[]> {
    const { assets } = stand.world.portal.deps;
    const files = filesOf(await webPageOf(assets, 'home')).map((file) => `/home/files/${file}`);
    return [...files, '/home/offline?language=en', '/home/offline?language=ru', '/home/state'].sort();
  }
  async function inFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'installed-'));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  it('can be installed: name, icons and colours are those of the portal', async () => {
    const context = await startBrowserIn(await inFolder(), { args: stand.trusting });
    closing.push(() => context.close());
    const page = await context.newPage();
    await page.goto(`${stand.origin}/signin`);
    await signIn(page);
    await inCharge(page);
    const session = await context.newCDPSession(page);
    const { url, data = '', errors } = await session.send('Page.getAppManifest');
    expect([url, errors]).toEqual([`${stand.origin}/home/app.webmanifest`, []]);
    expect(JSON.parse(data)).toMatchObject({ id: '/home/', name: 'Aggregator portal', lang: 'en' });
    expect((await session.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([]);
  });

  it('stores its own files and nothing else, before and after the session', async () => {
    const { page } = await open();
    expect(await storedPaths(page)).toEqual(await allowedPaths());
    const state = await page.evaluate(async () => (await caches.match('/home/state'))?.json());
    expect(state).toEqual({ language: 'en' });
    await page.reload();
    await page.getByRole('button', { name: 'Alice Liddell' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/signin');
    expect(await storedPaths(page)).toEqual(await allowedPaths());
    await page.goto('/home/');
    expect(new URL(page.url()).pathname).toBe('/signin');
    await stopPortal();
    await page.goto('/home/');
    await offlineHeading(page).waitFor();
    expect(await page.content()).not.toContain('Alice');
  });

  it('shows since when the portal does not answer, and is back by itself', async () => {
    const { page, errors } = await open();
    await page.getByRole('button', { name: 'Alice Liddell' }).click();
    await page.getByRole('link', { name: 'Account' }).click();
    await stopPortal();
    await page.reload();
    await offlineHeading(page).waitFor();
    await page.getByText(/^The portal has not answered since .+:\d\d.* \(\d+ seconds?\)\.$/).waitFor();
    await page.getByText(/^Next attempt in \d+ seconds?$/).waitFor();
    await expectGood(page, 'offline');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('status').getByText('The portal still does not respond').waitFor();
    await restartPortal();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor({ timeout: 50_000 });
    expect(errors.filter((error) => !/Failed to load resource|Failed to fetch/.test(error))).toEqual([]);
  });

  it('names the time of the first failure, not that of the last visit', async () => {
    const { page } = await open();
    const hours = (count: number) => Date.now() - count * 3_600_000;
    const store = (state: object) =>
      page.evaluate(async (content) => {
        const cache = await caches.open('home-state');
        await cache.put('/home/state', Response.json(content));
      }, state);
    const since = (age: RegExp) =>
      page.getByText(new RegExp(`^The portal has not answered since .+${age.source}`));
    // Of an earlier build, which noted the last answer.
    await store({ answeredAt: hours(5), language: 'en' });
    await stopPortal();
    await page.reload();
    await since(/\(\d+ seconds?\)/).waitFor();
    await store({ failedAt: hours(2), language: 'en' });
    await page.reload();
    await since(/\(2 hours.*\)/).waitFor();
    await restartPortal();
    await page.getByRole('heading', { level: 1, name: 'Workplaces' }).waitFor({ timeout: 50_000 });
    const stored = () => page.evaluate(async () => (await caches.match('/home/state'))?.json());
    await expect.poll(stored).toEqual({ language: 'en' });
  });

  it('notes the first failure of an open page', async () => {
    const { page } = await open();
    await page.clock.install();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Workplaces' }).waitFor();
    await inCharge(page);
    /** After the next refresh of the page, and its repetition. */
    const failure = async () => {
      await page.clock.fastForward(30_000);
      return page.evaluate(
        async () => (await (await caches.match('/home/state'))?.json())?.failedAt !== undefined,
      );
    };
    expect(await failure()).toBe(false);
    await stopPortal();
    await expect.poll(failure, { timeout: 30_000 }).toBe(true);
    await restartPortal();
    await expect.poll(failure, { timeout: 30_000 }).toBe(false);
  });

  it('remembers the time of the first failure after a restart of the browser', async () => {
    const folder = await inFolder();
    const first = await startBrowserIn(folder, { args: stand.trusting });
    const before = await first.newPage();
    await before.goto(`${stand.origin}/signin`);
    await signIn(before);
    await inCharge(before);
    await first.close();
    await stopPortal();
    const second = await startBrowserIn(folder, { args: stand.trusting });
    closing.push(() => second.close());
    const after = await second.newPage();
    await after.goto(`${stand.origin}/home/`);
    await offlineHeading(after).waitFor();
    await after.getByText(/^The portal has not answered since .+:\d\d/).waitFor();
  });

  it('speaks the language and has the colours that the user chose last', async () => {
    const { page } = await open({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Alice Liddell' }).click();
    await page.getByRole('button', { name: 'Colours: as the system' }).click();
    await page.getByRole('button', { name: 'Colours: light' }).click();
    const reloaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Русский' }).click();
    await reloaded;
    await expect
      .poll(() => page.evaluate(async () => (await (await caches.match('/home/state'))?.json())?.language))
      .toBe('ru');
    await stopPortal();
    await page.reload();
    await offlineHeading(page, 'Портал не отвечает').waitFor();
    await page.getByText(/^Портал не отвечает с \d\d:\d\d \(\d+ секунд/).waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(16, 19, 24)',
    );
    await restartPortal();
    await page.getByRole('heading', { level: 1, name: 'Рабочие места' }).waitFor({ timeout: 50_000 });
    await page.getByRole('button', { name: 'Alice Liddell' }).click();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Workplaces' }).waitFor();
  });

  it('gives an open page the files of its build until it is closed, then those of the next build', async () => {
    const { deps } = stand.world.portal;
    const { page, close } = await open();
    const former = await allowedPaths();
    const own = ownAssets();
    Object.assign(deps.assets, await nextBuildOf(own));
    closing.push(async () => void Object.assign(deps.assets, own));
    const next = await page.context().newPage();
    await next.goto('/home/');
    await expect
      .poll(
        () =>
          next.evaluate(async () => {
            const [registration] = await navigator.serviceWorker.getRegistrations();
            return registration?.waiting?.state;
          }),
        { timeout: 45_000 },
      )
      .toBe('installed');
    const [file = ''] = (await webPageOf(own, 'home')).later;
    expect(await fetchStatus(next, `/home/files/${file}?`)).toBe(404);
    await page.getByRole('button', { name: 'Alice Liddell' }).click();
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    closing.push(close);
    await page.close();
    await next.reload();
    await expect.poll(() => storedPaths(next), { timeout: 20_000 }).toEqual(await allowedPaths());
    expect(await allowedPaths()).not.toEqual(former);
    await next.getByRole('heading', { level: 1, name: 'Workplaces' }).waitFor();
  });

  const fetchStatus = (page: Page, path: string): Promise<number> =>
    page.evaluate(async (address) => (await fetch(address)).status, path);

  it('shows the answer of a gateway that cannot reach the portal as the time without it', async () => {
    const { page } = await open();
    await stopPortal();
    await stand.restart(async () => new Response('Bad Gateway', { status: 502 }));
    await page.goto('/home/');
    await offlineHeading(page).waitFor();
    await stand.stop();
    await restartPortal();
    await page.getByRole('heading', { level: 1, name: 'Workplaces' }).waitFor({ timeout: 50_000 });
  });

  it('names a missing network once while it is open', async () => {
    const { page } = await open();
    await page.context().setOffline(true);
    await page.getByText('You have no network connection').waitFor();
    await expectGood(page, 'home-no-network');
    await page.context().setOffline(false);
    await expect.poll(() => page.getByText('You have no network connection').count()).toBe(0);
  });

  it.each(
    looks,
  )('is good to look at without the portal: %s, %s, %i px', async (locale, colorScheme, width) => {
    const { page } = await open({ colorScheme, viewport: { width, height: 800 }, locale });
    await stopPortal();
    await page.reload();
    await page.locator('#since:not([hidden])').waitFor();
    await expectGood(page, `offline-${colorScheme}`);
  });
});
