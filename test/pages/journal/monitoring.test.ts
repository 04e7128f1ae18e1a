import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addDispatcher, addFarm, addMonitoringRecord, addSite, base } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('the monitoring journal in the console', () => {
  let node: Json;
  let failing: Json;
  const tabs = useConsoleTabs(async ({ world: { admin } }) => {
    const site = await addSite(admin, { name: 'Amber', uri: 'amber' });
    node = await addDispatcher(admin, await addFarm(admin, site, { name: 'Amber farm' }), {
      name: 'amber-1',
    });
    const about = {
      source: 'dispatcher',
      object_type: 'dispatcher',
      object_id: node.id,
      object_name: node.name,
    };
    failing = await addMonitoringRecord(admin, {
      ...about,
      level: 'error',
      code: 'dispatcher_fail',
      message: 'Dispatcher amber-1 fails',
    });
    for (const n of [1, 2, 3])
      await addMonitoringRecord(admin, { level: 'warning', message: `Disk ${n} is full` });
  });
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const stateOf = async (id: string) =>
    (await tabs.stand.world.admin(`GET ${base}/monitoring/${id}`)).body.state;

  it('explains a record, leads to its object, and is acknowledged and closed', async () => {
    const page = await tabs.open('/monitoring_record');
    await page.getByRole('link', { name: 'Dispatcher amber-1 fails' }).click();
    await page.getByText('The health probe of the node fails.').waitFor();
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('The record is acknowledged').waitFor();
    await page.getByRole('definition').filter({ hasText: 'admin' }).waitFor();
    expect(await stateOf(failing.id)).toBe('acknowledged');
    await page.getByRole('button', { name: 'Close', exact: true }).first().click();
    await page.getByText('The record is closed').waitFor();
    expect(await stateOf(failing.id)).toBe('closed');
    await page.getByRole('link', { name: 'Dispatcher node amber-1' }).click();
    await page.getByRole('heading', { name: 'amber-1', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'All records about this object' }).click();
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(1);
  });

  it('closes several records at once', async () => {
    const page = await tabs.open('/monitoring_record?search=Disk', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await row(page, 'Disk 3').waitFor();
    await page.getByLabel('Select all loaded rows').check();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Close: 3 records' });
    await dialog.getByRole('listitem').filter({ hasText: 'Disk 2 is full' }).waitFor();
    await dialog.getByRole('button', { name: 'Copy as curl command' }).click();
    const commands = await page.evaluate(() => navigator.clipboard.readText());
    expect(commands.match(/-X PATCH .+\/monitoring\/[\w-]{36}'/g)).toHaveLength(3);
    await dialog.getByRole('button', { name: 'Try first' }).click();
    await dialog.getByText('Nothing is changed yet. 3 of 3 would change.').waitFor();
    await expectGood(page, 'monitoring-trial');
    const { admin } = tabs.stand.world;
    expect((await admin(`GET ${base}/monitoring?state=open&search=Disk`)).body.items).toHaveLength(3);
    await dialog.getByRole('button', { name: 'Close: 3 records' }).click();
    await page.getByText('3 records are closed').waitFor();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('No records match').waitFor();
    const { body } = await admin(`GET ${base}/monitoring?state=closed&search=Disk`);
    expect(body.items).toHaveLength(3);
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, colorScheme, width] of looks) {
      const viewport = { width, height: 900 };
      const page = await tabs.open('/monitoring_record', { locale, colorScheme, viewport });
      await row(page, 'amber-1').waitFor();
      await expectGood(page, `monitoring-${locale}-${colorScheme}`);
      await goTo(page, `/monitoring_record/${failing.id}`);
      await page.getByRole('definition').first().waitFor();
      await expectGood(page, `monitoring-record-${locale}-${colorScheme}`);
    }
  });
});
