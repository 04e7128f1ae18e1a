import { expect, it, vi } from 'vitest';
import type { Tab } from '../../e2e/support/browser.ts';
import { addSite, base, logIn } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('live updates of the console', () => {
  let site: Json;
  const tabs = useConsoleTabs(async ({ world }) => {
    site = await addSite(world.admin, { name: 'Alder', uri: 'alder' });
  });
  const rename = (name: string) =>
    tabs.stand.world.admin(`PATCH ${base}/sites/${site.id}`, { name }).then(({ status }) => {
      expect(status).toBe(200);
    });
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const followed = (page: Page) => page.waitForResponse((answer) => answer.url().includes('/changes'));

  it('show what others change in a list and on the page of a record', async () => {
    const page = await tabs.open('/site');
    await row(page, 'Alder').waitFor();
    await rename('Beech');
    await row(page, 'Beech').waitFor();
    await page.getByRole('link', { name: 'Beech' }).click();
    await page.getByRole('heading', { name: 'Beech', level: 1 }).waitFor();
    await rename('Alder');
    await page.getByRole('heading', { name: 'Alder', level: 1 }).waitFor();
  });

  it('show a lock-out in its list when failed logins cause it', async () => {
    const { domain, portal } = tabs.stand.world;
    const page = await tabs.open('/lockOut');
    await page.getByText('No sign-in is refused now because of wrong passwords.').waitFor();
    for (let n = 0; n < 5; n++)
      await logIn(portal, domain, { name: 'guessed' }, { password: 'a wrong guess' });
    await row(page, 'guessed').waitFor({ timeout: 20_000 });
  });

  it('go on by polls where there are no streams', async () => {
    const page = await tabs.open('/site');
    await page.route('**/changes*', (route) =>
      route.continue({ headers: { ...route.request().headers(), accept: 'application/json' } }),
    );
    const polled = followed(page);
    await page.reload();
    await row(page, 'Alder').waitFor();
    await polled;
    await rename('Cherry');
    await row(page, 'Cherry').waitFor();
    await rename('Alder');
    await row(page, 'Alder').waitFor();
  });

  it('continue after an interruption with what was changed meanwhile', async () => {
    const page = await tabs.open('/site');
    await row(page, 'Alder').waitFor();
    await tabs.stand.stop();
    await rename('Damson');
    await tabs.stand.restart();
    await row(page, 'Damson').waitFor();
    await rename('Alder');
    await row(page, 'Alder').waitFor();
  });

  it('leave a form as it is, and the conflict is resolved when it is saved', async () => {
    const page = await tabs.open(`/site/${site.id}/edit`);
    await page.getByLabel('Comments').fill('Typed before');
    await rename('Elder');
    await page.getByText('Another administrator has changed this record').waitFor();
    expect(await page.getByLabel('Comments').inputValue()).toBe('Typed before');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Alder');
    await page.getByLabel('Name', { exact: true }).fill('Fir');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByRole('row').filter({ hasText: 'Elder' });
    await name.getByText('Fir').waitFor();
    await name.getByText('Alder').waitFor();
    await name.getByRole('radio', { name: 'Name: Theirs' }).check();
    await dialog.getByRole('button', { name: 'Save the chosen values' }).click();
    await page.getByRole('heading', { name: 'Elder', level: 1 }).waitFor();
    await page.getByText('Typed before').waitFor();
    await rename('Alder');
  });

  it('keep what was typed over a reload, and not after it was saved', async () => {
    const page = await tabs.open(`/site/${site.id}/edit`);
    await page.getByLabel('Comments').fill('Kept over a reload');
    await page.reload();
    await page.getByText('Your unsaved entries were kept').waitFor();
    expect(await page.getByLabel('Comments').inputValue()).toBe('Kept over a reload');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').filter({ hasText: 'Kept over a reload' }).waitFor();
    await goTo(page, `/site/${site.id}/edit`);
    await page.getByLabel('Comments').waitFor();
    expect(await page.getByText('Your unsaved entries were kept').count()).toBe(0);
  });
});
