import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAuthority } from '../../simulator/authority.ts';
import {
  hasRdp,
  type RdpServer,
  type Screen,
  startRdpServer,
  startScreen,
} from '../../support/gateways/viewers.ts';
import { requireService } from '../../support/services.ts';
import { accepted } from '../support/api.ts';
import { hasPrograms, openTab, startBrowser, type Tab } from '../support/browser.ts';
import { createInstallation, user, webui } from '../support/installation.ts';
import { lambdaTarget, nodeTarget, type Stand, startStand, workersTarget } from '../twins/targets.ts';
import { measureSlowLine } from './slow-line.ts';

type Page = Tab['page'];
vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const isPresent = hasRdp && hasPrograms;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'home-page-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Saves the file of the page under the name that the browser offers. @returns its path */
async function download(page: Page, press: () => Promise<unknown>): Promise<string> {
  const [saved] = await Promise.all([page.waitForEvent('download'), press()]);
  const path = join(folder, saved.suggestedFilename());
  await saved.saveAs(path);
  return path;
}

requireService('chromium, xfreerdp, Xvfb or xrdp', isPresent)('the page of the user', () => {
  let screen: Screen;
  let server: RdpServer;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    const certificate = await (await createAuthority('Desks')).issue();
    [screen, server, browser] = await Promise.all([
      startScreen(),
      startRdpServer(certificate),
      startBrowser(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop(), screen?.stop()]);
  });

  describe.each([nodeTarget, workersTarget, lambdaTarget])('on $name', (target) => {
    let stand: Stand;
    const tabs: Tab[] = [];
    beforeAll(async () => {
      stand = await startStand(target);
      Object.assign(stand.node.state.poolNamed('Office'), {
        endpoint: { host: '127.0.0.1', port: server.port },
      });
      const token = await stand.api.login('admin', stand.adminPassword);
      await createInstallation(stand.api, token, stand.node, stand.trust);
      // Each list comes from the node.
      const parameters = { aggregator: { services_fresh_s: { value: 0 } } };
      await accepted(stand.api, `PUT ${webui}/tconfig`, { token, body: parameters });
    });
    afterEach(async () => {
      stand.node.knobs.hang = null;
      const seen = tabs.splice(0);
      await Promise.all(seen.map((tab) => tab.close()));
      expect(seen.flatMap(({ foreign }) => foreign)).toEqual([]);
    });
    afterAll(async () => {
      await stand?.stop();
      await stand?.remove();
    });

    async function open(path: string): Promise<Page> {
      const tab = await openTab(browser, stand.baseUrl);
      tabs.push(tab);
      await tab.page.goto(path);
      return tab.page;
    }
    async function signIn(page: Page): Promise<void> {
      await page.getByLabel('Domain').selectOption({ label: 'Corporation' });
      await page.getByLabel('User name').fill(user.name);
      await page.getByLabel('Password', { exact: true }).fill(user.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.waitForURL('**/home/');
    }
    const card = (page: Page, name: string) => page.getByRole('article').filter({ hasText: name });

    it('leads from the first sign-in to a file that xfreerdp opens', async () => {
      const page = await open('/');
      await signIn(page);
      const path = await download(page, () =>
        page.getByRole('button', { name: 'Connect to Office' }).click(),
      );
      expect(basename(path)).toBe('Office.rdp');
      const before = (await server.log()).match(/TLS connection established/g)?.length ?? 0;
      const viewer = screen.openRdp(path);
      expect([await viewer.ended, viewer.output()]).toEqual([0, expect.any(String)]);
      await vi.waitFor(async () =>
        expect((await server.log()).match(/TLS connection established/g)?.length).toBe(before + 1),
      );
    });

    it('stays as it is when the session ends', async () => {
      const page = await open('/signin');
      await signIn(page);
      await card(page, 'Office').waitFor();
      expect(await page.evaluate(async () => (await fetch('/signout', { method: 'POST' })).status)).toBe(200);
      await page.getByRole('button', { name: /onnect to Office$/ }).click();
      await page.getByText('Your session has ended').waitFor();
      await card(page, 'Office').waitFor();
      await page.getByRole('button', { name: 'Sign in again' }).click();
      await signIn(page);
      await card(page, 'Office').waitFor();
    });

    it('names the site that hangs', async () => {
      stand.node.knobs.hang = 'headers';
      const page = await open('/signin');
      await signIn(page);
      await page.getByText('North does not answer').waitFor();
      await card(page, 'Office').waitFor();
    });

    it('is shown within seconds on a slow line', async () => {
      const page = await open('/signin');
      await signIn(page);
      await card(page, 'Office').waitFor();
      const [cold, warm] = await measureSlowLine(browser, page);
      console.info(`${target.name}, 1.6 Mbit/s and 150 ms: first visit ${cold}; next visit ${warm}`);
      for (const line of [cold, warm]) expect(line).toMatch(/shell \d+ ms, own list \d+ ms/);
    });
  });
});
