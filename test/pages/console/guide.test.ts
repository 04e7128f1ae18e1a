import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Tab } from '../../e2e/support/browser.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { dispatcherState, pool } from '../../support/factories.ts';
import { readFirst } from '../../support/fleet/first-reads.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { button, inDialog, openRecord, pageLink, takePicture, title } from '../../support/pages/guide.ts';
import { type Hand, keyboard, mouse } from '../../support/pages/hands.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// Whole stories, with a press of the Tab key for each control on the way.
vi.setConfig({ testTimeout: 180_000 });

requireService('chromium', hasChromium)('the stories of the guide for administrators', () => {
  const tabs = useConsoleTabs();
  const simulators: Simulator[] = [];
  afterAll(() => Promise.all(simulators.map((simulator) => simulator.close())));

  async function startNode(name: string): Promise<Simulator> {
    const { world, origin } = tabs.stand;
    const simulator = await startSimulator({
      state: dispatcherState(world, { pools: [pool('Office')] }),
      ...{ name, certificate: 'self_signed', issuer: origin },
      jwks: async () => world.portal.deps.signingKeys.jwks,
    });
    simulators.push(simulator);
    return simulator;
  }

  describe.each([
    ['the mouse', mouse, 'East'],
    ['the keyboard alone', keyboard, 'South'],
  ] as const)('by %s', (_, hand: Hand, name) => {
    let page: Page;
    const uri = name.toLowerCase();
    const picture = (of: string) => takePicture(page, of, hand);

    it('add a site', async () => {
      page = await tabs.open('/');
      const node = await startNode(`${uri}-1`);
      await hand.press(pageLink(page, 'Set up a site'));
      await title(page, 'What does the site run?', 2);
      await hand.press(button(page, 'Next'));
      await title(page, 'Name the site', 2);
      await hand.type(page.getByLabel('Name of the site'), name);
      await hand.press(button(page, 'Next'));
      await title(page, 'Where is the node?', 2);
      await hand.type(page.getByLabel('Address of the node'), node.url);
      await hand.press(button(page, 'Look at the node'));
      await page.getByText('The node has issued its certificate itself').waitFor();
      await picture('certificate');
      await hand.press(page.getByLabel('The fingerprint at the node is the same'));
      await hand.press(button(page, 'Trust the certificate'));
      await page.getByText('The certificate is trusted by your choice').waitFor();
      await hand.press(button(page, 'Next'));
      await title(page, 'How the node accepts the portal', 2);
      await hand.type(page.getByLabel('Key of the health check'), node.healthKey);
      await hand.press(button(page, 'Test the connection'));
      await page.getByText('The portal can use the node').waitFor();
      await picture('connection-test');
      await hand.press(button(page, 'Next'));
      await title(page, 'Create the site', 2);
      await hand.press(button(page, 'Create the site'));
      await title(page, 'The portal reads the site', 2);
      await readFirst(tabs.stand.world.portal, `${uri}-1`);
      await title(page, 'The site is ready', 2);
      await picture('ready');
    });

    it('assign the users of a site', async () => {
      page = await tabs.open('/');
      await openRecord(page, hand, 'Sites', name);
      await hand.press(page.getByRole('link', { name: 'Edit' }));
      await hand.pick(page.getByRole('combobox', { name: 'Domains' }), tabs.stand.world.domain.name);
      await hand.press(button(page, 'Try first'));
      await page.getByRole('dialog').getByText('Nothing is changed yet.').waitFor();
      await picture('try-first');
      await hand.press(inDialog(page, 'Close'));
      await hand.press(button(page, 'Save'));
      await page.getByRole('definition').getByText(tabs.stand.world.domain.name).waitFor();
    });

    it('delegate the administration of a site', async () => {
      page = await tabs.open('/');
      await hand.press(pageLink(page, 'Roles'));
      await hand.press(page.getByRole('link', { name: 'Create role' }));
      await hand.type(page.getByLabel('Name', { exact: true }), `Helpdesk ${name}`);
      await hand.type(page.getByRole('group', { name: 'Permissions' }).getByRole('searchbox'), 'sessions');
      for (const permission of ['Read workplace sessions', 'Log off workplace sessions'])
        await hand.press(page.getByRole('checkbox', { name: permission }));
      await hand.press(page.getByRole('checkbox', { name: 'All sites' }));
      await hand.pick(page.getByRole('group', { name: 'Scope' }).getByRole('combobox'), name);
      await hand.press(button(page, 'Create'));
      await title(page, `Helpdesk ${name}`);
      await goTo(page, `/user/new?auth_uuid=${tabs.stand.world.domain.id}`);
      await hand.type(page.getByLabel('User name'), `helpdesk-${uri}`);
      await hand.type(page.getByLabel('Password', { exact: true }), 'seven small ladders');
      await hand.pick(page.getByRole('combobox', { name: 'Roles' }), `Helpdesk ${name}`);
      await hand.press(button(page, 'Create'));
      await title(page, `helpdesk-${uri}`);
      await title(page, 'What this user may do', 2);
      await picture('rights');
    });

    it('drain a site', async () => {
      page = await tabs.open('/');
      await openRecord(page, hand, 'Sites', name);
      await hand.press(button(page, 'Drain'));
      await page.getByRole('dialog', { name: `Drain ${name}?` }).waitFor();
      await picture('drain');
      await hand.press(inDialog(page, 'Drain'));
      await page.getByText(`${name} goes into maintenance`).waitFor();
      await hand.press(button(page, 'End maintenance'));
      await hand.press(inDialog(page, 'End maintenance'));
      await page.getByText(`The maintenance of ${name} has ended`).waitFor();
    });

    it('undo a change', async () => {
      page = await tabs.open('/');
      await openRecord(page, hand, 'Sites', name);
      await hand.press(page.getByRole('link', { name: 'Edit' }));
      await hand.type(page.getByLabel('Comments'), 'Moved to building B');
      await hand.press(button(page, 'Save'));
      await page.getByRole('definition').getByText('Moved to building B').waitFor();
      await hand.press(page.locator('summary', { hasText: 'History' }));
      const restore = page.getByRole('button', { name: 'Restore this version' }).first();
      await restore.waitFor();
      await picture('history');
      await hand.press(restore);
      await page.getByRole('dialog').getByRole('row').filter({ hasText: 'Moved to building B' }).waitFor();
      await hand.press(inDialog(page, 'Restore this version'));
      await page.getByText('The version is restored').waitFor();
      await expect.poll(() => page.getByRole('definition').getByText('Moved to building B').count()).toBe(0);
    });

    it('find out who changed what', async () => {
      page = await tabs.open('/');
      await hand.press(pageLink(page, 'Audit events'));
      await title(page, 'Audit events');
      await hand.press(page.getByRole('rowheader').getByRole('button').first());
      await page.getByRole('dialog').waitFor();
      await picture('audit');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').waitFor();
      await page.keyboard.insertText(name);
      await page
        .getByRole('option')
        .filter({ hasText: `${name} farm` })
        .waitFor();
      await picture('palette');
    });
  });
});
