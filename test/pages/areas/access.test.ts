import { expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import {
  addGroup,
  addMember,
  addRole,
  addSite,
  addUser,
  goodPassword,
  logIn,
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

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

requireService('chromium', hasChromium)('users in the console', () => {
  let ada: Member;
  let robot: Json;
  let narrow: Member;
  const tabs = useConsoleTabs(async ({ world }) => {
    const { admin, domain } = world;
    const site = await addSite(admin, { name: 'Amber', uri: 'amber' });
    ada = await addMember(world, ['sites.read', 'farms.update'], [site.id], {
      name: 'ada',
      real_name: 'Ada Lovelace',
      email: 'ada@example.com',
    });
    const reader = await addRole(admin, ['sites.read', 'workplaces.read', 'workplaces.power', 'users.read'], {
      name: 'Reader of everything',
    });
    const group = await addGroup(admin, domain, { name: 'Analysts', skip_two_factor: true });
    await admin(`PATCH ${usersPath(domain)}/${ada.user.id}`, {
      roles: [ada.role.id, reader.id],
      groups: [group.id],
    });
    robot = await addUser(admin, domain, { name: 'robot', kind: 'service', password: null });
    for (const [name, days] of [
      ['Nightly report', 5],
      ['Monitoring', 200],
    ] as const)
      await admin(`POST ${usersPath(domain)}/${robot.id}/tokens`, {
        name,
        expires_at: inDays(days),
        permissions: ['sites.read'],
      });
    narrow = await addMember(world, ['users.read', 'sites.read'], [site.id], { name: 'narrow' });
  });
  const userPlace = ({ id }: Json) => `/user/${id}?auth_uuid=${tabs.stand.world.domain.id}`;
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name }).first();
  const rightsOn = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
  const dialog = (page: Page) => page.getByRole('dialog').last();
  const confirm = (page: Page, name: string) => dialog(page).getByRole('button', { name }).click();
  async function lock(name: string, ip?: string): Promise<void> {
    const { portal, domain } = tabs.stand.world;
    for (let n = 0; n < 5; n++) await logIn(portal, domain, { name }, { password: 'wrong' }, ip);
  }

  it('are found in one list, and each shows effective rights with their sources', async () => {
    const page = await tabs.open('/');
    await page.getByRole('link', { name: 'Users of all domains' }).click();
    await page.getByRole('searchbox').fill('lovelace');
    await row(page, 'Ada Lovelace').getByRole('link', { name: 'ada' }).click();
    await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
    const sites = rightsOn(page, 'Sites');
    await sites.waitFor();
    expect(await sites.innerText()).toContain('All sites');
    expect(await sites.innerText()).toContain('Reader of everything');
    expect(await rightsOn(page, 'Farms').innerText()).toContain('Amber');
    expect(await rightsOn(page, 'Workplaces').innerText()).toContain('read, power');
    await page.getByText('waives the second factor').waitFor();
    await expectGood(page, 'access-user');
  });

  it('are signed out, deactivated and activated after a question that names the effects', async () => {
    const { portal, domain } = tabs.stand.world;
    const again = await logIn(portal, domain, ada.user);
    const status = async () => (await portal.send('GET /api/userinfo', { token: again.body.token })).status;
    const page = await tabs.open(userPlace(ada.user));
    await page.getByRole('button', { name: 'End the session from' }).first().click();
    await confirm(page, 'Try first');
    await dialog(page).getByText('It would succeed').waitFor();
    expect(await status()).toBe(200);
    await confirm(page, 'End');
    await page.getByText('The session has ended').waitFor();
    expect(await status()).toBe(401);
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await dialog(page).getByText('1 open session ends.').waitFor();
    await expectGood(page, 'access-user-deactivate');
    await confirm(page, 'Deactivate');
    await page.getByText('This user cannot sign in').waitFor();
    expect((await logIn(portal, domain, ada.user)).status).toBe(401);
    await page.getByRole('button', { name: 'Activate' }).click();
    await confirm(page, 'Activate');
    await page.getByText('This user cannot sign in').waitFor({ state: 'detached' });
    expect((await logIn(portal, domain, ada.user)).status).toBe(200);
  });

  it('that are locked out are unlocked on their page and in the list of lock-outs', async () => {
    const { portal, domain } = tabs.stand.world;
    await lock('ada');
    const page = await tabs.open(userPlace(ada.user));
    await page.getByText('Too many wrong passwords.').waitFor();
    await expectGood(page, 'access-user-locked');
    await page.getByRole('button', { name: 'Unlock' }).click();
    await confirm(page, 'Unlock');
    await page.getByText('Too many wrong passwords.').waitFor({ state: 'detached' });
    expect((await logIn(portal, domain, ada.user)).status).toBe(200);
    await lock('ada', '203.0.113.5');
    await lock('unknown', '203.0.113.6');
    await goTo(page, '/lockOut');
    await row(page, '203.0.113.6').waitFor();
    await expectGood(page, 'access-lock-outs');
    await page.getByRole('checkbox', { name: 'Select ada' }).check();
    await page.getByRole('checkbox', { name: 'Select unknown' }).check();
    await page.getByRole('button', { name: 'Unlock selected' }).click();
    await confirm(page, 'Unlock');
    await page.getByText('No sign-in is refused now').waitFor();
    expect((await logIn(portal, domain, ada.user, {}, '203.0.113.5')).status).toBe(200);
  });

  it('of services have tokens, which are issued once and revoked', async () => {
    const page = await tabs.open(userPlace(robot));
    await page.getByText('Expires soon').waitFor();
    await page.getByRole('link', { name: 'Issue token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Backup');
    await page.getByRole('checkbox', { name: 'Read sites' }).check();
    await page.getByLabel('Expires').fill('2027-01-01T10:00');
    await expectGood(page, 'access-token-form');
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await dialog(page).getByRole('textbox').inputValue()).toMatch(/^agst_/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await goTo(page, '/issuedToken');
    await row(page, 'Backup').waitFor();
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual([
      'Nightly report',
      'Backup',
      'Monitoring',
    ]);
    await expectGood(page, 'access-tokens');
    await page.getByRole('button', { name: 'Nightly report' }).click();
    await confirm(page, 'Revoke');
    await page.getByRole('heading', { name: 'Revoke Nightly report?' }).waitFor();
    await confirm(page, 'Revoke');
    await row(page, 'Nightly report').waitFor({ state: 'detached' });
  });

  it('show no actions to an administrator who may only read them', async () => {
    const { name } = tabs.stand.world.domain;
    const page = await tabs.open(userPlace(ada.user), undefined, {
      domain: name,
      name: narrow.user.name,
      password: goodPassword,
    });
    await page.getByText('Your roles do not allow you to read roles.').waitFor();
    expect(await page.getByRole('button', { name: /Deactivate|End|Unlock|Reset/ }).count()).toBe(0);
    await goTo(page, '/loginSession');
    await row(page, 'narrow').waitFor();
    await page.getByRole('button', { name: 'narrow' }).first().click();
    expect(await dialog(page).getByRole('button', { name: 'End' }).count()).toBe(0);
  });

  it('are good to look at in both languages and schemes, in every width', async () => {
    await lock('ada');
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open(userPlace(ada.user), {
        locale,
        colorScheme: scheme,
        viewport: { width, height: 900 },
      });
      await page.getByRole('heading', { name: /^(?:What this user may do|Что разрешено)/ }).waitFor();
      await page.getByRole('link', { name: 'Analysts' }).first().waitFor();
      await expectGood(page, `access-user-${locale}-${width}`);
      for (const list of ['portalUser', 'loginSession', 'issuedToken', 'lockOut']) {
        await goTo(page, `/${list}`);
        await page.getByRole('rowheader').first().waitFor();
        await expectGood(page, `access-${list}-${locale}-${width}`);
      }
    }
  });
});
