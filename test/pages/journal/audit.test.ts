import { sql } from 'drizzle-orm';
import { expect, it, vi } from 'vitest';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { sealAll } from '../../support/audit/audit.ts';
import { addSite, addUser, base, logIn } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('the audit log in the console', () => {
  let site: Json;
  const tabs = useConsoleTabs(async ({ world: { admin } }) => {
    site = await addSite(admin, { name: 'Amber', uri: 'amber' });
    await admin(`PATCH ${base}/sites/${site.id}`, { comments: 'By the sea', enabled: false });
    await admin(`PUT ${base}/tconfig`, { audit: { retention_days: { value: 400 } } });
    await admin(`GET ${base}/sites/01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11`);
  });
  const titled = (page: Page, text: string | RegExp) => page.getByRole('button', { name: text });

  it('says in words what happened, and shows an event with its changes and links', async () => {
    const page = await tabs.open('/audit');
    await titled(page, 'Setting changed: System parameter audit.retention_days').waitFor();
    await titled(page, 'Changed: Site Amber').click();
    const dialog = page.getByRole('dialog');
    const comments = dialog.getByRole('row').filter({ hasText: 'Comments' });
    await comments.getByText('By the sea').waitFor();
    await dialog.getByText('PATCH /api/webui/aggregator/sites/{id}').waitFor();
    await expectGood(page, 'audit-event');
    await dialog.getByRole('link', { name: 'History of this object' }).click();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(2);
    expect(page.url()).toContain(`object_id=${site.id}`);
    await titled(page, 'Created: Site Amber').click();
    await page.getByRole('dialog').getByRole('link', { name: 'Site Amber' }).click();
    await page.getByRole('heading', { name: 'Amber', level: 1 }).waitFor();
  });

  it('has filters that are often used, which the address keeps', async () => {
    const page = await tabs.open('/audit');
    await titled(page, 'Changed: Site Amber').waitFor();
    const failed = page.getByRole('button', { name: 'Failed', exact: true });
    await failed.click();
    await expect.poll(() => titled(page, 'Changed: Site Amber').count()).toBe(0);
    expect(await failed.getAttribute('aria-pressed')).toBe('true');
    await failed.click();
    await titled(page, 'Changed: Site Amber').waitFor();
    const hour = page.getByRole('button', { name: 'Last hour' });
    await hour.click();
    await page.reload();
    await titled(page, 'Changed: Site Amber').waitFor();
    expect(await hour.getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Today' }).click();
    await expect.poll(() => hour.getAttribute('aria-pressed')).toBe('false');
    await page.getByRole('button', { name: 'By me' }).click();
    await expect.poll(() => page.url()).toContain('user=admin');
  });

  it('marks the name of a user that looks like another one, and says what acted instead of a user', async () => {
    const { world } = tabs.stand;
    // The first letter is Cyrillic.
    const user = await addUser(world.admin, world.domain, { name: '\u0430dmin' });
    await logIn(world.portal, world.domain, user, { password: 'wrong' });
    const session = await logIn(world.portal, world.domain, user);
    expect(session.status).toBe(200);
    const page = await tabs.open('/audit');
    const eventOf = (text: string) => page.getByRole('row').filter({ hasText: text }).first();
    const refused = eventOf('Login failed');
    await refused.getByText('Without a session').waitFor();
    await refused.getByText('Look-alike').waitFor();
    await refused.getByText('letters of several scripts: Latin, Cyrillic').waitFor({ state: 'attached' });
    const changed = eventOf('Changed: Site Amber');
    await changed.waitFor();
    expect(await changed.getByText(/Look-alike|Without a session/).count()).toBe(0);
    await goTo(page, `/user?auth_uuid=${world.domain.id}`);
    const row = page.getByRole('row').filter({ hasText: user.name });
    await row.getByText('Look-alike').waitFor();
    await expectGood(page, 'users-look-alike');
  });

  it('verifies the chain, and leads to the event where it is broken', async () => {
    const { sidecarDb, ownerDb } = tabs.stand.world.portal;
    const page = await tabs.open('/audit_chain');
    await page.getByRole('button', { name: 'Start the verification' }).click();
    await page.getByText('No event is sealed yet').waitFor();
    const sealed = await sealAll(sidecarDb);
    await page.getByRole('button', { name: 'Verify again' }).click();
    await page.getByText(`All ${sealed} events are unchanged`).waitFor();
    await expectGood(page, 'audit-chain-good');
    await ownerDb.execute(sql`alter table audit_events disable trigger user`);
    await ownerDb.update(auditEvents).set({ user_name: 'another user' }).where(sql`${auditEvents.seq} = 2`);
    await page.getByRole('button', { name: 'Verify again' }).click();
    await page.getByRole('alert').getByText('The log is broken at position 2').waitFor();
    await page.getByText(`1 of ${sealed} events verified`).waitFor();
    await expectGood(page, 'audit-chain-broken');
    await page.getByRole('link', { name: 'Show the event' }).click();
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(1);
    expect(page.url()).toContain('seq=2');
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, colorScheme, width] of looks) {
      const viewport = { width, height: 900 };
      const page = await tabs.open('/audit', { locale, colorScheme, viewport });
      await page.getByRole('rowheader').getByRole('button').first().waitFor();
      await expectGood(page, `audit-${locale}-${colorScheme}`);
      await page.getByRole('rowheader').getByRole('button', { name: /Amber/ }).first().click();
      await page.getByRole('dialog').getByRole('table').waitFor();
      await expectGood(page, `audit-event-${locale}-${colorScheme}`);
      await page.keyboard.press('Escape');
      await goTo(page, '/audit_chain');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectGood(page, `audit-chain-${locale}-${colorScheme}`);
    }
  });
});
