import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { alice, domain } from '../../simulator/demo/seed.ts';
import { requireService } from '../../support/services.ts';
import { expectGood, hasPrograms, openTab, startBrowser } from '../support/browser.ts';
import { createDemoFolder, type Demo, type DemoFolder } from '../support/demo.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

requireService('chromium', hasPrograms)('the demo in a browser', () => {
  let folder: DemoFolder;
  let demo: Demo;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    folder = await createDemoFolder();
    [demo, browser] = await Promise.all([folder.start({ DEMO_WEST_FAILS: 'always' }), startBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
    await folder?.remove();
  });

  it('shows the workplaces of all sites as one list, and names the farm that fails', async () => {
    const address = /^In a browser: (https:\S+)\/, as alice/m.exec(demo.output)?.[1] ?? '';
    const { page, foreign, close } = await openTab(browser, address);
    await page.goto('/');
    await page.getByLabel('Domain').selectOption({ label: domain.name });
    await page.getByLabel('User name').fill(alice.name);
    await page.getByLabel('Password', { exact: true }).fill(alice.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    for (const name of ['Accounting', 'Design studio', 'Library', 'Office'])
      await page.getByRole('article').filter({ hasText: name }).waitFor();
    await page.getByText('West (West farm) does not answer').waitFor();
    expect(await page.getByText('Classroom').count()).toBe(0);
    await expectGood(page, 'home-demo');
    expect(foreign).toEqual([]);
    await close();
  });
});
