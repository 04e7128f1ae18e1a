import { readFile } from 'node:fs/promises';
import { isNotNull } from 'drizzle-orm';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { dispatcherSessions } from '../../db/schema/routing/dispatcher-sessions.ts';
import { serviceLists } from '../../db/schema/snapshot/service-lists.ts';
import { expectGood, type Tab } from '../e2e/support/browser.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  goodPassword,
  logIn,
  type Member,
  pool,
  type SimulatedNode,
} from '../support/factories.ts';
import { hasChromium } from '../support/pages/browser-stand.ts';
import { looks } from '../support/pages/looks.ts';
import { useTabs } from '../support/pages/tabs.ts';
import { requireService } from '../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('the page of the user', () => {
  let member: Member;
  let north: SimulatedNode;
  let west: SimulatedNode;
  const tabs = useTabs(async ({ world, origin }) => {
    member = await addMember(world, [], '*', { real_name: 'Alice Liddell' });
    const sites = { North: 'north', West: 'west' };
    const [ofNorth, ofWest] = await Promise.all(
      Object.entries(sites).map(async ([name, uri]) => {
        const site = await addSite(world.admin, { name, uri, authenticators: [world.domain.id] });
        return addFarm(world.admin, site, { name: `${name} farm` });
      }),
    );
    const simulator = { issuer: origin };
    north = await addNode(world, ofNorth, {
      simulator,
      pools: [
        pool('Accounting', { protocols: ['rdp'], comments: 'Ledgers' }),
        pool('Office'),
        pool('Workshop', { protocols: ['rdp'], state: 'preparing', percent: 30 }),
      ],
    });
    west = await addNode(world, ofWest, { simulator, pools: [pool('Library', { protocols: ['rdp'] })] });
  });
  afterEach(() => {
    Object.assign(west.simulator.knobs, { hang: null, failing: null, unknownUsers: [] });
  });
  afterAll(async () => {
    await north?.simulator.close();
    await west?.simulator.close();
  });

  const { open } = tabs;
  const account = () => ({
    domain: tabs.stand.world.domain.name,
    name: member.user.name,
    password: goodPassword,
  });
  const openHome = () => open('/home/', undefined, account());
  async function signIn(page: Page): Promise<void> {
    await page.locator('#domain').selectOption({ label: tabs.stand.world.domain.name });
    await page.locator('#username').fill(member.user.name);
    await page.locator('#password').fill(goodPassword);
    await page.locator('#credentials [type=submit]').click();
    await page.waitForURL('**/home/');
  }
  const card = (page: Page, name: string) => page.getByRole('article').filter({ hasText: name });
  const shown = (page: Page, name: string) => card(page, name).waitFor();

  it('is opened from the address of the portal, after the sign-in', async () => {
    const page = await open('/');
    expect(new URL(page.url()).pathname).toBe('/signin');
    await signIn(page);
    for (const name of ['Accounting', 'Library', 'Office', 'Workshop']) await shown(page, name);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Workplaces');
    await page.goto('/');
    expect(new URL(page.url()).pathname).toBe('/home/');
  });

  it('connects: the file is that of the workplace', async () => {
    const page = await openHome();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Connect to Accounting' }).click();
    const download = await saved;
    const content = (await readFile(await download.path())).toString('utf16le');
    const [workplace] = north.simulator.state.poolNamed('Accounting').members;
    expect(content).toContain(`full address:s:${workplace?.ip}:3389`);
    await page.getByText('Your workplace is ready').waitFor();
    await expectGood(page, 'home-connected');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await card(page, 'Accounting').getByText('Open', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Reconnect to Accounting' }).waitFor();
  });

  it('keeps favourites first, and the last chosen protocol', async () => {
    const page = await openHome();
    await shown(page, 'Office');
    await page.getByRole('button', { name: 'Favourite: Office' }).click();
    const first = page.getByRole('article').filter({ hasNotText: 'Open' }).first();
    await first.filter({ hasText: 'Office' }).waitFor();
    await page.getByRole('button', { name: 'More about Office' }).click();
    const chosen = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Connect with SPICE' }).click();
    expect((await chosen).suggestedFilename()).toBe('Office.vv');
    await page.getByText('Nothing opens?').click();
    await page.getByText('Install virt-viewer from your distribution.').waitFor();
    await expectGood(page, 'home-help');
    await page.reload();
    await page.getByRole('button', { name: 'Favourite: Office', pressed: true }).waitFor();
    const again = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Reconnect to Office' }).click();
    expect((await again).suggestedFilename()).toBe('Office.vv');
  });

  it('ends an open session after a question', async () => {
    const page = await openHome();
    await page.getByRole('button', { name: /^(Rec|C)onnect to Library$/ }).click();
    await page.getByText('Your workplace is ready').waitFor();
    await page.keyboard.press('Escape');
    await card(page, 'Library').getByText('Open', { exact: true }).waitFor();
    expect(west.simulator.state.sessions.all().length).toBe(1);
    await page.getByRole('button', { name: 'More about Library' }).click();
    await page.getByRole('button', { name: 'Log off' }).click();
    await page.getByText('Unsaved work is lost.').waitFor();
    await expectGood(page, 'home-log-off');
    await page.getByRole('dialog').getByRole('button', { name: 'Log off' }).click();
    await page.getByText('You are logged off from Library').waitFor();
    await page.getByRole('button', { name: 'Connect to Library' }).waitFor();
    expect(west.simulator.state.sessions.all().length).toBe(0);
  });

  it('shows how far the preparation is, until it is ready', async () => {
    const page = await openHome();
    await page.getByRole('button', { name: 'Connect to Workshop' }).click();
    await expect
      .poll(() => page.getByRole('progressbar').getAttribute('aria-valuenow'), { timeout: 20_000 })
      .toBe('30');
    const saved = page.waitForEvent('download');
    Object.assign(north.simulator.state.poolNamed('Workshop'), { state: 'ready' });
    await saved;
    Object.assign(north.simulator.state.poolNamed('Workshop'), { state: 'preparing' });
  });

  it('names a site that hangs, and shows the others without it', async () => {
    await tabs.stand.world.portal.send('PUT /api/webui/aggregator/tconfig', {
      token: await tabs.stand.world.portal.login(),
      body: { aggregator: { services_fresh_s: { value: 0 } } },
    });
    west.simulator.knobs.hang = 'headers';
    const page = await openHome();
    await shown(page, 'Office');
    await page.getByText('West does not answer').waitFor({ timeout: 30_000 });
    await page.getByText(/^What you see of it is .+ old\.$/).waitFor();
    await shown(page, 'Library');
  });

  it('names a site that it waits for, and a site that does not know the account', async () => {
    const { portal } = tabs.stand.world;
    const setDeadline = async (value: number) =>
      portal.send('PUT /api/webui/aggregator/tconfig', {
        token: await portal.login(),
        body: { aggregator: { list_deadline_ms: { value }, services_fresh_s: { value: 0 } } },
      });
    await setDeadline(20_000);
    await portal.db.delete(serviceLists);
    west.simulator.knobs.hang = 'headers';
    const page = await openHome();
    await shown(page, 'Office');
    await page.getByText('Waiting for West …').waitFor();
    await page.getByText('West does not answer').waitFor({ timeout: 30_000 });
    expect(await page.getByText('Waiting for West …').count()).toBe(0);
    Object.assign(west.simulator.knobs, { hang: null, unknownUsers: [member.user.name] });
    await portal.settled();
    await portal.db.delete(dispatcherSessions).where(isNotNull(dispatcherSessions.user_id));
    await page.reload();
    await page.getByText('Your account is not known at West').waitFor();
    expect(await page.getByText('does not answer').count()).toBe(0);
    await shown(page, 'Office');
    await expectGood(page, 'home-not-known');
    await setDeadline(1_500);
  });

  it('is used by keyboard alone', async () => {
    const page = await openHome();
    await shown(page, 'Accounting');
    await page.keyboard.press('/');
    await page.keyboard.type('ledg');
    await expect.poll(() => page.getByRole('article').count()).toBe(1);
    const saved = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    await saved;
    await page.getByText('Your workplace is ready').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.locator('[type=search]:focus').waitFor();
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => page.getByRole('article').count()).toBe(4);
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest('article')?.getAttribute('data-key'));
    const keys = await page
      .getByRole('article')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-key')));
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(keys[0]);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe(keys[1]);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
  });

  it('stays as it is when the session ends, and leads to the sign-in page', async () => {
    const page = await openHome();
    await shown(page, 'Accounting');
    await page.evaluate(() => fetch('/signout', { method: 'POST' }));
    await page.getByRole('button', { name: 'Connect to Accounting' }).click();
    await page.getByText('Your session has ended').waitFor();
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.waitForURL('**/signin?next=%2Fhome%2F');
    await signIn(page);
    await shown(page, 'Accounting');
  });

  it('has the account: a wrong password is named, other sessions are ended', async () => {
    const { portal, domain } = tabs.stand.world;
    const other = (await logIn(portal, domain, member.user)).body.token;
    const page = await openHome();
    await page.getByRole('button', { name: 'Alice Liddell' }).click();
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.getByText('This session').waitFor();
    await expectGood(page, 'account');
    const [current] = await page.getByLabel('Current password').all();
    await current?.fill('wrong wrong wrong');
    await page.getByLabel('New password', { exact: true }).fill('nine quiet harbours wait');
    await page.getByLabel('Repeat the new password').fill('nine quiet harbours sleep');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The new passwords do not match.').waitFor();
    await page.getByLabel('Repeat the new password').fill('nine quiet harbours wait');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The current password is incorrect.').waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This browser stays signed in').waitFor();
    await dialog.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByText('You are signed in only here').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Sign out/ }).count()).toBe(0);
    expect((await tabs.stand.world.portal.send('GET /api/userinfo', { token: other })).status).toBe(401);
    await page.getByRole('link', { name: 'Back to the workplaces' }).click();
    await shown(page, 'Accounting');
  });

  it.each(looks)('is good to look at: %s, %s, %i px', async (locale, colorScheme, width) => {
    const page = await open('/home/', { locale, colorScheme, viewport: { width, height: 900 } }, account());
    await shown(page, 'Library');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(
      locale === 'ru-RU' ? 'Рабочие места' : 'Workplaces',
    );
    await expectGood(page, `home-${colorScheme}`);
    await page.getByRole('button', { name: 'Alice Liddell' }).click();
    await page.getByRole('button', { name: locale === 'ru-RU' ? 'English' : 'Русский' }).waitFor();
    await expectGood(page, `home-menu-${colorScheme}`);
  });

  it('keeps the language that the user chooses', async () => {
    const page = await openHome();
    await shown(page, 'Library');
    await page.getByRole('button', { name: 'Alice Liddell' }).click();
    await page.getByRole('button', { name: 'Русский' }).click();
    await page.getByRole('heading', { level: 1, name: 'Рабочие места' }).waitFor();
    await page.getByRole('button', { name: 'Alice Liddell' }).click();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Workplaces' }).waitFor();
  });
});
