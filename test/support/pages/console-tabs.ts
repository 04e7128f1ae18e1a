import type { PortalType } from '../../../shared/modules.ts';
import type { Tab } from '../../e2e/support/browser.ts';
import type { BrowserStand } from './browser-stand.ts';
import { type Account, administrator } from './sessions.ts';
import { useTabs } from './tabs.ts';

export type { Account } from './sessions.ts';

type Page = Tab['page'];

export type ConsoleTabs = {
  readonly stand: BrowserStand;
  /**
   * Opens a place of the console, by default as the administrator with all rights.
   * @param place the part of the address after `#`
   */
  open(place?: string, options?: Parameters<BrowserStand['open']>[1], account?: Account): Promise<Page>;
};

/** Tabs of the console for the tests of a file. @param portalType default: `universal` */
export function useConsoleTabs(
  prepare?: (stand: BrowserStand) => Promise<void>,
  portalType?: PortalType,
): ConsoleTabs {
  const tabs = useTabs(prepare, portalType);
  return {
    get stand() {
      return tabs.stand;
    },
    open: async (place = '/', options, account = administrator) => {
      const page = await tabs.open(`/console/#${place}`, options, account);
      await page.locator('main').waitFor();
      // The console listens to keys once it has been drawn.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
      return page;
    },
  };
}

/** Fills in the sign-in page. */
export async function signIn(page: Page, { domain, name, password } = administrator): Promise<void> {
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
