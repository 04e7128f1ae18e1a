import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { PortalType } from '../../../shared/modules.ts';
import type { Tab } from '../../e2e/support/browser.ts';
import { type BrowserStand, startBrowserStand } from './browser-stand.ts';
import type { Account } from './sessions.ts';

type Page = Tab['page'];
type OpenOptions = Parameters<BrowserStand['open']>[1];

/** Messages of the browser itself about refused or interrupted requests. */
const ofBrowser = /^Failed to load resource: /;

export type Tabs = {
  stand: BrowserStand;
  /** Opens a path in a new browser, with a session of the account if there is one. */
  open(path: string, options?: OpenOptions, account?: Account): Promise<Page>;
};

/**
 * A browser stand for the tests of a file, whose tabs must have no errors and no foreign requests.
 * @param portalType default: `universal`
 */
export function useTabs(prepare?: (stand: BrowserStand) => Promise<void>, portalType?: PortalType): Tabs {
  const shared = {} as Tabs;
  const tabs: Tab[] = [];
  beforeAll(async () => {
    shared.stand = await startBrowserStand(portalType);
    await prepare?.(shared.stand);
  }, 120_000);
  afterEach(async () => {
    const seen = tabs.splice(0);
    await Promise.all(seen.map((tab) => tab.close()));
    expect(seen.flatMap(({ foreign }) => foreign)).toEqual([]);
    expect(seen.flatMap(({ errors }) => errors).filter((error) => !ofBrowser.test(error))).toEqual([]);
  });
  afterAll(() => shared.stand?.close());
  shared.open = async (path, options, account) => {
    const tab = await shared.stand.open(path, options, account);
    tabs.push(tab);
    return tab.page;
  };
  return shared;
}
