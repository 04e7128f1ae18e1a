import { expect, it, vi } from 'vitest';
import { expectGood, hasPrograms, type Tab } from '../../e2e/support/browser.ts';
import { addMember, base, goodPassword, type Member } from '../../support/factories.ts';
import { type Account, goTo, signIn, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { addVirtualAuthenticator } from '../../support/passkeys/virtual-authenticator.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
type Options = Parameters<ReturnType<typeof useConsoleTabs>['open']>[1];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium or oathtool', hasPrograms)('passkeys in a browser', () => {
  const tabs = useConsoleTabs();
  let member: Member;
  const part = (page: Page, name: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) });
  const accountOf = (): Account => ({
    ...{ domain: tabs.stand.world.domain.name, name: member.user.name, password: goodPassword },
  });
  const passkeysOf = async (): Promise<{ id: string; name: string }[]> =>
    (await tabs.stand.world.admin(`GET ${base}/users/${member.user.id}/access`)).body.passkeys;

  /** Signs a new administrator in, and opens the account. */
  async function open(options?: Options): Promise<Page> {
    member = await addMember(tabs.stand.world, ['sites.read', 'farms.read']);
    const page = await tabs.open('/account', options, accountOf());
    await page.getByRole('heading', { name: /^(?:Account|Учётная запись)$/, level: 1 }).waitFor();
    return page;
  }

  /** Adds a passkey on the page of the account. */
  async function add(page: Page, name = 'Work laptop'): Promise<void> {
    const passkeys = part(page, 'Passkeys');
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
    await passkeys.getByLabel('Name of the passkey').fill(name);
    await passkeys.getByLabel('Current password').fill(goodPassword);
    await passkeys.getByRole('button', { name: 'Add the passkey' }).click();
    await passkeys.getByRole('button', { name: 'I have saved the codes' }).click();
    await passkeys.getByText(name).waitFor();
  }

  /** Ends the session, and opens the sign-in page. */
  async function leave(page: Page): Promise<void> {
    await page.context().clearCookies();
    await page.goto('/signin');
  }
  /** As in a browser that does not offer passkeys among the suggestions: there they sign in by the button alone. */
  const withoutSuggestions = (page: Page) =>
    page.addInitScript(() =>
      Object.assign(PublicKeyCredential, { isConditionalMediationAvailable: async () => false }),
    );
  const signInByButton = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }).click();

  it('are added with the password, and sign in without it', async () => {
    const page = await open();
    const device = await addVirtualAuthenticator(page);
    const passkeys = part(page, 'Passkeys');
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
    await passkeys.getByLabel('Current password').fill('wrong wrong wrong');
    await passkeys.getByRole('button', { name: 'Add the passkey' }).click();
    await passkeys.getByText('The password or the code is incorrect.').waitFor();
    await expectGood(page, 'passkey-new');
    await passkeys.getByRole('button', { name: 'Cancel' }).click();
    await add(page);
    await expectGood(page, 'passkeys');
    expect(await passkeysOf()).toMatchObject([{ name: 'Work laptop', synced: false }]);
    expect(await device.credentials()).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);
    await withoutSuggestions(page);
    await leave(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await expectGood(page, 'signin-passkey');
    await signInByButton(page);
    await page.waitForURL('**/console/**');
    await goTo(page, '/account');
    await part(page, 'Profile').getByText(member.user.name).waitFor();
  });

  it('are offered among the suggestions of the user name', async () => {
    const page = await open();
    await addVirtualAuthenticator(page);
    await add(page);
    await leave(page);
    // The authenticator confirms the suggestion without a click.
    await page.waitForURL('**/console/**');
  });

  it('confirm a sign-in with the password', async () => {
    const page = await open();
    const device = await addVirtualAuthenticator(page);
    await add(page);
    await device.simulatePresence(false);
    await leave(page);
    await signIn(page, accountOf());
    await page.getByRole('heading', { name: 'Confirm your identity' }).waitFor();
    await expectGood(page, 'signin-passkey-factor');
    await device.simulatePresence(true);
    await page.getByRole('button', { name: 'Use your passkey' }).click();
    await page.waitForURL('**/console/**');
  });

  it('are set up in a sign-in that requires a second factor', async () => {
    const page = await open();
    const { world } = tabs.stand;
    const domain = (
      await world.admin(`POST ${base}/authenticators`, {
        ...{
          name: `Guarded ${Date.now()}`,
          small_name: `g${Date.now()}`,
          type: 'internal',
          two_factor: true,
        },
      })
    ).body;
    const { body: user } = await world.admin(`POST ${base}/authenticators/${domain.id}/users`, {
      ...{ name: 'alice', password: goodPassword, roles: [member.role.id] },
    });
    const device = await addVirtualAuthenticator(page);
    await device.simulatePresence(false);
    await leave(page);
    await signIn(page, { domain: domain.name, name: user.name, password: goodPassword });
    await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor();
    await expectGood(page, 'signin-passkey-enrol');
    await device.simulatePresence(true);
    await page.getByRole('button', { name: 'Set up a passkey instead' }).click();
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    await page.getByRole('button', { name: 'I have saved the codes' }).click();
    await page.waitForURL('**/console/**');
  });

  it('are refused as a copy when the counter goes back, and without verification of the user', async () => {
    const page = await open();
    const device = await addVirtualAuthenticator(page);
    await add(page);
    const [credential] = await device.credentials();
    if (!credential) throw new Error('the authenticator has no credential');
    await withoutSuggestions(page);
    await leave(page);
    await device.put([{ ...credential, signCount: credential.signCount + 20 }]);
    await signInByButton(page);
    await page.waitForURL('**/console/**');
    await leave(page);
    await device.put([credential]);
    await signInByButton(page);
    await page.getByText('The passkey was not accepted').waitFor();
    await expectGood(page, 'signin-passkey-refused');
    expect(await passkeysOf()).toMatchObject([{ blocked_at: expect.any(String) }]);
  });

  it('are renamed and deleted by the user after a confirmation', async () => {
    const page = await open();
    await addVirtualAuthenticator(page);
    await add(page);
    const passkeys = part(page, 'Passkeys');
    const dialog = page.getByRole('dialog');
    await passkeys.getByRole('button', { name: 'Rename Work laptop' }).click();
    await dialog.getByLabel('Name of the passkey').fill('Old laptop');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await passkeys.getByText('Old laptop').waitFor();
    await passkeys.getByRole('button', { name: 'Delete Old laptop' }).click();
    await dialog.getByText('Confirm with one of your passkeys.').waitFor();
    await expectGood(page, 'passkey-delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Old laptop is deleted').waitFor();
    expect(await passkeysOf()).toEqual([]);
  });

  it('are revoked by an administrator', async () => {
    const page = await open();
    await addVirtualAuthenticator(page);
    await add(page);
    const console = await tabs.open(`/user/${member.user.id}?auth_uuid=${tabs.stand.world.domain.id}`);
    const card = part(console, 'Passkeys');
    await card.getByText('Work laptop').waitFor();
    await expectGood(console, 'user-passkeys');
    await card.getByRole('button', { name: 'Revoke Work laptop' }).click();
    await console.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await console.getByText('Work laptop is revoked').waitFor();
    expect(await passkeysOf()).toEqual([]);
    await withoutSuggestions(page);
    await leave(page);
    await signInByButton(page);
    await page.getByText('The passkey was not accepted').waitFor();
  });

  it('fit a narrow screen in Russian', async () => {
    const page = await open({ locale: 'ru-RU', viewport: { width: 360, height: 740 } });
    const device = await addVirtualAuthenticator(page);
    const passkeys = part(page, 'Ключи доступа');
    await passkeys.getByRole('button', { name: 'Добавить ключ доступа' }).click();
    await passkeys.getByLabel('Текущий пароль').fill(goodPassword);
    await expectGood(page, 'passkey-new-ru');
    await passkeys.getByRole('button', { name: 'Добавить ключ' }).click();
    await passkeys.getByRole('checkbox').or(passkeys.getByRole('button')).first().waitFor();
    await expectGood(page, 'passkey-codes-ru');
    await device.simulatePresence(false);
    await leave(page);
    await page.getByRole('button', { name: 'Войти с ключом доступа' }).waitFor();
    await expectGood(page, 'signin-passkey-ru');
    await signIn(page, accountOf());
    await page.getByRole('button', { name: 'Использовать ключ доступа' }).waitFor();
    await expectGood(page, 'signin-passkey-factor-ru');
  });

  it('are not shown in a browser without WebAuthn', async () => {
    const page = await open();
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'PublicKeyCredential'));
    await page.reload();
    await part(page, 'Second factor').waitFor();
    expect(await part(page, 'Passkeys').count()).toBe(0);
    await leave(page);
    await page.locator('#username').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
  });
});
