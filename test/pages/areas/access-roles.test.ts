import { expect, it, vi } from 'vitest';
import { permissions } from '../../../shared/context/permissions.ts';
import english from '../../../shared/messages/console/access.en.json' with { type: 'json' };
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import {
  addMember,
  addRole,
  addSite,
  addUser,
  builtinRole,
  goodPassword,
  type Member,
  usersPath,
} from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

const rolesPath = '/api/webui/aggregator/rbac';
const words: Readonly<Record<string, string>> = english;

/** What the page shows for a permission: the resource, and below it the action. */
const shownAs = (permission: string): string => {
  const [resource, action] = permission.split('.');
  return `${words[`access_resource_${resource}`]}: ${words[`access_action_${action}`]}`;
};
const byText = new Map(permissions.map((permission) => [shownAs(permission), permission]));

type Column = { href: string; granted: string[]; missing: string[] };

/** The roles of the matrix with the permissions that it says they grant, as a screen reader reads them. */
async function readMatrix(page: Page): Promise<Column[]> {
  const { hrefs, rows } = await page.locator('table').evaluate((table) => ({
    hrefs: [...table.querySelectorAll('thead th a')].map((link) => link.getAttribute('href') ?? ''),
    rows: [...table.querySelectorAll('tbody')].flatMap((body) => {
      const [head, ...own] = body.querySelectorAll('tr');
      return own.map((row) => ({
        name: `${head?.querySelector('th')?.textContent}: ${row.querySelector('th > span')?.textContent}`,
        cells: [...row.querySelectorAll('td .unseen')].map(({ textContent }) => textContent),
      }));
    }),
  }));
  return hrefs.map((href, at) => {
    const saying = (text: string) => rows.filter(({ cells }) => cells[at] === text).map(({ name }) => name);
    return { href, granted: saying('Granted'), missing: saying('Not granted') };
  });
}

