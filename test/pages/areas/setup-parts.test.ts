import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import type { Simulator } from '../../simulator/start.ts';
import {
  addDispatcher,
  addFarm,
  addMember,
  addNode,
  addRole,
  addRule,
  addSite,
  addTemplate,
  addUser,
  base,
  goodPassword,
  pool,
} from '../../support/factories.ts';
import { readFirst } from '../../support/fleet/first-reads.ts';
import { memberOf, siteWithFarms } from '../../support/fleet/rules.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

const soon = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

requireService('chromium', hasChromium)('the pages of sites, farms and nodes', () => {
  const made = {} as { site: Json; farm: Json; node: Json; simulator: Simulator; other: Json };
  const tabs = useConsoleTabs(async ({ world, origin }) => {
    const { admin } = world;
    const site = await addSite(admin, { name: 'Harbour', uri: 'harbour' });
    const farm = await addFarm(admin, site, { name: 'Harbour farm' });
    const { simulator, dispatcher } = await addNode(world, farm, {
      name: 'harbour-1',
      pools: [pool('Office')],
      simulator: { issuer: origin },
    });
    await addDispatcher(admin, farm, { name: 'harbour-2', url: 'https://127.0.0.1:9', timeout_ms: 500 });
    await addRule(admin, site, { name: 'Harbour desktops' });
    const template = await addTemplate(admin, { title: 'New disks', start_at: soon(2), end_at: soon(3) });
    await admin(`PATCH ${base}/farms/${farm.id}`, {
      ...{ maintenance: true, maintenance_template_id: template.id },
    });
    await addTemplate(admin, { name: 'Evening', title: 'Evening' });
    await readFirst(world.portal, 'harbour-1');
    Object.assign(made, { site, farm, node: dispatcher, simulator, other: await addSite(admin) });
    return undefined;
  });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const region = (page: Page, name: string) => page.getByRole('region', { name });

  it('shows the farms and nodes of a site, its capacity, maintenance and rules', async () => {
    const page = await tabs.open(`/site/${made.site.id}`);
    const farms = region(page, 'Farms and nodes');
    await farms.getByRole('link', { name: 'harbour-1' }).waitFor();
    await farms.getByRole('link', { name: 'harbour-2' }).waitFor();
    await farms.getByText('0 of 3').waitFor();
    await region(page, 'Maintenance').getByText('Farm Harbour farm').waitFor();
    await region(page, 'Rules').getByRole('link', { name: 'Harbour desktops' }).waitFor();
    await expectGood(page, 'setup-site');
  });

  it('states what users see without rules, as their list of services does', async () => {
    const { world } = tabs.stand;
    const simulator = { issuer: tabs.stand.origin };
    const { site, farms } = await siteWithFarms(world, [{ pools: [pool('Desks'), pool('Labs')], simulator }]);
    const [at] = farms;
    if (!at) throw new Error('no farm');
    const { ask } = await addMember(world, []);
    const page = await tabs.open(`/site/${site.id}`);
    await region(page, 'Rules').getByText('No pool of the site has been read yet.').waitFor();
    const members: ReturnType<typeof memberOf>[] = [];
    const sentenceIs = async (text: (direct: number) => string) => {
      const { body } = await ask(`GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`);
      const direct = body.services.filter(({ kind }: Json) => kind === 'pool').length;
      expect(direct).toBe(2 - members.length);
      await page.reload();
      await region(page, 'Rules').getByText(text(direct)).waitFor();
    };
    await syncAll(world.portal, at.farm);
    await sentenceIs((direct) => `${direct} pools are offered without a rule. Users see each of them`);
    members.push(memberOf(at, 'Desks'));
    await addRule(world.admin, site, { members });
    await sentenceIs((direct) => `${direct} pool is offered without a rule. Users see it`);
    await expectGood(page, 'setup-site-offer');
    members.push(memberOf(at, 'Labs'));
    await addRule(world.admin, site, { members: members.slice(1) });
    await sentenceIs(() => 'All pools belong to rules. Users see only the services of their rules.');
    await at.node.simulator.close();
  });

  it('drains a site by a template and ends the maintenance, each after a trial', async () => {
    const page = await tabs.open(`/site/${made.site.id}`);
    await button(page, 'Drain').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox').fill('Evening');
    await page.getByRole('option', { name: 'Evening' }).click();
    await dialog.getByRole('button', { name: 'Try first' }).click();
    await dialog.getByRole('row').filter({ hasText: 'Maintenance' }).first().waitFor();
    await expectGood(page, 'setup-drain');
    const { admin } = tabs.stand.world;
    expect((await admin(`GET ${base}/sites/${made.site.id}`)).body.maintenance).toBe(false);
    await dialog.getByRole('button', { name: 'Drain' }).click();
    await page.getByText('Harbour goes into maintenance').waitFor();
    await button(page, 'End maintenance').click();
    await page.getByRole('dialog').getByRole('button', { name: 'End maintenance' }).click();
    await page.getByText('The maintenance of Harbour has ended').waitFor();
    const { body } = await admin(`GET ${base}/sites/${made.site.id}`);
    expect([body.maintenance, body.maintenance_template_id]).toEqual([false, null]);
  });

  it('does not take a new site for deleted while the overview is older than the site', async () => {
    const page = await tabs.open('/');
    await page.route('**/dashboard/admin*', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), sites: [] } });
    });
    await goTo(page, `/setup/done?site=${made.site.id}`);
    await page.locator('[data-step=node]').filter({ hasNotText: 'waiting' }).waitFor();
    await page.getByRole('heading', { name: 'The portal reads the site' }).waitFor();
    const { admin } = tabs.stand.world;
    const deleted = await addSite(admin);
    await admin(`DELETE ${base}/sites/${deleted.id}`);
    await goTo(page, `/setup/done?site=${deleted.id}`);
    await page.getByText('There is no new site here').waitFor();
  });

  it('names the first synchronization of a farm in a list that is empty because of it', async () => {
    const farm = await addFarm(tabs.stand.world.admin, made.other, { name: 'New farm' });
    const page = await tabs.open(`/workplace?farm_id=${farm.id}`);
    await page.getByText('First synchronization: the portal has not read New farm yet.').waitFor();
    await expectGood(page, 'fleet-first-synchronization');
  });

  it('tests the connection to a node', async () => {
    const page = await tabs.open(`/dispatcher/${made.node.id}`);
    await button(page, 'Test connection').click();
    await page.getByText('The portal can use the node').waitFor();
    await page.getByText('SHA-256 fingerprint').first().waitFor();
    await expectGood(page, 'setup-node-test');
    Object.assign(made.simulator.knobs, { failing: 401 });
    await button(page, 'Test again').click();
    await page.getByText('Check issuer, audience').waitFor();
    Object.assign(made.simulator.knobs, { failing: null });
  });

  it('tests all nodes of a farm', async () => {
    const page = await tabs.open(`/farm/${made.farm.id}`);
    await region(page, 'Nodes').getByRole('link', { name: 'harbour-2' }).waitFor();
    await button(page, 'Test connections').click();
    await region(page, 'harbour-1').getByText('The portal can use the node').waitFor();
    await region(page, 'harbour-2').getByText('Check the port').waitFor();
    await expectGood(page, 'setup-farm-test');
  });

  it('offers no action that the roles of the user do not allow', async () => {
    const { admin, domain } = tabs.stand.world;
    const role = await addRole(admin, ['sites.read', 'farms.read', 'dispatchers.read']);
    const { name } = await addUser(admin, domain, { roles: [role.id] });
    const account = { domain: domain.name, name, password: goodPassword };
    const page = await tabs.open(`/dispatcher/${made.node.id}`, {}, account);
    await page.getByRole('heading', { level: 1, name: 'harbour-1' }).waitFor();
    expect(await button(page, 'Test connection').count()).toBe(0);
    await goTo(page, `/site/${made.site.id}`);
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
    expect(await button(page, 'Drain').count()).toBe(0);
    await goTo(page, '/setup');
    await page.getByText('This page does not exist').waitFor();
    expect(await page.getByRole('link', { name: 'Set up a site' }).count()).toBe(0);
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, colorScheme, width] of looks) {
      const look = `${locale}-${colorScheme}`;
      const page = await tabs.open(`/site/${made.site.id}`, {
        ...{ locale, colorScheme, viewport: { width, height: 900 } },
      });
      await page.getByRole('link', { name: 'Harbour desktops' }).waitFor();
      await expectGood(page, `setup-site-${look}`);
      await goTo(page, `/farm/${made.farm.id}`);
      await page.getByRole('link', { name: 'harbour-2' }).waitFor();
      await expectGood(page, `setup-farm-${look}`);
      await goTo(page, `/dispatcher/${made.node.id}`);
      await page.getByRole('button', { name: /^(Test connection|Проверить соединение)$/ }).click();
      await page.locator('[data-step=lists][data-status=pass]').waitFor();
      await expectGood(page, `setup-node-${look}`);
    }
  });
});
