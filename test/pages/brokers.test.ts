import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../e2e/support/browser.ts';
import { seededBroker } from '../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../simulator/openuds/start.ts';
import {
  addFarm,
  addMember,
  addNode,
  base,
  create,
  goodPassword,
  type Member,
  pool,
  rulesPath,
} from '../support/factories.ts';
import { readFirst } from '../support/fleet/first-reads.ts';
import { addBroker } from '../support/openuds/site.ts';
import { hasChromium } from '../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../support/pages/console-tabs.ts';
import type { Json } from '../support/portal.ts';
import { requireService } from '../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

/** Where anchors lead that a page clicks, because Chromium has no program for other schemes here. */
const recordLinks = () => {
  const opened: string[] = [];
  Object.assign(globalThis, { opened });
  HTMLAnchorElement.prototype.click = function record() {
    opened.push(`${this.href} ${this.target} ${this.rel}`);
  };
};

requireService('chromium', hasChromium)('an OpenUDS broker in the pages', () => {
  let broker: Broker;
  let member: Member;
  let rule: Json;
  const tabs = useConsoleTabs(async ({ world, origin }) => {
    const users = [{ name: 'alice', groups: ['staff'] }];
    const pools = [
      { name: 'Broker office', groups: ['staff'], desktops: 1, transports: ['spice' as const] },
      { name: 'Broker slow', groups: ['staff'], missing: 2 as const },
      { name: 'Broker web', groups: ['staff'], transports: ['html5' as const] },
    ];
    const state = seededBroker({ users, pools });
    const [first] = state.desktops;
    Object.assign(first ?? {}, { owner: state.users[0]?.id, inUse: true, inUseAt: 1_700_000_000 });
    broker = await startOpenUds({ state, wrongPasswordMs: 0 });
    member = await addMember(world, [], '*', { name: 'Alice' });
    await world.admin(`PATCH ${base}/sites/${world.site.id}`, { authenticators: [world.domain.id] });
    const { farm, node } = await addBroker(world, broker);
    await readFirst(world.portal, node.name);
    const other = await addFarm(world.admin, world.site);
    const { simulator, dispatcher } = await addNode(world, other, {
      simulator: { issuer: origin },
      pools: [pool('Office', { workplaces: 2 })],
    });
    await readFirst(world.portal, dispatcher.name);
    const [shared] = simulator.state.pools.all();
    rule = await create(world.admin, rulesPath, {
      ...{ name: 'Office of all', site_id: world.site.id },
      members: [
        { farm_id: farm.id, servicepool_uuid: broker.state.pools[0]?.id, priority: 1 },
        { farm_id: other.id, servicepool_uuid: shared?.uuid, priority: 2 },
      ],
    });
  });
  beforeEach(() => broker.resetCalls());
  afterAll(() => broker?.close());

  const buttons = (page: Page) => page.getByRole('dialog').last().getByRole('button').allInnerTexts();
  async function openRow(page: Page, name: string): Promise<void> {
    await page
      .getByRole('row')
      .filter({ hasText: name })
      .first()
      .getByRole('rowheader')
      .locator('a, button')
      .first()
      .click();
    await page.getByRole('dialog').last().waitFor();
  }
  async function atHome(): Promise<Page> {
    const { page } = await tabs.stand.open('/home/');
    await page.addInitScript(recordLinks);
    await page.locator('#domain').selectOption({ label: tabs.stand.world.domain.name });
    await page.locator('#username').fill(member.user.name);
    await page.locator('#password').fill(goodPassword);
    await page.locator('#credentials [type=submit]').click();
    await page.waitForURL('**/home/');
    return page;
  }
  const connect = (page: Page, name: string) =>
    page.getByRole('button', { name: new RegExp(`onnect to ${name}$`) }).click();
  const opened = (page: Page) => page.evaluate(() => (globalThis as unknown as { opened: string[] }).opened);

  it('offers what the broker can do', async () => {
    const page = await tabs.open('/workplace');
    await openRow(page, 'Broker office-0');
    await expect.poll(() => buttons(page)).toContain('Reset');
    const shown = (await buttons(page)).join(' ');
    for (const name of ['Power', 'Maintenance', 'Message', 'Tags']) expect(shown).not.toContain(name);
    await expectGood(page, 'broker-workplace');
  });

  it('says that sessions are derived, and that maintenance closes the access', async () => {
    const page = await tabs.open('/spsession');
    await openRow(page, 'Broker office');
    await page.getByText('The dispatchers of this farm report no sessions').waitFor();
    expect((await buttons(page)).join(' ')).not.toContain('Log off');
    const pools = await tabs.open('/servicespool');
    await openRow(pools, 'Broker office');
    await pools.getByText('Maintenance closes the access to the pool').waitFor();
    await expectGood(pools, 'broker-pool');
  });

  it('opens the link of the client program for a rule over both kinds', async () => {
    const page = await atHome();
    await connect(page, rule.name);
    await page.getByText('The client program opens your workplace').waitFor();
    const [link] = await opened(page);
    expect(link).toMatch(/^udss:\/\/127\.0\.0\.1:\d+\/\w+\/\w+ {2}$/);
    await expectGood(page, 'broker-link');
    await page.close();
  });

  it('opens the page of the broker in a new tab', async () => {
    const page = await atHome();
    await connect(page, 'Broker web');
    await page.getByText('Your workplace opens in a new tab').waitFor();
    const [link] = await opened(page);
    expect(link).toMatch(
      /^https:\/\/127\.0\.0\.1:\d+\/uds\/page\/ticket\/auth\/\w+ _blank noopener noreferrer$/,
    );
    await page.close();
  });

  it('waits for a desktop that is prepared only after the question', async () => {
    const slow = broker.state.pools.find(({ name }) => name === 'Broker slow');
    const page = await atHome();
    await connect(page, 'Broker slow');
    await page.getByText('Your workplace is being prepared').waitFor();
    Object.assign(slow ?? {}, { missing: 0 });
    await page.getByText('Your workplace is ready').waitFor();
    await page.close();
  });
});
