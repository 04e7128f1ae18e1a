import { X509Certificate } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect, it, vi } from 'vitest';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { expectGood } from '../../e2e/support/browser.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { addDirectory, addDispatcher, addFarm, addSite } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

const { caPem } = await createAuthority();

requireService('chromium', hasChromium)('certificates in the console', () => {
  const tabs = useConsoleTabs(async ({ world: { admin, portal } }) => {
    const ca_certificate = caPem;
    await addDirectory(admin, { ca_certificate }, { name: 'Corporate directory' });
    const farm = await addFarm(admin, await addSite(admin, { name: 'Amber' }), { name: 'Amber farm' });
    for (const [name, days] of [
      ['amber-1', 200],
      ['amber-2', 3],
    ] as const) {
      const node = await addDispatcher(admin, farm, { name, ca_certificate });
      const not_after = new Date(Date.now() + days * 86_400_000).toISOString();
      const certificate = { subject: `CN=${name}.example.com`, issuer: 'CN=Example CA', not_after };
      await portal.db.update(dispatchers).set({ certificate }).where(eq(dispatchers.id, node.id));
    }
  });

  it('are listed with those that expire first at the top, and lead to the node', async () => {
    const page = await tabs.open('/certificates');
    await page.getByText('1 certificate expires within 30 days').waitFor();
    const first = page.getByRole('row').nth(1);
    await first.getByText('CN=amber-2.example.com').waitFor();
    await first.getByText('in 3 days').waitFor();
    await expect.poll(() => page.getByText('Trusted for TLS').count()).toBe(3);
    await page.getByRole('link', { name: 'Corporate directory' }).waitFor();
    const print = new X509Certificate(caPem).fingerprint256;
    await expect.poll(() => page.getByText(`SHA-256 ${print}`).count()).toBe(3);
    await first.getByRole('link', { name: 'amber-2' }).click();
    await page.getByRole('heading', { name: 'amber-2', level: 1 }).waitFor();
  });

  it('are good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, colorScheme, width] of looks) {
      const viewport = { width, height: 900 };
      const page = await tabs.open('/certificates', { locale, colorScheme, viewport });
      await page.getByText('CN=amber-2.example.com').waitFor();
      await expectGood(page, `certificates-${locale}-${colorScheme}`);
    }
  });
});
