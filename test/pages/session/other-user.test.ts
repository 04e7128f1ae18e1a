import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addMember, addSite, base, goodPassword, type Member } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { type Account, goTo, signIn, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

const rights = ['sites.read', 'sites.update'];

requireService('chromium', hasChromium)('a page after the sign-in of another user in another tab', () => {
  let site: Json;
  let first: Member;
  let second: Member;
  const tabs = useConsoleTabs(async ({ world }) => {
    site = await addSite(world.admin, { name: 'Alder', uri: 'alder' });
    first = await addMember(world, rights, '*', { real_name: 'Alice Liddell' });
    second = await addMember(world, rights, '*', { real_name: 'Bob Bell' });
  });
  const accountOf = ({ user }: Member): Account => ({
    ...{ domain: tabs.stand.world.domain.name, name: user.name, password: goodPassword },
  });
  const notice = (page: Page) => page.getByText('Another user has signed in', { exact: true });
  const siteNow = async () => (await tabs.stand.world.admin(`GET ${base}/sites/${site.id}`)).body;

  /** A form with typed text, of Alice. */
  async function typed(): Promise<Page> {
    const page = await tabs.open(`/site/${site.id}/edit`, {}, accountOf(first));
    await page.getByLabel('Comments').fill('Typed by Alice');
    return page;
  }

  /** Signs out by the menu of the user, and in as another one, in another tab of the same browser. */
  async function signInElsewhere(page: Page, member: Member): Promise<Page> {
    const other = await page.context().newPage();
    await other.goto('/console/');
    await other.getByRole('button', { name: /^(?:Alice Liddell|Bob Bell)$/ }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.waitForURL('**/signin');
    await signIn(other, accountOf(member));
    await other.waitForURL('**/console/');
    await other.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    return other;
  }

  it('has left no names of records in the browser with its sign-out', async () => {
    const page = await tabs.open(`/site/${site.id}`, {}, accountOf(first));
    const kept = () => page.evaluate(() => JSON.stringify(localStorage));
    await expect.poll(kept).toContain('Alder');
    await page.evaluate(() => localStorage.setItem('scheme', 'dark'));
    await signInElsewhere(page, second);
    expect(await kept()).not.toContain('Alder');
    expect(await kept()).toContain('dark');
    await page.evaluate(() => localStorage.removeItem('scheme'));
  });

  it('says so at once, sends nothing as that user, and shows them no draft of the former one', async () => {
    const page = await typed();
    await signInElsewhere(page, second);
    await page.getByRole('dialog').getByText('This page is that of Alice Liddell').waitFor();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await expectGood(page, 'other-user-dialog');
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Another user has signed in in this browser').waitFor();
    expect(sent.filter((path) => path.startsWith('/api/'))).toEqual([]);
    await expectGood(page, 'other-user-notice');
    await page.getByRole('button', { name: 'Load this page again' }).click();
    await page.getByRole('button', { name: 'Bob Bell' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await page.getByLabel('Comments').inputValue()).toBe('');
    expect(await page.getByText('Your unsaved entries were kept').count()).toBe(0);
    expect((await siteNow()).comments).toBe('');
  });

  it('notices it without a message of the other page, when it needs a new token', async () => {
    const page = await typed();
    const other = await page.context().newPage();
    await other.goto('/signin');
    const status = await other.evaluate(
      async ([username, password, auth]) => {
        await fetch('/signout', { method: 'POST' });
        const body = JSON.stringify({ username, password, auth });
        const headers = { 'content-type': 'application/json' };
        return (await fetch('/signin', { method: 'POST', headers, body })).status;
      },
      [second.user.name, goodPassword, tabs.stand.world.domain.name],
    );
    expect(status).toBe(200);
    expect(await notice(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('dialog')
      .filter({ has: notice(page) })
      .waitFor();
    expect((await siteNow()).comments).toBe('');
  });

  it('goes on with what was typed when the former user has signed in again', async () => {
    const page = await typed();
    await signInElsewhere(page, second);
    await notice(page).waitFor();
    await signInElsewhere(page, first);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').filter({ hasText: 'Typed by Alice' }).waitFor();
    expect((await siteNow()).comments).toBe('Typed by Alice');
    await tabs.stand.world.admin(`PATCH ${base}/sites/${site.id}`, { comments: '' });
  });

  it('says that the session has ended at once after a sign-out in another tab', async () => {
    const page = await typed();
    const other = await page.context().newPage();
    await other.goto('/console/');
    await other.getByRole('button', { name: 'Alice Liddell' }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.waitForURL('**/signin**');
    await page.getByRole('dialog').getByText('Your session has ended').waitFor();
    expect(await page.getByLabel('Comments').inputValue()).toBe('Typed by Alice');
  });

  it('is the same on the page of a user', async () => {
    const { world } = tabs.stand;
    const [user, other] = [
      await addMember(world, [], '*', { real_name: 'Carol Clark' }),
      await addMember(world, [], '*', { real_name: 'Dan Dale' }),
    ];
    const page = await tabs.open('/', { locale: 'ru-RU' }, accountOf(first));
    await page.context().clearCookies();
    await page.goto('/home/');
    await signIn(page, accountOf(user));
    await page.waitForURL('**/home/');
    await page.getByRole('button', { name: 'Carol Clark' }).waitFor();
    const elsewhere = await page.context().newPage();
    await elsewhere.goto('/home/');
    await elsewhere.getByRole('button', { name: 'Carol Clark' }).click();
    await elsewhere.getByRole('button', { name: 'Выйти' }).click();
    await elsewhere.waitForURL('**/signin');
    await signIn(elsewhere, accountOf(other));
    await elsewhere.waitForURL('**/home/');
    await page.getByRole('heading', { name: 'Вошёл другой пользователь' }).waitFor();
    await page.getByRole('button', { name: 'Загрузить страницу снова' }).click();
    await page.getByRole('button', { name: 'Dan Dale' }).waitFor();
  });
});

requireService('chromium', hasChromium)('what the browser keeps for a user', () => {
  const tabs = useConsoleTabs(async ({ world }) => {
    await addSite(world.admin, { name: 'Birch', uri: 'birch' });
  });

  it('is not shown to a user of the same name in another domain', async () => {
    const { world } = tabs.stand;
    await addMember(world, ['sites.read', 'sites.create'], '*', { name: 'admin' });
    const page = await tabs.open('/site/new');
    await page.getByLabel('Name', { exact: true }).fill('Typed by the built-in administrator');
    await goTo(page, '/setup/site');
    await page.getByLabel('Name of the site').fill('Set up by the built-in administrator');
    await page.context().clearCookies();
    await page.goto('about:blank');
    await page.goto('/console/#/site/new');
    await signIn(page, { domain: world.domain.name, name: 'admin', password: goodPassword });
    await page.getByRole('button', { name: 'Create', exact: true }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    const kept = await page.evaluate(() => Object.keys(sessionStorage));
    expect(kept.filter((key) => key.startsWith('draft'))).toHaveLength(2);
    await page.context().clearCookies();
    await page.goto('about:blank');
    await page.goto('/console/#/site/new');
    await signIn(page);
    await page.getByText('Your unsaved entries were kept').waitFor();
    await goTo(page, '/setup/site');
    await page.getByLabel('Name of the site').waitFor();
    expect(await page.getByLabel('Name of the site').inputValue()).toBe(
      'Set up by the built-in administrator',
    );
  });
});
