import { describe, expect, it, vi } from 'vitest';
import { goodPassword } from '../../support/factories.ts';
import { exempt, leaks, startTwoSites, type TwoSites } from '../../support/fleet/two-sites.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { crawlConsole, kindOfPlace, type Sight } from '../../support/pages/crawl.ts';
import { requireService } from '../../support/services.ts';

// All places of the console, one after the other, on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

/** Lists with objects of both sites. */
const lists = [
  ...['#/servicespool', '#/workplace', '#/spsession', '#/site', '#/farm', '#/dispatcher', '#/gateway'],
  ...['#/rule', '#/priority_group', '#/monitoring_record'],
];

/** A list draws only some of its rows, and receives more. */
const isSeen = (places: ReadonlySet<string>, list: string): boolean =>
  [...places].some((place) => place === list || place.startsWith(`${list} received`));

/** Without the names of records that are exempt, which labels contain. */
const plain = (text: string): string => exempt.reduce((rest, name) => rest.replaceAll(name, ''), text);

requireService('chromium', hasChromium)('the console of an administrator of one site', () => {
  let sites: TwoSites;
  const tabs = useConsoleTabs(async ({ world }) => {
    sites = await startTwoSites(world);
  });

  it('shows and receives nothing of the other site, at any place, in any dialog', async () => {
    const { member, world, other } = sites;
    const found = new Map<string, string[]>();
    const own = new Set<string>();
    const refused = new Set<string>();
    const onSight = ({ place, text, status }: Sight) => {
      if (status === 403) refused.add(kindOfPlace(place).replace(/https:\S+?\/api/, ''));
      const marks = leaks(other, plain(text));
      if (marks.length > 0) found.set(place, [...new Set(marks)]);
      if (text.includes('alpha')) own.add(place);
    };
    const account = { domain: world.domain.name, name: member.name, password: goodPassword };
    const page = await tabs.open('/', {}, account);
    const kinds = await crawlConsole(page, { onSight, ofEachKind: 2, isThorough: true });
    expect(Object.fromEntries(found)).toEqual({});
    // What the user may not do is not offered.
    expect([...refused]).toEqual([]);
    for (const list of lists)
      expect([list, kinds.includes(list), isSeen(own, list)]).toEqual([list, true, true]);
    // Their own pages, forms and new records were opened as well.
    for (const kind of ['#/farm/:id', '#/farm/:id/edit', '#/farm/new', '#/rule/:id'])
      expect(kinds).toContain(kind);
  });

  describe('the places of the crawl', () => {
    it('show the other site to an administrator of all sites', async () => {
      const shown = new Set<string>();
      const onSight = ({ place, text }: Sight) => {
        if (leaks(sites.other, text).length > 0) shown.add(place);
      };
      await crawlConsole(await tabs.open('/'), { onSight, ofEachKind: 1, isThorough: false });
      for (const list of [...lists, '#/audit']) expect([list, isSeen(shown, list)]).toEqual([list, true]);
      expect(isSeen(shown, '#/')).toBe(true);
    });
  });
});
