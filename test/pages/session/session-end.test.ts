import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addSite, base } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, signIn, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

const dashboard = '/dashboard/admin';
const idleS = 120;
/** Seconds between two reads of the overview. */
const everyS = 15;

requireService('chromium', hasChromium)('the end of a session in the console', () => {
  let site: Json;
  const tabs = useConsoleTabs(async ({ world }) => {
    site = await addSite(world.admin, { name: 'Alder', uri: 'alder' });
  });
  const endSession = (page: Page) => page.evaluate(() => fetch('/signout', { method: 'POST' }));
  const ended = (page: Page) => page.getByText('Your session has ended');
  const again = (page: Page) => page.getByRole('button', { name: 'Sign in again' });
  const card = (page: Page) => page.getByRole('article').filter({ hasText: 'Alder' });

  /** Opens the overview with a clock that the test moves. */
  async function openTimed(place = '/'): Promise<Page> {
    const page = await tabs.open(place);
    await page.clock.install();
    await page.reload();
    return page;
  }

  /** Moves the clocks of the page and of the portal. */
  async function pass(page: Page, seconds: number): Promise<void> {
    tabs.stand.world.portal.advance(seconds);
    await page.clock.fastForward(seconds * 1_000);
  }

  it('is named on the overview, which keeps its data and blames no connection', async () => {
    const page = await openTimed();
    await card(page).waitFor();
    await endSession(page);
    await page.clock.fastForward(everyS * 1_000);
    await page.getByRole('dialog').getByText('Your session has ended').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await ended(page).waitFor();
    await page.getByText(/^You see the data as of \d+:\d+:\d+[^.]*\.$/).waitFor();
    expect(await page.getByText('does not respond').count()).toBe(0);
    expect(await card(page).isVisible()).toBe(true);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await expectGood(page, 'session-ended');
    }
  });

  it('leads back to the same place, where the form still has what was typed', async () => {
    const place = `/site/${site.id}/edit`;
    const page = await tabs.open(place);
    await page.getByLabel('Comments').fill('Typed before the end');
    await endSession(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await again(page).click();
    await page.waitForURL(`**/signin?next=%2Fconsole%2F#${place}`);
    await page.getByRole('link', { name: 'Русский' }).click();
    await page.getByRole('button', { name: 'Войти', exact: true }).waitFor();
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await signIn(page);
    await page.waitForURL(`**/console/#${place}`);
    await page.getByText('Your unsaved entries were kept').waitFor();
    expect(await page.getByLabel('Comments').inputValue()).toBe('Typed before the end');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').filter({ hasText: 'Typed before the end' }).waitFor();
  });

  it('is over when the user has signed in in another tab', async () => {
    const page = await openTimed();
    await card(page).waitFor();
    await endSession(page);
    await page.clock.fastForward(everyS * 1_000);
    await again(page).waitFor();
    const other = await page.context().newPage();
    await other.goto('/signin');
    await signIn(other);
    await other.waitForURL('**/console/');
    const read = page.waitForResponse((answer) => answer.url().endsWith(dashboard) && answer.ok());
    await page.bringToFront();
    await page.clock.fastForward(60_000);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await read;
    expect(await ended(page).count()).toBe(0);
  });

  it('comes although the overview is open, when the user does nothing', async () => {
    const { admin } = tabs.stand.world;
    const set = (value: number) => admin(`PUT ${base}/tconfig`, { session: { idle_s: { value } } });
    expect((await set(idleS)).status).toBe(200);
    const page = await openTimed();
    await card(page).waitFor();
    let passed = 0;
    for (; passed < 4 * idleS && (await ended(page).count()) === 0; passed += everyS) {
      const read = page.waitForResponse((answer) => /dashboard|token/.test(answer.url()));
      await pass(page, everyS);
      await read;
      await tabs.stand.world.portal.settled();
    }
    await again(page).waitFor();
    expect(passed).toBeGreaterThanOrEqual(idleS);
    // Requests within a minute after the last input count.
    expect(passed).toBeLessThanOrEqual(idleS + 60 + 2 * everyS);
    tabs.stand.world.portal.advance(-passed);
    expect((await set(1_800)).status).toBe(200);
  });

  it('does not come while the user types, although the form sends nothing', async () => {
    const { admin, portal } = tabs.stand.world;
    const set = (value: number) => admin(`PUT ${base}/tconfig`, { session: { idle_s: { value } } });
    expect((await set(idleS)).status).toBe(200);
    const page = await openTimed(`/site/${site.id}/edit`);
    const comments = page.getByLabel('Comments');
    await comments.fill('');
    let passed = 0;
    for (; passed < 3 * idleS; passed += 70) {
      await pass(page, 70);
      const used = page.waitForResponse('**/api/userinfo');
      await comments.press('x');
      expect([passed, (await used).status()]).toEqual([passed, 200]);
      await portal.settled();
    }
    await goTo(page, '/site');
    await page.getByRole('row').filter({ hasText: 'Alder' }).waitFor();
    expect(await ended(page).count()).toBe(0);
    portal.advance(-passed);
    expect((await set(1_800)).status).toBe(200);
  });

  it('a link to a place of the console opens it after the sign-in', async () => {
    const page = await tabs.open('/');
    await page.context().clearCookies();
    await page.goto('about:blank');
    await page.goto('/console/#/farm');
    await page.waitForURL('**/signin?next=%2Fconsole%2F#/farm');
    await signIn(page);
    await page.waitForURL('**/console/#/farm');
    await page.getByRole('heading', { name: 'Farms', level: 1 }).waitFor();
  });
});
