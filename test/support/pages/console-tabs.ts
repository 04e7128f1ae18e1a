import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { PortalType } from '../../../shared/modules.ts';
import type { Tab } from '../../e2e/support/browser.ts';
import { adminPassword } from '../portal.ts';
import { type BrowserStand, startBrowserStand } from './browser-stand.ts';

type Page = Tab['page'];
type OpenOptions = Parameters<BrowserStand['open']>[1];

/** Messages of the browser itself about refused or interrupted requests. */
const ofBrowser = /^Failed to load resource: /;

export type ConsoleTabs = {
  stand: BrowserStand;
  /**
   * Signs in, by default as the administrator with all rights, and opens a place of the console.
   * @param place the part of the address after `#`
   */
  open(place?: string, options?: OpenOptions, account?: Account): Promise<Page>;
};

export type Account = { domain: string; name: string; password: string };

/**
 * A browser stand for the tests of a file, whose tabs must have no errors and no foreign requests.
 * @param portalType default: `universal`
 */
export function useConsoleTabs(
  prepare?: (stand: BrowserStand) => Promise<void>,
  portalType?: PortalType,
): ConsoleTabs {
  const shared = {} as ConsoleTabs;
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
  shared.open = async (place = '/', options, account) => {
    const tab = await shared.stand.open('/console/', options);
    tabs.push(tab);
    await signIn(tab.page, account);
    await tab.page.waitForURL('**/console/**');
    await goTo(tab.page, place);
    return tab.page;
  };
  return shared;
}

/** Fills in the sign-in page. */
export async function signIn(page: Page, account?: Account): Promise<void> {
  const { domain, name, password } = account ?? { domain: undefined, name: 'admin', password: adminPassword };
  const domains = page.locator('#domain');
  if (domain !== undefined) await domains.selectOption({ label: domain });
  else await domains.selectOption({ index: 0 });
  await page.locator('#username').fill(name);
  await page.locator('#password').fill(password);
  await page.locator('#credentials [type=submit]').click();
}

/** Opens a place of the console in a page that is signed in. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, place);
}
