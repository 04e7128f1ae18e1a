import { sql } from 'drizzle-orm';
import { expect, it, vi } from 'vitest';
import { reportPortal } from '../../../db/repositories/monitoring/portals.ts';
import { portals } from '../../../db/schema/sites/portals.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { base } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('portals in the console', () => {
  const tabs = useConsoleTabs(async ({ world: { portal } }) => {
    for (const [name, version] of [
      ['east-1', '7.1.0'],
      ['east-2', '7.0.0'],
      ['gone-1', '6.9.0'],
    ] as const)
      await reportPortal(portal.db, {
        ...{ id: newId(), name, name_key: name, fqdn: `${name}.example.com`, portal_type: 'admin' },
        ...{ runtime: 'node', version, build: '1', os: 'Linux', started_at: new Date() },
        metrics: { version_info: { version }, sites_count: 3, farms_count: 12 },
      });
    await portal.ownerDb.execute(
      sql`update ${portals} set last_seen_at = now() - interval '1 day' where name = 'gone-1'`,
    );
  });
  const named = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('shows the answering process, outdated and silent portals', async () => {
    const page = await tabs.open('/portal');
    await page.getByText('1 portal has an older version').waitFor();
    await page.getByText('Update east-2 to 7.1.0.').waitFor();
    await page.getByText('1 portal does not report').waitFor();
    await page.getByText('None runs: no synchronization, no probes').waitFor();
    await page.getByText(/^PostgreSQL /).waitFor();
  });

  it('shows the figures of a portal and changes its tags', async () => {
    const page = await tabs.open('/portal');
    await named(page, 'east-1').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('12', { exact: true }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await dialog.getByLabel('Tags').fill('berlin, blue');
    await dialog.getByRole('button', { name: 'Try first' }).click();
    await dialog.getByRole('row').filter({ hasText: 'berlin' }).waitFor();
    await expectGood(page, 'portals-tags-trial');
    const tagged = async () =>
      (await tabs.stand.world.admin(`GET ${base}/appnodes/portals?tag=blue`)).body.items;
    expect(await tagged()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The tags are saved').waitFor();
    expect(await tagged()).toMatchObject([{ name: 'east-1', tags: ['berlin', 'blue'] }]);
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, colorScheme, width] of looks) {
      const page = await tabs.open('/portal', { locale, colorScheme, viewport: { width, height: 900 } });
      await page.getByText('PostgreSQL').first().waitFor();
      await expectGood(page, `portals-${locale}-${colorScheme}`);
      await named(page, 'gone-1').click();
      await page.getByRole('dialog').getByText('12', { exact: true }).waitFor();
      await expectGood(page, `portal-dialog-${locale}-${colorScheme}`);
    }
  });

  it('deletes a portal that no longer reports', async () => {
    const page = await tabs.open('/portal?state=offline');
    await named(page, 'gone-1').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete portal gone-1?' });
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('gone-1 is deleted').waitFor();
    const { body } = await tabs.stand.world.admin(`GET ${base}/appnodes/portals?search=gone`);
    expect(body.items).toEqual([]);
  });
});
