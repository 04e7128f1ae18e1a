import { eq } from 'drizzle-orm';
import { expect, it, vi } from 'vitest';
import { users } from '../../../db/schema/identity/users.ts';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import {
  addDirectory,
  addDispatcher,
  addGateway,
  addMember,
  addMonitoringRecord,
  addRule,
  addTemplate,
  addUser,
} from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// Each page is judged by axe, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

requireService('chromium', hasChromium)('the pages of records', () => {
  const places: Record<string, string> = {};
  let user: Json;
  let plain: Json;
  const tabs = useConsoleTabs(async ({ world }) => {
    const { admin, domain, site, farm, portal } = world;
    user = await addUser(admin, domain, { name: 'ada', real_name: 'Ada Lovelace' });
    plain = await addUser(admin, domain, { name: 'plain' });
    // As the login of a user of a directory copies them.
    const attributes = { employeeNumber: '4711', phone: '1, 2' };
    await portal.db.update(users).set({ attributes }).where(eq(users.id, user.id));
    const details = { paths: ['/a', '/b'], disk: { free_percent: 3, is_full: false, label: '' } };
    const record = await addMonitoringRecord(admin, { message: 'Disk is filling', details });
    const directory = await addDirectory(admin);
    const node = await addDispatcher(admin, farm);
    const rule = await addRule(admin, site, { name: 'Office desks' });
    const gateway = await addGateway(admin);
    const template = await addTemplate(admin, { name: 'Night shift' });
    const { role } = await addMember(world, ['sites.read', 'farms.read']);
    Object.assign(places, {
      user: `/user/${user.id}?auth_uuid=${domain.id}`,
      authenticator: `/authenticator/${directory.id}`,
      dispatcher: `/dispatcher/${node.id}`,
      ...{ site: `/site/${site.id}`, farm: `/farm/${farm.id}`, rule: `/rule/${rule.id}` },
      ...{ gateway: `/gateway/${gateway.id}`, role: `/role/${role.id}` },
      maintenance_template: `/maintenance_template/${template.id}`,
      monitoring_record: `/monitoring_record/${record.id}`,
    });
  });
  const ofUser = (page: Page, { id }: Json) =>
    goTo(page, `/user/${id}?auth_uuid=${tabs.stand.world.domain.id}`);
  const row = (page: Page, label: string) =>
    page
      .locator('main dl > div')
      .filter({ has: page.locator(':scope > dt', { hasText: new RegExp(`^${label}$`) }) })
      .first();

  it('show members without a declaration as pairs, and leave out what is empty', async () => {
    const page = await tabs.open('/');
    await ofUser(page, user);
    await row(page, 'Attributes').waitFor();
    const parts = async (label: string) =>
      (await row(page, label).innerText()).split('\n').filter((line) => line !== '' && line !== label);
    expect(await parts('Attributes')).toEqual(['Employee number', '4711', 'Phone', '1, 2']);
    await goTo(page, places.monitoring_record ?? '');
    await row(page, 'Details').waitFor();
    expect(await parts('Details')).toEqual([
      ...['Disk', 'Free percent', '3', 'Is full', 'No', 'Label', '–'],
      ...['Paths', '/a', '/b'],
    ]);
    await ofUser(page, plain);
    await page.getByRole('heading', { name: 'plain', level: 1 }).waitFor();
    await row(page, 'User name').waitFor();
    expect(await row(page, 'Attributes').count()).toBe(0);
    expect(await page.locator('main').innerText()).not.toContain('{}');
    await goTo(page, places.authenticator ?? '');
    await page.getByRole('heading', { name: 'Settings of the type' }).waitFor();
    expect(await page.getByText('Directory parameters').count()).toBe(0);
    await goTo(page, places.site ?? '');
    await row(page, 'Location').waitFor();
    expect(await row(page, 'Location').innerText()).toMatch(/^Location\s+–$/);
  });

  it.each([
    [360, 'ru-RU', 'light'],
    [320, 'en-GB', 'dark'],
    [1280, 'ru-RU', 'light'],
  ] as const)('break no label within a word at %i pixels, %s', async (width, locale, colorScheme) => {
    const page = await tabs.open('/', { locale, colorScheme, viewport: { width, height: 900 } });
    for (const [kind, place] of Object.entries(places)) {
      await goTo(page, place);
      await page.locator('main dl > div').nth(3).waitFor();
      await expectGood(page, `record-page-${kind}-${locale}`);
      expect([kind, await brokenWords(page)]).toEqual([kind, []]);
      const history = page.getByText(/^(?:History|История)$/);
      if ((await history.count()) === 0) continue;
      await history.click();
      await page.locator('main table').last().waitFor();
      // The bar covers what is scrolled below it.
      await page.evaluate(() => scrollTo(0, 0));
      await expectGood(page, `record-history-${kind}-${locale}`);
      expect([kind, await brokenWords(page)]).toEqual([kind, []]);
    }
  });
});

/** Words of labels that are in more than one line. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const broken: string[] = [];
    for (const label of document.querySelectorAll('main dt, main th')) {
      const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode())
        for (const { 0: word, index } of (node.nodeValue ?? '').matchAll(/[\p{L}\d]+/gu)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1) broken.push(word);
        }
    }
    return broken;
  });
