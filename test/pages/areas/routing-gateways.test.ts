import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addGateway, addSite, base } from '../../support/factories.ts';
import { inMinutes } from '../../support/fleet/maintenance.ts';
import { wsproxy } from '../../support/gateways/tickets.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasChromium)('gateways and templates in the console', () => {
  let gateway: Json;
  const tabs = useConsoleTabs(async ({ world: { admin } }) => {
    const site = await addSite(admin, { name: 'Alpha', uri: 'alpha' });
    gateway = await addGateway(admin, { name: 'gw-1', sites: [site.id] });
  });
  const beat = (token: string) =>
    tabs.stand.world.portal.send(`POST ${wsproxy}/heartbeat`, {
      body: { connections: 3, sent: 5_000_000_000, received: 7 },
      headers: { authorization: `Bearer ${token}` },
    });
  const dialog = (page: Page) => page.getByRole('dialog');

  it('shows whether a gateway serves users, and takes it out of service', async () => {
    const page = await tabs.open(`/gateway/${gateway.id}`);
    await page.getByText('The gateway has not sent a heartbeat yet').waitFor();
    expect((await beat(gateway.token)).status).toBe(200);
    await page.reload();
    await page.getByText('Online, serves 1 site').waitFor();
    await page.getByRole('listitem').filter({ hasText: '5 GB' }).waitFor();
    await page.getByRole('button', { name: 'Start maintenance' }).click();
    await dialog(page).getByText('3 open tunnels stay until their users close them').waitFor();
    await dialog(page).getByRole('button', { name: 'Try first' }).click();
    await dialog(page).getByRole('row').filter({ hasText: 'Maintenance' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Start maintenance' }).click();
    await page.getByText('In maintenance: no new connections. 3 tunnels are still open').waitFor();
    await page.getByRole('button', { name: 'End maintenance' }).press('Enter');
    await dialog(page).getByRole('button', { name: 'End maintenance' }).press('Enter');
    await page.getByText('Online, serves 1 site').waitFor();
  });

  it('replaces the token and shows the new one once', async () => {
    const page = await tabs.open(`/gateway/${gateway.id}`);
    await page.getByRole('button', { name: 'New token' }).click();
    await dialog(page).getByText('The present token stops working at once').waitFor();
    await dialog(page).getByRole('button', { name: 'New token' }).click();
    const field = dialog(page).getByRole('textbox');
    await field.waitFor();
    const token = await field.inputValue();
    expect([(await beat(gateway.token)).status, (await beat(token)).status]).toEqual([403, 200]);
    await dialog(page).getByRole('button', { name: 'I have' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(token);
  });

  it('shows what a template does while it is typed, and what it applies to', async () => {
    const { admin } = tabs.stand.world;
    const page = await tabs.open('/maintenance_template/new');
    await page.getByText('As soon as it is switched on').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Disks');
    await page.getByLabel('Message').fill('Back soon');
    await page.getByLabel('Log off sessions').check();
    await page.getByRole('listitem').filter({ hasText: 'Sessions are logged off' }).waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('The template applies to nothing yet').waitFor();
    const [template] = (await admin(`GET ${base}/maintenance?search=disks`)).body.items;
    await admin(`PATCH ${base}/maintenance/${template.id}`, {
      start_at: inMinutes(60),
      end_at: inMinutes(180),
    });
    const [site] = (await admin(`GET ${base}/sites?search=alpha`)).body.items;
    await admin(`PATCH ${base}/sites/${site.id}`, {
      maintenance: true,
      maintenance_template_id: template.id,
    });
    await page.getByRole('link', { name: 'Site Alpha' }).waitFor();
    await page.getByText('Duration: 2 hours').waitFor();
    // 60 minutes before the start.
    await page.getByRole('heading', { name: 'What happens in' }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'in 3 hours' }).waitFor();
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    const [template] = (await tabs.stand.world.admin(`GET ${base}/maintenance?search=disks`)).body.items;
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open(`/gateway/${gateway.id}`, {
        locale,
        colorScheme: scheme,
        viewport: { width, height: 900 },
      });
      await page.getByRole('heading', { name: 'gw-1', level: 1 }).waitFor();
      await page.getByRole('region').first().waitFor();
      await expectGood(page, `routing-gateway-${locale}-${scheme}`);
      await goTo(page, `/maintenance_template/${template.id}`);
      await page.getByRole('listitem').filter({ hasText: 'Alpha' }).waitFor();
      await expectGood(page, `routing-template-${locale}-${scheme}`);
    }
  });
});
