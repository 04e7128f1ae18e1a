import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serveNode } from '../../../shared/runtime/node/server.ts';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { openTab, startBrowser, type Tab } from '../../e2e/support/browser.ts';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { startWorld, type World } from '../factories.ts';

export const hasChromium = existsSync('/usr/bin/chromium');

/** A world that is served over HTTPS, and Chromium. */
export type BrowserStand = {
  world: World;
  origin: string;
  browser: Awaited<ReturnType<typeof startBrowser>>;
  /** Opens a path in a new browser. The tab is closed with the stand. */
  open(path: string, options?: Parameters<typeof openTab>[2]): Promise<Tab>;
  close(): Promise<void>;
};

export async function startBrowserStand(): Promise<BrowserStand> {
  const [port = 0] = await freePorts(1);
  const origin = `https://localhost:${port}`;
  const world = await startWorld({ baseUrl: origin });
  const tls = await ensureLocalTls(join(root, 'dist', 'tls'), ['localhost']);
  const serving = await serveNode({
    fetch: world.portal.portal.fetch,
    host: '127.0.0.1',
    port,
    tls: { cert: tls.certPem, key: tls.keyPem },
    trustProxy: 0,
    log: world.portal.deps.log,
  });
  const browser = await startBrowser();
  return {
    world,
    origin,
    browser,
    open: async (path, options) => {
      const tab = await openTab(browser, origin, options);
      await tab.page.goto(path);
      return tab;
    },
    close: async () => {
      await browser.close();
      await serving.close(1_000);
      await world.portal.close();
    },
  };
}
