import { afterAll, expect, it, vi } from 'vitest';
import type { Tab } from '../e2e/support/browser.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  goodPassword,
  type Member,
  pool,
  type SimulatedNode,
} from '../support/factories.ts';
import { hasChromium } from '../support/pages/browser-stand.ts';
import { useTabs } from '../support/pages/tabs.ts';
import { requireService } from '../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

/** Milliseconds of each call of a site. The last one answers nothing. */
const sites = { North: 0, East: 900, South: 3_500, West: Number.POSITIVE_INFINITY };

requireService('chromium', hasChromium)('the page of a user with slow sites', () => {
  let member: Member;
  const nodes: SimulatedNode[] = [];
  const tabs = useTabs(async ({ world, origin }) => {
    const { portal, admin } = world;
    member = await addMember(world, []);
    for (const [name, latencyMs] of Object.entries(sites)) {
      const given = { name, uri: name.toLowerCase(), authenticators: [world.domain.id] };
      const farm = await addFarm(admin, await addSite(admin, given));
      const pools = [`${name} one`, `${name} two`].map((one) =>
        pool(one, { comments: `Workplaces of ${name}. `.repeat(8) }),
      );
      const node = await addNode(world, farm, { simulator: { issuer: origin }, pools });
      if (Number.isFinite(latencyMs)) node.simulator.knobs.latencyMs = latencyMs;
      else node.simulator.knobs.hang = 'headers';
      nodes.push(node);
    }
    await portal.send('PUT /api/webui/aggregator/tconfig', {
      token: await portal.login(),
      body: { aggregator: { list_deadline_ms: { value: 20_000 } } },
    });
  });
  afterAll(() => Promise.all(nodes.map(({ simulator }) => simulator.close())));

  /** All shifts since the page was opened, also those after an input. */
  const shiftsOf = (page: Page) =>
    page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const observer = new PerformanceObserver((found) => {
            const values = found.getEntries().map((entry) => Reflect.get(entry, 'value') as number);
            resolve(values.reduce((sum, value) => sum + value, 0));
          });
          observer.observe({ type: 'layout-shift', buffered: true });
          requestAnimationFrame(() => setTimeout(() => resolve(0), 1_000));
        }),
    );

  it('moves nothing that is shown while sites answer, and names those that it waits for', async () => {
    const account = {
      domain: tabs.stand.world.domain.name,
      name: member.user.name,
      password: goodPassword,
    };
    const page = await tabs.open('/home/', undefined, account);
    const button = page.getByRole('button', { name: 'Connect to North one' });
    await button.hover();
    const before = await button.boundingBox();
    await page.getByText('Waiting for South, West …').waitFor();
    for (const name of ['East two', 'South two'])
      await page.getByRole('article').filter({ hasText: name }).waitFor();
    await page.getByText('West does not answer').waitFor({ timeout: 40_000 });
    expect(await button.boundingBox()).toEqual(before);
    expect(await shiftsOf(page)).toBeLessThanOrEqual(0.02);
    const order = await page.getByRole('heading', { level: 3 }).allInnerTexts();
    expect(order.map((name) => name.split(' ')[0])).toEqual([
      ...['North', 'North', 'East', 'East', 'South', 'South'],
    ]);
  });
});
