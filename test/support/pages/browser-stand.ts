import { createHash, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PortalType } from '../../../shared/modules.ts';
import { type RunningServer, serveNode } from '../../../shared/runtime/node/server.ts';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import {
  type BrowserHandle,
  type openTab,
  openTabIn,
  startBrowser,
  type Tab,
  tabOptions,
} from '../../e2e/support/browser.ts';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { startWorld, type World } from '../factories.ts';
import { createContextPool } from './context-pool.ts';
import { type Account, startSession } from './sessions.ts';

export const hasChromium = existsSync('/usr/bin/chromium');

/** A world that is served over HTTPS, and Chromium. */
export type BrowserStand = {
  world: World;
  origin: string;
  browser: BrowserHandle;
  /** Opens a path in a new browser, with a session of the account if there is one. The tab is closed with the stand. */
  open(path: string, options?: Parameters<typeof openTab>[2], account?: Account): Promise<Tab>;
  /** Arguments with which Chromium trusts the portal as it trusts public authorities, which service workers need. */
  trusting: readonly string[];
  /** Ends the server of the portal, and starts it again on the same port. */
  stop(): Promise<void>;
  /** @param fetch of a gateway in front of the portal; default: the portal itself */
  restart(fetch?: World['portal']['portal']['fetch']): Promise<void>;
  close(): Promise<void>;
};

export async function startBrowserStand(portalType?: PortalType): Promise<BrowserStand> {
  const [port = 0] = await freePorts(1);
  const origin = `https://localhost:${port}`;
  const world = await startWorld({ baseUrl: origin, ...(portalType && { portalType }) });
  const tls = await ensureLocalTls(join(root, 'dist', 'tls'), ['localhost']);
  const serve = (fetch = world.portal.portal.fetch) =>
    serveNode({
      fetch,
      host: '127.0.0.1',
      port,
      tls: { cert: tls.certPem, key: tls.keyPem },
      trustProxy: 0,
      log: world.portal.deps.log,
    });
  let serving: RunningServer | undefined = await serve();
  const stop = async () => {
    await serving?.close(0);
    serving = undefined;
  };
  const trusting = [`--ignore-certificate-errors-spki-list=${keyDigestOf(tls.certPem)}`];
  const browser = await startBrowser(trusting);
  const contexts = createContextPool(browser, origin);
  return {
    world,
    origin,
    browser,
    open: async (path, { viewport, colorScheme, ...options } = {}, account) => {
      // What can be set for a page does not need a context of its own.
      const context = await contexts.take(tabOptions(origin, options));
      const tab = await openTabIn(context, origin, () => contexts.give(context));
      if (viewport) await tab.page.setViewportSize(viewport);
      if (colorScheme) await tab.page.emulateMedia({ colorScheme });
      if (account) await tab.page.context().addCookies([await startSession(world.portal, origin, account)]);
      await tab.page.goto(path);
      return tab;
    },
    trusting,
    stop,
    restart: async (fetch) => {
      serving = await serve(fetch);
    },
    close: async () => {
      await browser.close();
      await serving?.close(1_000);
      await world.portal.close();
    },
  };
}

/** SHA-256 of the public key of a certificate, in base64. */
const keyDigestOf = (pem: string): string =>
  createHash('sha256')
    .update(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
