import { expect, it, vi } from 'vitest';
import { codeOf, expectGood, hasPrograms, type Tab } from '../../e2e/support/browser.ts';
import { addMember, base, goodPassword, logIn, type Member } from '../../support/factories.ts';
import { type Account, goTo, signIn, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

const newPassword = 'nine quiet harbours wait';

const suite = requireService('chromium or oathtool', hasPrograms);

for (const portalType of ['admin', 'universal'] as const)
  suite(`the own account in the console of a portal of the type ${portalType}`, () => {
    let member: Member;
    const tabs = useConsoleTabs(async ({ world }) => {
      await world.admin(`PUT ${base}/tconfig`, { service_tokens: { own: { value: true } } });
    }, portalType);
    const part = (page: Page, name: string) =>
      page.locator('section').filter({ has: page.getByRole('heading', { name }) });
    const dialog = (page: Page) => page.getByRole('dialog');
    const secretOf = async (page: Page) => (await page.locator('#secret').innerText()).replaceAll(' ', '');

    /** Adds an administrator and opens the account by the menu of the user. */
    async function open(options?: Parameters<typeof tabs.open>[1]): Promise<Page> {
      const { world } = tabs.stand;
      member = await addMember(world, ['sites.read', 'farms.read'], '*', { real_name: 'Alice Liddell' });
      const page = await tabs.open('/', options, accountOf());
      await page.getByRole('button', { name: 'Alice Liddell' }).click();
      await page.getByRole('link', { name: /^(?:Account|Учётная запись)$/ }).click();
      await page.getByRole('heading', { name: /^(?:Account|Учётная запись)$/, level: 1 }).waitFor();
      return page;
    }
    const accountOf = (password = goodPassword): Account => ({
      ...{ domain: tabs.stand.world.domain.name, name: member.user.name, password },
    });
    const statusWith = async (token: string) =>
      (await tabs.stand.world.portal.send('GET /api/userinfo', { token })).status;

    it('shows the user and their sessions, and ends one or all others after a question', async () => {
      const page = await open();
      const profile = part(page, 'Profile');
      await profile.getByText('Alice Liddell').waitFor();
      await profile.getByText(member.user.name).waitFor();
      const { portal, domain } = tabs.stand.world;
      const tokens = [member.token];
      for (const ip of ['203.0.113.7', '203.0.113.8'])
        tokens.push((await logIn(portal, domain, member.user, {}, ip)).body.token);
      await page.reload();
      const sessions = part(page, 'Where you are signed in');
      await sessions.getByText('This session').waitFor();
      await sessions.getByRole('button', { name: /203\.0\.113\.7$/ }).click();
      await dialog(page).getByText('stop working at once').waitFor();
      await expectGood(page, `account-console-end-${portalType}`);
      await dialog(page).getByRole('button', { name: 'Sign out' }).click();
      await sessions.getByText('203.0.113.7').waitFor({ state: 'detached' });
      const statuses = () => Promise.all(tokens.map(statusWith));
      expect(await statuses()).toEqual([200, 401, 200]);
      await sessions.getByRole('button', { name: 'Sign out everywhere else' }).click();
      await dialog(page).getByRole('button', { name: 'Sign out everywhere else' }).click();
      await page.getByText('You are signed in only here').waitFor();
      await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1);
      expect(await statuses()).toEqual([401, 401, 401]);
    });

    it('changes the password, which ends the other sessions', async () => {
      const page = await open();
      const form = part(page, 'Password');
      const change = async (current: string, next: string, again = next) => {
        await form.getByLabel('Current password').fill(current);
        await form.getByLabel('New password', { exact: true }).fill(next);
        await form.getByLabel('Repeat the new password').fill(again);
        await form.getByRole('button', { name: 'Change password' }).click();
      };
      await change(goodPassword, newPassword, 'nine quiet harbours sleep');
      await form.getByText('The new passwords do not match.').waitFor();
      await change('wrong wrong wrong', newPassword);
      await form.getByText('The current password is incorrect.').waitFor();
      await change(goodPassword, newPassword);
      await page.getByText('Your password is changed. Other sessions have ended.').waitFor();
      const sessions = part(page, 'Where you are signed in');
      await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1);
      expect(await statusWith(member.token)).toBe(401);
      await page.context().clearCookies();
      await page.goto('about:blank');
      await page.goto('/console/#/account');
      await signIn(page, accountOf(newPassword));
      await page.waitForURL('**/console/#/account');
      await part(page, 'Profile').getByText('Alice Liddell').waitFor();
    });

    it('sets the second factor up with a QR code, and removes it with a code', async () => {
      const page = await open();
      const factor = part(page, 'Second factor');
      await factor.getByText('Not set up').waitFor();
      await factor.getByLabel('Current password').fill('wrong wrong wrong');
      await factor.getByRole('button', { name: 'Set up an app' }).click();
      await factor.getByText('The password or the code is incorrect.').waitFor();
      await factor.getByLabel('Current password').fill(goodPassword);
      await factor.getByRole('button', { name: 'Set up an app' }).click();
      await factor.getByRole('img', { name: /^QR code/ }).waitFor();
      await expectGood(page, `account-console-qr-${portalType}`);
      const secret = await secretOf(page);
      await factor.getByLabel('Code', { exact: true }).fill(codeOf(secret));
      await factor.getByRole('button', { name: 'Confirm' }).click();
      await factor.getByText('Save your recovery codes').waitFor();
      const [code = ''] = await factor.getByRole('listitem').allInnerTexts();
      await factor.getByRole('button', { name: 'I have saved the codes' }).click();
      await factor.getByText('Set up', { exact: true }).waitFor();
      await page.reload();
      await factor.getByRole('button', { name: 'Remove the second factor' }).click();
      await factor.getByLabel('Current password').fill(goodPassword);
      await factor.getByLabel('Code', { exact: true }).fill(code);
      await factor.getByRole('button', { name: 'Remove the second factor' }).click();
      await page.getByText('The second factor is removed').waitFor();
      await factor.getByText('Not set up').waitFor();
      const { two_factor } = (await member.ask('GET /api/userinfo')).body;
      expect(two_factor).toEqual({ enrolled: false, methods: [], required: false });
    });

    it('creates a service token with chosen rights, and revokes it', async () => {
      const page = await open();
      const tokens = part(page, 'Service tokens');
      await tokens.getByRole('button', { name: 'New token' }).click();
      await tokens.getByLabel('Name of the token').fill('Inventory');
      await tokens.getByText('Choose administrative rights').click();
      await tokens.getByLabel('sites.read').check();
      await tokens.getByLabel('Current password').fill(goodPassword);
      await tokens.getByRole('button', { name: 'Create token' }).click();
      const token = await tokens.getByLabel('Token', { exact: true }).inputValue();
      const { body } = await tabs.stand.world.portal.send('GET /api/userinfo', { token });
      expect(body.permissions).toEqual(['sites.read']);
      await tokens.getByRole('button', { name: 'I have saved the token' }).click();
      await tokens.getByRole('button', { name: 'Revoke Inventory' }).click();
      await dialog(page).getByRole('button', { name: 'Revoke', exact: true }).click();
      await page.getByText('Inventory is revoked').waitFor();
      expect(await statusWith(token)).toBe(401);
    });

    it('has the language and the colours, which the menu shows as well', async () => {
      const page = await open();
      await page.getByLabel('Colours').selectOption({ label: 'Dark' });
      const scheme = () => page.evaluate(() => document.documentElement.style.colorScheme);
      expect(await scheme()).toBe('dark');
      await page.getByRole('button', { name: 'Alice Liddell' }).click();
      await page.getByRole('button', { name: 'Colours: dark' }).click();
      await expect.poll(() => page.getByLabel('Colours').inputValue()).toBe('system');
      expect(await scheme()).toBe('');
      await page.keyboard.press('Escape');
      await page.getByLabel('Language').selectOption({ label: 'Русский' });
      await page.getByRole('heading', { name: 'Учётная запись', level: 1 }).waitFor();
      expect(page.url()).toMatch(/\/console\/#\/account$/);
    });

    it('is found in the palette, and has no code in the first load of the console', async () => {
      const page = await open();
      await goTo(page, '/');
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      const files: string[] = [];
      page.on('request', (request) => files.push(new URL(request.url()).pathname));
      await page.reload();
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      const ofFirst = files.filter((path) => path.endsWith('.js')).length;
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('account');
      await page.getByRole('option', { name: 'Account' }).first().waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
      expect(files.filter((path) => path.endsWith('.js')).length).toBeGreaterThan(ofFirst);
    });

    it.each(looks)('is good to look at: %s, %s, %i px', async (locale, colorScheme, width) => {
      const page = await open({ colorScheme, locale, viewport: { width, height: 900 } });
      await page.getByText(/^(?:This session|Этот сеанс)$/).waitFor();
      await expectGood(page, `account-console-${portalType}-${locale}`);
    });
  });
