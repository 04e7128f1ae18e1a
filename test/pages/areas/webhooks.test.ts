import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { addSite, addTag } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';
import { type WebhookStand, webhookStand } from '../../support/webhooks/stand.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasChromium)('webhooks in the console', () => {
  let hooks: WebhookStand;
  let failing: { webhook: Json; receiver: Receiver };
  let fresh: Receiver;
  const tabs = useConsoleTabs(async ({ world }) => {
    hooks = webhookStand(world);
    await addSite(world.admin, { name: 'North', uri: 'north' });
    fresh = await startReceiver();
    failing = await hooks.add(
      { name: 'Ticket system', events: ['tag.created'] },
      { reaction: { status: 500 } },
    );
    for (let n = 0; n < 3; n++) await addTag(world.admin);
    await hooks.queue();
    for (let n = 0; n < 8; n++) {
      await hooks.deliver();
      await hooks.makeDue(failing.webhook);
    }
    await addTag(world.admin);
    await hooks.pass();
  });
  const dialog = (page: Page) => page.getByRole('dialog');
  const deliveryRow = (page: Page, state: string) => page.getByRole('row').filter({ hasText: state });

  it('are created with chosen events, show their secret once, and get a test event', async () => {
    const page = await tabs.open('/webhook/new');
    await page.getByLabel('Name', { exact: true }).fill('Chat');
    await page.getByLabel('URL', { exact: true }).fill(fresh.url);
    await page.getByLabel('CA certificates').fill(fresh.caPem);
    const sites = page.getByRole('group', { name: 'Site', exact: true });
    await sites.getByLabel('Created').check();
    await sites.getByLabel('Deleted').check();
    await page.getByText('2 events are chosen').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    const secret = await dialog(page).getByLabel('Secret').inputValue();
    expect(secret).toMatch(/^whsec_/);
    await dialog(page).getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'Chat', level: 1 }).waitFor();
    await page.getByText('No event has occurred yet').waitFor();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await dialog(page).getByRole('button', { name: 'Send a test event' }).click();
    await deliveryRow(page, 'Test event').filter({ hasText: 'Waiting' }).waitFor();
    await hooks.deliver();
    await deliveryRow(page, 'Test event').filter({ hasText: 'Delivered' }).waitFor();
    expect(fresh.verified(secret)).toMatchObject([{ type: 'webhook.test' }]);
    await page.getByRole('button', { name: 'New secret' }).click();
    await dialog(page).getByRole('button', { name: 'Try first' }).click();
    await dialog(page).getByRole('row').filter({ hasText: 'Secret' }).waitFor();
    await dialog(page).getByRole('button', { name: 'New secret' }).click();
    expect(await dialog(page).getByLabel('Secret').inputValue()).not.toBe(secret);
  });

  it('show what failed, and send it again', async () => {
    const page = await tabs.open(`/webhook/${failing.webhook.id}`);
    await deliveryRow(page, 'Failed').first().waitFor();
    expect(await deliveryRow(page, 'Failed').count()).toBe(3);
    await page.getByLabel('State', { exact: true }).selectOption('Waiting');
    await expect.poll(() => deliveryRow(page, 'Failed').count()).toBe(0);
    await page.getByLabel('State', { exact: true }).selectOption('Any');
    failing.receiver.reaction = { status: 204 };
    await deliveryRow(page, 'Failed').first().getByRole('button', { name: 'Send again' }).click();
    await dialog(page).getByRole('button', { name: 'Send again' }).click();
    await page.getByText('1 event is sent again').waitFor();
    await page.getByRole('button', { name: 'Send 2 failed events again' }).click();
    await dialog(page).getByRole('button', { name: 'Send dead ones again' }).click();
    await page.getByText('2 events are sent again').waitFor();
    await hooks.makeDue(failing.webhook);
    await hooks.deliver();
    await expect.poll(() => deliveryRow(page, 'Delivered').count(), { timeout: 30_000 }).toBe(4);
    failing.receiver.reaction = { status: 410 };
    await addTag(tabs.stand.world.admin);
    await hooks.pass();
    await page.getByText('The portal has disabled this webhook').waitFor();
  });

  it('are good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, scheme, width] of looks) {
      const viewport = { width, height: 900 };
      const page = await tabs.open('/webhook', { locale, colorScheme: scheme, viewport });
      await page.getByRole('rowheader').filter({ hasText: 'Ticket system' }).waitFor();
      await expectGood(page, `webhooks-list-${locale}-${scheme}`);
      await goTo(page, `/webhook/${failing.webhook.id}`);
      await page.getByRole('table').first().getByRole('rowheader').first().waitFor();
      await expectGood(page, `webhooks-record-${locale}-${scheme}`);
      await goTo(page, '/webhook/new');
      await page.getByRole('group').first().waitFor();
      await expectGood(page, `webhooks-form-${locale}-${scheme}`);
    }
  });
});