requireService('chromium', hasChromium)('roles in the console', () => {
  let site: Json;
  let [reader, writer]: Json[] = [];
  let limited: Member;
  const tabs = useConsoleTabs(async ({ world }) => {
    const { admin } = world;
    site = await addSite(admin, { name: 'Amber', uri: 'amber' });
    for (let n = 0; n < 34; n++)
      await addRole(
        admin,
        permissions.filter((_, at) => (at * 7 + n * 3) % (n + 2) === 0),
        { name: `Team ${String(n).padStart(2, '0')} of the western region` },
      );
    reader = await addRole(admin, ['sites.read', 'farms.read', 'tags.read'], { name: 'Reader' });
    writer = await addRole(admin, ['sites.read', 'farms.read', 'farms.update', 'tags.export'], {
      name: 'Writer',
      scope: { sites: [site.id] },
    });
    limited = await addMember(world, ['sites.read', 'farms.read', 'farms.update'], [site.id], {
      name: 'limited',
    });
    // Roles belong to no site, so that their administration needs a role for all sites.
    const ofRoles = await addRole(admin, ['roles.read', 'roles.create', 'roles.update']);
    await admin(`PATCH ${usersPath(world.domain)}/${limited.user.id}`, {
      roles: [limited.role.id, ofRoles.id],
    });
  });
  const place = (role: Json) => `/role/${role.id}`;
  const stored = async (id: string): Promise<Json> =>
    (await tabs.stand.world.admin(`GET ${rolesPath}/${id}`)).body;
  const named = async (name: string): Promise<Json> =>
    (await tabs.stand.world.admin(`GET ${rolesPath}?search=${encodeURIComponent(name)}`)).body.items[0];
  const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
  const matrix = (page: Page) => page.getByRole('table', { name: 'Role matrix' });
  const account = () => ({
    domain: tabs.stand.world.domain.name,
    name: limited.user.name,
    password: goodPassword,
  });

  it('have a matrix that agrees with the API for every role and permission, read by one request', async () => {
    const page = await tabs.open('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('role matr');
    await page.getByRole('option', { name: 'Role matrix' }).waitFor();
    await page.keyboard.press('Escape');
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/webui/')) asked.push(pathname);
    });
    await page.getByRole('link', { name: 'Role matrix' }).click();
    await matrix(page).waitFor();
    expect(asked.filter((path) => path === rolesPath)).toHaveLength(1);
    const columns = await readMatrix(page);
    const { items } = (await tabs.stand.world.admin(`GET ${rolesPath}?limit=500`)).body;
    expect(columns.length).toBeGreaterThan(40);
    expect(columns.map(({ href }) => href).toSorted()).toEqual(
      items.map(({ id }: Json) => `#/role/${id}`).toSorted(),
    );
    for (const { href, granted, missing } of columns) {
      const role = await stored(href.replace('#/role/', ''));
      expect([role.name, granted.map((text) => byText.get(text)).toSorted()]).toEqual([
        role.name,
        role.permissions.toSorted(),
      ]);
      expect(granted.length + missing.length).toBe(permissions.length);
    }
    const header = page.getByRole('columnheader', { name: 'Writer' });
    expect(await header.innerText()).toMatch(/4 rights\s+1 site/);
    await expectGood(page, 'roles-matrix');
  });

  it('are compared by their differences, with the choice in the address', async () => {
    const page = await tabs.open('/role-matrix');
    for (const name of ['Reader', 'Writer']) {
      await page.getByRole('combobox', { name: 'Roles to compare' }).fill(name);
      await page.getByRole('option', { name }).click();
    }
    await page.getByRole('checkbox', { name: 'Only differences' }).check();
    await page.getByText('3 rights of').waitFor();
    expect(page.url()).toContain(`${reader.id}`);
    expect(page.url()).toContain(`${writer.id}`);
    await page.reload();
    await page.getByText('3 rights of').waitFor();
    const columns = await readMatrix(page);
    const ids = (texts: string[]) => texts.map((text) => byText.get(text)).toSorted();
    expect(columns.map(({ href, granted, missing }) => [href, ids(granted), ids(missing)])).toEqual([
      [`#/role/${reader.id}`, ['tags.read'], ['farms.update', 'tags.export']],
      [`#/role/${writer.id}`, ['farms.update', 'tags.export'], ['tags.read']],
    ]);
    await expectGood(page, 'roles-matrix-different');
    await page.getByRole('searchbox').fill('tags');
    await page.getByText('2 rights of').waitFor();
    expect(page.url()).toContain('search=tags');
    await page.getByRole('button', { name: 'Remove Writer' }).click();
    await page.getByRole('checkbox', { name: 'Only differences' }).waitFor({ state: 'detached' });
    await matrix(page).getByRole('link', { name: 'Reader' }).click();
    await page.getByRole('heading', { name: 'Reader', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Compare' }).click();
    await expect
      .poll(async () => (await readMatrix(page)).map(({ href }) => href))
      .toEqual([`#/role/${reader.id}`]);
  });

  it('follow changes of other administrators', async () => {
    const { admin } = tabs.stand.world;
    const role = await addRole(admin, ['sites.read'], { name: 'Changing' });
    const page = await tabs.open(`/role-matrix?roles=${role.id}`);
    await page.getByRole('columnheader', { name: '1 right' }).waitFor();
    await admin(`PATCH ${rolesPath}/${role.id}`, { permissions: ['sites.read', 'sites.update'] });
    await page.getByRole('columnheader', { name: '2 rights' }).waitFor();
    await admin(`DELETE ${rolesPath}/${role.id}`);
    await page.getByText('A chosen role does not exist any more').waitFor();
  });

  it('are created by the keyboard alone', async () => {
    const page = await tabs.open('/role/new');
    await page.getByLabel('Name', { exact: true }).fill('Made by keys');
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    expect(await focused()).toBe('All rights: Audit log');
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Read the audit log');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Export the audit log');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    expect(await focused()).toBe('Delete authentication domains');
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await page.keyboard.press('Control+End');
    expect(await focused()).toBe('Interrupt the work of users');
    // Between the header of the grid, which stays below the bar of the page, and the buttons of the form.
    const places = await page.evaluate(() => {
      const at = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
      const submit = document.querySelector('[type=submit]')?.parentElement?.getBoundingClientRect();
      const box = document.activeElement?.getBoundingClientRect();
      return { bar: at('header'), head: at('thead th'), box, buttons: submit };
    });
    expect(places.head?.top).toBeGreaterThanOrEqual((places.bar?.bottom ?? Number.NaN) - 3);
    expect(places.box?.top).toBeGreaterThanOrEqual(places.head?.bottom ?? Number.NaN);
    expect(places.box?.bottom).toBeLessThanOrEqual(places.buttons?.top ?? Number.NaN);
    await page.keyboard.press('Control+Home');
    expect(await focused()).toBe('All rights: Audit log');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('All rights: Audit log');
    await page.getByText(`6 of ${permissions.length} rights are ticked`).waitFor();
    await page.getByRole('button', { name: 'Create' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Made by keys', level: 1 }).waitFor();
    expect((await named('Made by keys')).permissions).toEqual([
      'audit.read',
      ...permissions.filter((permission) => permission.startsWith('authenticators.')).toSorted(),
    ]);
  });

  it('have presets, and show what differs from the saved role', async () => {
    const { admin } = tabs.stand.world;
    const role = await addRole(admin, ['farms.read', 'farms.update', 'tags.export'], { name: 'Edited' });
    const page = await tabs.open(`${place(role)}/edit`);
    await page.getByText('The rights are those of the saved role.').waitFor();
    await page.getByRole('searchbox').fill('farms');
    await box(page, 'Change farms').uncheck();
    await box(page, 'Create farms').check();
    await page.getByText('Against the saved role: 1 right added, 1 right removed').waitFor();
    await expectGood(page, 'roles-form-changed');
    await box(page, 'Change farms').check();
    await box(page, 'Create farms').uncheck();
    await page.getByText('The rights are those of the saved role.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByText(`${permissions.length} of ${permissions.length} rights are ticked`).waitFor();
    await page.getByRole('button', { name: 'Read only' }).click();
    await page.getByRole('button', { name: 'Try first' }).click();
    await page.getByRole('dialog').getByText('Nothing is changed yet.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    expect((await stored(role.id)).permissions).toEqual(role.permissions);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Edited', exact: true, level: 1 }).waitFor();
    expect((await stored(role.id)).permissions).toEqual(
      permissions.filter((permission) => permission.endsWith('.read')).toSorted(),
    );
  });

  it('can grant no right that the user does not have in all of their sites', async () => {
    const page = await tabs.open('/role/new', undefined, account());
    await page.getByLabel('Name', { exact: true }).fill('Of a part');
    await page.getByText('You can grant only rights that you have').waitFor();
    // All sites are chosen, and the user administers one.
    await expect.poll(() => box(page, 'Read farms').getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('checkbox', { name: 'All sites' }).uncheck();
    await page.getByRole('group', { name: 'Scope' }).getByRole('combobox').fill('Amber');
    await page.getByRole('option', { name: 'Amber' }).click();
    await expect.poll(() => box(page, 'Read farms').getAttribute('aria-disabled')).toBe('false');
    await box(page, 'Delete farms').press('Space');
    expect(await box(page, 'Delete farms').isChecked()).toBe(false);
    expect(await box(page, 'Delete farms').getAttribute('title')).toContain('You do not have this right');
    await box(page, 'All rights: Farms').click();
    await page.getByText('2 of').waitFor();
    await expectGood(page, 'roles-form-limited');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Of a part', level: 1 }).waitFor();
    expect(await named('Of a part')).toMatchObject({
      permissions: ['farms.read', 'farms.update'],
      scope: { sites: [site.id] },
    });
    await goTo(page, `${place(writer)}/edit`);
    await page.getByText('You cannot change this role').waitFor();
    await page.getByText('Export tags').first().waitFor();
    await box(page, 'Read sites').click({ force: true });
    expect(await box(page, 'Read sites').isChecked()).toBe(true);
    // Roles belong to no site: a user who has the permissions in one site only can read them.
    const local = await addMember(
      tabs.stand.world,
      ['roles.read', 'roles.create', 'roles.update', 'sites.read', 'sites.update'],
      [site.id],
      { name: 'local' },
    );
    const other = await tabs.open(place(reader), undefined, { ...account(), name: local.user.name });
    await other.getByRole('heading', { name: 'Reader', level: 1 }).waitFor();
    await other.getByRole('link', { name: 'Compare' }).waitFor();
    for (const name of ['Edit', 'Copy role']) expect(await other.getByRole('link', { name }).count()).toBe(0);
    await goTo(other, `/site/${site.id}`);
    await other.getByRole('link', { name: 'Edit' }).waitFor();
    // The portal refuses what the form does not offer.
    expect((await limited.ask(`PATCH ${rolesPath}/${writer.id}`, { permissions: [] })).status).toBe(403);
  });

  it('name their users, and can be copied with their rights and sites', async () => {
    const { admin, domain } = tabs.stand.world;
    const holder = await addUser(admin, domain, { name: 'holder', roles: [writer.id] });
    const page = await tabs.open(place(writer));
    await page.getByRole('heading', { name: '1 user with this role' }).waitFor();
    await expectGood(page, 'roles-record');
    await page.getByRole('link', { name: 'holder' }).click();
    await page.getByRole('heading', { name: 'holder', level: 1 }).waitFor();
    expect(page.url()).toContain(holder.id);
    await goTo(page, place(writer));
    await page.getByRole('link', { name: 'Copy role' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Second writer');
    await page.getByText('4 of').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Second writer', level: 1 }).waitFor();
    expect(await named('Second writer')).toMatchObject({
      permissions: writer.permissions,
      scope: writer.scope,
    });
    await page.getByText('No user has this role.').waitFor();
    await goTo(page, `/role/${await builtinRole(admin, 'operator')}`);
    await page.getByRole('heading', { name: 'operator', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Copy role' }).waitFor();
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
  });

  it.each(looks)('are good to look at: %s, %s, %i px', async (locale, colorScheme, width) => {
    // The check of accessibility takes time for each cell, of which the whole matrix has thousands.
    const compared = `/role-matrix?roles=${reader.id},${writer.id}`;
    const page = await tabs.open(compared, { locale, colorScheme, viewport: { width, height: 900 } });
    await page.getByRole('columnheader', { name: 'Writer' }).waitFor();
    await expectGood(page, `roles-compared-${locale}-${colorScheme}`);
    await goTo(page, `${place(writer)}/edit`);
    await page.getByRole('table').waitFor();
    await expectGood(page, `roles-form-${locale}-${colorScheme}`);
    await goTo(page, place(writer));
    await page.getByRole('table').last().waitFor();
    await expectGood(page, `roles-record-${locale}-${colorScheme}`);
  });

  it('are found by name if there are more than the matrix reads', async () => {
    const { admin } = tabs.stand.world;
    for (let n = 0; n < 200; n++) await addRole(admin, ['sites.read'], { name: `Team of many ${n}` });
    const last = await addRole(admin, ['tags.read', 'tags.export'], { name: 'Zenith' });
    const page = await tabs.open('/role-matrix');
    await page.getByText('The first 200 roles are shown').waitFor();
    await matrix(page).waitFor();
    expect(await readMatrix(page)).toHaveLength(200);
    await page.getByRole('combobox', { name: 'Roles to compare' }).fill('zeni');
    await page.getByRole('option', { name: 'Zenith' }).click();
    await page.getByRole('columnheader', { name: 'Zenith' }).waitFor();
    const [column] = await readMatrix(page);
    expect([column?.href, column?.granted]).toEqual([`#/role/${last.id}`, ['Tags: read', 'Tags: export']]);
  });
});
