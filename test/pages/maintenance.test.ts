import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../e2e/support/browser.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  addTemplate,
  base,
  goodPassword,
  type Member,
  pool,
  type SimulatedNode,
} from '../support/factories.ts';
import { hasChromium } from '../support/pages/browser-stand.ts';
import { type Tabs, useTabs } from '../support/pages/tabs.ts';
import type { Json } from '../support/portal.ts';
import { requireService } from '../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();

requireService('chromium', hasChromium)('maintenance on the page of the user', () => {
  let member: Member;
  let site: Json;
  let second: Json;
  const nodes: SimulatedNode[] = [];
  const tabs = useTabs(async ({ world, origin }) => {
    member = await addMember(world, [], '*', { real_name: 'Alice Liddell' });
    site = await addSite(world.admin, { name: 'North', uri: 'north', authenticators: [world.domain.id] });
    const first = await addFarm(world.admin, site, { name: 'First' });
    second = await addFarm(world.admin, site, { name: 'Second' });
    const simulator = { issuer: origin };
    nodes.push(await addNode(world, first, { simulator, pools: [pool('Accounting')] }));
    nodes.push(await addNode(world, second, { simulator, pools: [pool('Library')] }));
  });
  afterEach(async () => {
    for (const [what, { id }] of [['sites', site] as const, ['farms', second] as const])
      await order(what, id, false, null);
  });
  afterAll(() => Promise.all(nodes.map(({ simulator }) => simulator.close())));

  const order = (what: 'sites' | 'farms', id: string, maintenance: boolean, template: string | null) =>
    tabs.stand.world.admin(`PATCH ${base}/${what}/${id}`, {
      maintenance,
      maintenance_template_id: template,
    });
  async function announce(what: 'sites' | 'farms', { id }: Json, given: Json): Promise<Json> {
    const template = await addTemplate(tabs.stand.world.admin, { message: 'Disks are replaced.', ...given });
    await order(what, id, true, template.id);
    return template;
  }

  async function home(
    options?: Parameters<Tabs['open']>[1],
    prepare?: (page: Page) => Promise<void>,
  ): Promise<Page> {
    const page = await tabs.open('/signin', options);
    await prepare?.(page);
    await page.locator('#domain').selectOption({ label: tabs.stand.world.domain.name });
    await page.locator('#username').fill(member.user.name);
    await page.locator('#password').fill(goodPassword);
    await page.locator('#credentials [type=submit]').click();
    await page.waitForURL('**/home/');
    await page.getByRole('article').filter({ hasText: 'Library' }).waitFor();
    return page;
  }

  it('is announced with its times, and can be hidden until it begins', async () => {
    const template = await announce('sites', site, { start_at: hours(2), end_at: hours(4) });
    const page = await home();
    const before = page.getByText(/^North: maintenance from .+ to .+ \(in 2 hours\)$/);
    await before.waitFor();
    await page.getByText('Save your work before it begins.').waitFor();
    await page.getByText('Disks are replaced.').waitFor();
    await expectGood(page, 'maintenance-before');
    await page.getByRole('button', { name: 'Hide until it begins' }).click();
    await expect.poll(() => before.count()).toBe(0);
    await page.reload();
    await page.getByRole('article').first().waitFor();
    expect(await before.count()).toBe(0);

    await tabs.stand.world.admin(`PATCH ${base}/maintenance/${template.id}`, { start_at: hours(-1) });
    await page.reload();
    await page.getByText(/^North: maintenance until /).waitFor();
    await page.getByText('New connections are not possible.').waitFor();
    expect(await page.getByRole('button', { name: 'Hide until it begins' }).count()).toBe(0);
    await page.getByRole('article').filter({ hasText: 'In maintenance' }).first().waitFor();
    await expectGood(page, 'maintenance-during');
    await page.getByRole('button', { name: 'Connect to Library' }).click();
    await page.getByText('The workplace is in maintenance').waitFor();
    await expectGood(page, 'maintenance-refused');
  });

  it('begins while the page is open', async () => {
    await announce('sites', site, { start_at: hours(2), end_at: hours(4) });
    const page = await home({}, (page) => page.clock.install());
    await page.getByText(/\(in 2 hours\)$/).waitFor();
    await page.clock.fastForward('02:30:00');
    await page.getByRole('alert').filter({ hasText: 'North: maintenance until' }).waitFor();
  });

  it('is not shown more than a day before', async () => {
    await announce('sites', site, { start_at: hours(30), end_at: hours(32) });
    const page = await home();
    expect(await page.getByText('maintenance').count()).toBe(0);
  });

  it('of a farm names the farm; without times it is shown as it is', async () => {
    await order('farms', second.id, true, null);
    const page = await home();
    await page.getByText('North (Second): maintenance', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Connect to Accounting' }).waitFor();
  });

  it('that does not block connections warns only', async () => {
    await announce('sites', site, { end_at: hours(4), block_new_sessions: false });
    const page = await home();
    await page.getByText('Connections may be interrupted. Save your work.').waitFor();
    expect(await page.getByText('In maintenance').count()).toBe(0);
  });

  it.each([
    [320, 'light'],
    [768, 'dark'],
    [1920, 'light'],
  ] as const)('is accessible and fits at %i pixels in %s colours', async (width, colorScheme) => {
    await announce('sites', site, { start_at: hours(20), end_at: hours(26) });
    await announce('farms', second, { end_at: hours(1), message: 'Обновление шлюза.' });
    const viewport = { width, height: 900 };
    const page = await home({ colorScheme, viewport, locale: 'ru-RU' });
    await page.getByText(/^North: обслуживание с .+ до .+ \(через 20 часов\)$/).waitFor();
    await page.getByText(/^North \(Second\): обслуживание до /).waitFor();
    await expectGood(page, `maintenance-${colorScheme}`);
  });
});
