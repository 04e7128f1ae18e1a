import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Tab } from '../../e2e/support/browser.ts';
import { type Authority, createAuthority } from '../../simulator/authority.ts';
import { passwordOf, person, posixGroup } from '../../support/directories/entries.ts';
import { hasSlapd, reader, type Slapd, startSlapd, suffix } from '../../support/directories/slapd.ts';
import {
  addFarm,
  addNode,
  addRule,
  addSite,
  addTag,
  memberOf,
  pool,
  type SimulatedNode,
} from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { signIn, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { button, inDialog, openRecord, pageLink, takePicture, title } from '../../support/pages/guide.ts';
import { type Hand, keyboard, mouse } from '../../support/pages/hands.ts';
import { requireService } from '../../support/services.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';
import { type WebhookStand, webhookStand } from '../../support/webhooks/stand.ts';

type Page = Tab['page'];
// Whole stories, with a press of the Tab key for each control on the way.
vi.setConfig({ testTimeout: 180_000 });

const entries = [
  person('ada'),
  person('grace'),
  posixGroup('Analysts', ['ada']),
  posixGroup('Pilots', ['grace']),
];

requireService('chromium and slapd', hasChromium && hasSlapd)('further stories of the guide', () => {
  let slapd: Slapd;
  let authority: Authority;
  let hooks: WebhookStand;
  const nodes: SimulatedNode[] = [];
  const tabs = useConsoleTabs(async ({ world, origin }) => {
    authority = await createAuthority('Directories');
    slapd = await startSlapd(await authority.issue(), entries.join('\n'));
    hooks = webhookStand(world);
    for (const name of ['East', 'South']) {
      const site = await addSite(world.admin, { name, uri: name.toLowerCase() });
      const farm = await addFarm(world.admin, site);
      const pools = [pool(`Office ${name}`, { protocols: ['rdp'] })];
      const node = await addNode(world, farm, { simulator: { issuer: origin }, pools });
      // A dispatcher accepts users of domains that it has under the same label.
      const { domains } = node.simulator.state;
      for (const domain of domains.slice(0, 1)) domains.push({ ...domain, authSmallName: labelOf(name) });
      nodes.push(node);
      const { uuid } = node.simulator.state.poolNamed(`Office ${name}`);
      const members = [memberOf(farm, { servicepool_uuid: uuid })];
      await addRule(world.admin, site, { name: `Office ${name}`, match_tags: null, members });
    }
  });
  afterAll(async () => {
    await slapd?.stop();
    await hooks?.close();
    await Promise.all(nodes.map(({ simulator }) => simulator.close()));
  });

  describe.each([
    ['the mouse', mouse, { site: 'East', member: 'ada', group: 'Analysts' }],
    ['the keyboard alone', keyboard, { site: 'South', member: 'grace', group: 'Pilots' }],
  ] as const)('by %s', (_, hand: Hand, { site, member, group }) => {
    let page: Page;
    const picture = (of: string) => takePicture(page, of, hand);
    const directory = `Directory ${site}`;
    const account = { domain: directory, name: member, password: passwordOf(member) };

    it('connect a directory', async () => {
      page = await tabs.open('/');
      await hand.press(pageLink(page, 'Authentication domains'));
      await title(page, 'Authentication domains');
      await hand.press(page.getByRole('link', { name: 'Create authentication domain' }));
      await hand.press(page.getByRole('radio', { name: /^LDAP/ }));
      await hand.type(page.getByLabel('Name', { exact: true }), directory);
      await hand.type(page.getByLabel('Label', { exact: true }), labelOf(site));
      await hand.type(page.getByLabel('Servers'), slapd.secureUrl);
      await hand.type(page.getByLabel('Base', { exact: true }), suffix);
      await hand.type(page.getByLabel('Account', { exact: true }), reader.bind_dn);
      await hand.type(page.getByLabel('Password of the account'), reader.bind_password);
      await hand.type(page.getByLabel('Certificate authority'), authority.caPem);
      await hand.type(page.getByLabel('User name for the test'), member);
      await hand.type(page.getByLabel('Password of that user'), passwordOf(member));
      await hand.press(button(page, 'Run test'));
      await page.getByRole('listitem').filter({ hasText: 'Password of the user: passed' }).waitFor();
      await picture('directory-test');
      await hand.press(button(page, 'Create'));
      await title(page, directory);
      await hand.press(page.getByRole('link', { name: 'Domain groups', exact: true }));
      await hand.press(button(page, 'Add groups of the directory'));
      await hand.press(page.getByRole('dialog').getByRole('checkbox', { name: group }));
      await picture('directory-groups');
      await hand.press(inDialog(page, 'Add 1 group'));
      await page.getByText('1 group is added').waitFor();
      await page.getByRole('link', { name: group }).waitFor();
    });

    it('assign a group of the directory, whose members then sign in', async () => {
      page = await tabs.open('/');
      await openRecord(page, hand, 'Sites', site);
      await hand.press(page.getByRole('link', { name: 'Edit' }));
      await hand.pick(page.getByRole('combobox', { name: 'Groups' }), group);
      await hand.press(button(page, 'Save'));
      await page.getByRole('definition').getByText(group).waitFor();
      const home = await tabs.stand.open('/signin');
      await signIn(home.page, account);
      await home.page
        .getByRole('article')
        .filter({ hasText: `Office ${site}` })
        .waitFor();
      expect(await home.page.getByRole('article').count()).toBe(1);
      await home.close();
    });

    it('give a service a picture', async () => {
      page = await tabs.open('/');
      await hand.press(pageLink(page, 'Picture gallery'));
      await title(page, 'Picture gallery');
      await hand.attach(button(page, 'Choose files'), pictureOf(site));
      await page.getByText('The picture is added').waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: `Picture ${site}` })
        .locator('img')
        .evaluate((image: HTMLImageElement) => image.decode());
      await picture('gallery');
      await openRecord(page, hand, 'Rules', `Office ${site}`);
      await hand.press(page.getByRole('link', { name: 'Edit' }));
      await hand.press(button(page, 'Choose from the gallery'));
      await hand.press(page.getByRole('dialog').getByRole('radio', { name: `Picture ${site}` }));
      await hand.press(inDialog(page, 'Use this picture'));
      await hand.press(button(page, 'Save'));
      await page
        .getByRole('definition')
        .getByRole('link', { name: `Picture ${site}` })
        .waitFor();
      const home = await tabs.stand.open('/signin');
      await signIn(home.page, account);
      const shown = home.page.getByRole('article').locator('img');
      await shown.waitFor();
      const width = shown.evaluate(async (image: HTMLImageElement) => {
        await image.decode();
        return image.naturalWidth;
      });
      expect(await width).toBe(32);
      await home.close();
    });

    it('give a member of the directory a role', async () => {
      page = await tabs.open('/');
      await hand.press(pageLink(page, 'Roles'));
      await hand.press(page.getByRole('link', { name: 'Create role' }));
      await hand.type(page.getByLabel('Name', { exact: true }), `Observers ${site}`);
      await hand.type(page.getByRole('group', { name: 'Permissions' }).getByRole('searchbox'), 'sites');
      await hand.press(page.getByRole('checkbox', { name: 'Read sites' }));
      await hand.press(button(page, 'Create'));
      await title(page, `Observers ${site}`);
      await openRecord(page, hand, 'Authentication domains', directory);
      await hand.press(page.getByRole('link', { name: 'Domain users', exact: true }));
      await hand.press(page.getByRole('link', { name: member, exact: true }));
      await title(page, member);
      await hand.press(page.getByRole('link', { name: 'Edit' }));
      await hand.pick(page.getByRole('combobox', { name: 'Roles' }), `Observers ${site}`);
      await hand.press(button(page, 'Save'));
      await title(page, member);
      const theirs = await tabs.open('/', {}, account);
      await pageLink(theirs, 'Sites').waitFor();
      expect(await pageLink(theirs, 'Roles').count()).toBe(0);
    });

    it('prepare the page of the users', async () => {
      page = await tabs.open('/');
      await hand.press(pageLink(page, 'Appearance'));
      await title(page, 'Appearance');
      await hand.type(page.getByLabel('Name of the installation'), `Harbour ${site}`);
      await hand.type(page.getByRole('textbox', { name: 'Primary colour', exact: true }), '#0e7490');
      await hand.attach(
        page.getByRole('group', { name: 'Logo' }).getByRole('button', { name: 'Choose a file' }),
        logo,
      );
      await page.locator('[data-preview="light"] img').first().waitFor();
      await picture('appearance');
      await hand.type(page.getByLabel('Text on the sign-in page'), 'For the staff of the harbour.');
      await hand.type(page.getByLabel('Link to the support'), 'https://support.example.com/');
      await hand.type(page.getByLabel('Linux'), 'https://downloads.example.com/client.deb');
      await page.locator('[data-preview="light"]').getByText(`Harbour ${site}`).first().waitFor();
      await hand.press(button(page, 'Save'));
      await page.getByText('Pages show it when they are loaded again').waitFor();
      await hand.press(pageLink(page, 'System parameters'));
      await hand.type(page.getByRole('searchbox', { name: 'Search parameters' }), 'service tokens');
      await hand.press(page.getByLabel('Users can create service tokens', { exact: true }));
      await hand.press(button(page, 'Save'));
      await page.getByText('1 parameter is saved').waitFor();
      const { page: theirs, close } = await tabs.stand.open('/home/');
      await theirs.getByText('For the staff of the harbour.').waitFor();
      await theirs.locator('img').first().waitFor();
      await takePicture(theirs, 'sign-in', hand);
      await signIn(theirs, account);
      await theirs.getByRole('banner').getByText(`Harbour ${site}`).waitFor();
      await theirs
        .getByRole('article')
        .filter({ hasText: `Office ${site}` })
        .waitFor();
      await takePicture(theirs, 'home', hand);
      await close();
    });

    it('send events to another system', async () => {
      const receiver = await startReceiver({ status: 503 });
      page = await tabs.open('/');
      await hand.press(pageLink(page, 'Webhooks'));
      await title(page, 'Webhooks');
      await hand.press(page.getByRole('link', { name: 'Create webhook' }).first());
      await hand.type(page.getByLabel('Name', { exact: true }), `Ticket system ${site}`);
      await hand.type(page.getByLabel('URL', { exact: true }), receiver.url);
      await hand.type(page.getByLabel('CA certificates'), receiver.caPem);
      await hand.press(page.getByRole('group', { name: 'Tag', exact: true }).getByLabel('Created'));
      await hand.press(button(page, 'Create'));
      const secret = await page.getByRole('dialog').getByLabel('Secret').inputValue();
      await hand.press(inDialog(page, 'I have copied it'));
      await title(page, `Ticket system ${site}`);
      const { world } = tabs.stand;
      await addTag(world.admin);
      await hooks.queue();
      const webhook = { id: page.url().split('/').at(-1) };
      for (let n = 0; n < 8; n++) {
        await hooks.deliver();
        await hooks.makeDue(webhook);
      }
      const row = page.getByRole('row').filter({ hasText: 'Tag: created' });
      await row.filter({ hasText: 'Failed' }).waitFor({ timeout: 60_000 });
      await page.getByText(`Ticket system ${site} is created`).waitFor({ state: 'detached' });
      await row.scrollIntoViewIfNeeded();
      await picture('webhook');
      receiver.reaction = { status: 204 };
      receiver.received.length = 0;
      await hand.press(row.getByRole('button', { name: 'Send again' }));
      await hand.press(inDialog(page, 'Send again'));
      await page.getByText('1 event is sent again').waitFor();
      await hooks.deliver();
      await row.filter({ hasText: 'Delivered' }).waitFor({ timeout: 60_000 });
      expect(receiver.verified(secret)).toMatchObject([{ type: 'tag.created' }]);
      await receiver.close();
    });
  });
});

const labelOf = (site: string): string => `corp-${site.toLowerCase()}`;

const drawing = (color: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32"><rect width="32" height="32" rx="8" fill="${color}"/></svg>`,
  );

const pictureOf = (site: string) => ({
  name: `Picture ${site}.svg`,
  mimeType: 'image/svg+xml',
  buffer: drawing(site === 'East' ? '#0e7490' : '#be185d'),
});

const logo = {
  name: 'logo.svg',
  mimeType: 'image/svg+xml',
  buffer: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="#0e7490"/><path d="M16 5v21M9 12h14M6 18a10 10 0 0 0 20 0" fill="none" stroke="#fff" stroke-width="3"/></svg>',
  ),
};
