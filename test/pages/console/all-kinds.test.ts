import { expect, it, vi } from 'vitest';
import { expectGood } from '../../e2e/support/browser.ts';
import { addGroup, addRule, addTag, addUser } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { startConsoleFleet } from '../../support/pages/console-fleet.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

// Each page is judged by axe, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

/** Kinds with a list in the navigation, and those with a form for a new record. */
const lists = [
  ...['servicespool', 'workplace', 'spsession', 'site', 'farm', 'dispatcher', 'gateway', 'portal', 'rule'],
  ...['priority_group', 'tag', 'maintenance_template', 'authenticator', 'role', 'audit', 'monitoring_record'],
];
const forms = [
  ...['site', 'farm', 'dispatcher', 'gateway', 'rule', 'priority_group', 'tag', 'maintenance_template'],
  ...['authenticator', 'role', 'monitoring_record'],
];
requireService('chromium', hasChromium)('the lists and forms of all kinds', () => {
  let domain = '';
  const tabs = useConsoleTabs(async ({ world, origin }) => {
    const fleet = await startConsoleFleet(world, origin);
    await fleet.close();
    await addRule(world.admin, world.site, { name: 'Office desks' });
    await addTag(world.admin, { name: 'night' });
    await addUser(world.admin, world.domain, { name: 'ada', real_name: 'Ada Lovelace' });
    await addGroup(world.admin, world.domain, { name: 'engineers' });
    domain = world.domain.id;
  });

  // Each kind has a list and a form of the same parts, so that two looks are enough in CI.
  it.each(looks.slice(0, 2))('are good to look at: %s, %s, %i px', async (locale, colorScheme, width) => {
    const page = await tabs.open('/', { locale, colorScheme, viewport: { width, height: 900 } });
    const nested = ['user', 'group'].map((type) => [`/${type}?auth_uuid=${domain}`, type]);
    for (const [place = '', type = ''] of [...lists.map((one) => [`/${one}`, one]), ...nested]) {
      await goTo(page, place);
      await page.locator('main h1').waitFor();
      await expect
        .poll(() => page.locator('main tr[data-index], main h2').count(), { timeout: 30_000 })
        .not.toBe(0);
      await expectGood(page, `kind-list-${type}-${locale}`);
    }
    const newOnes = ['user', 'group'].map((type) => [`/${type}/new?auth_uuid=${domain}`, type]);
    for (const [place = '', type = ''] of [...forms.map((one) => [`/${one}/new`, one]), ...newOnes]) {
      await goTo(page, place);
      await page.locator('main form [type=submit]').waitFor();
      await expectGood(page, `kind-form-${type}-${locale}`);
    }
  });
});
