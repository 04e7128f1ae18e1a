import { afterAll, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { type Authority, createAuthority } from '../../simulator/authority.ts';
import { passwordOf, person, posixGroup } from '../../support/directories/entries.ts';
import { hasSlapd, reader, type Slapd, startSlapd, suffix } from '../../support/directories/slapd.ts';
import { domainsPath } from '../../support/factories.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { goTo, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

const entries = [person('ada'), posixGroup('Analysts', ['ada']), posixGroup('Engineers', ['ada'])];

requireService('chromium and slapd', hasChromium && hasSlapd)('domains in the console', () => {
  let slapd: Slapd;
  let authority: Authority;
  const tabs = useConsoleTabs(async () => {
    authority = await createAuthority('Directories');
    slapd = await startSlapd(await authority.issue(), entries.join('\n'));
  });
  afterAll(() => slapd?.stop());
  const step = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
  const failures = (page: Page) => page.getByRole('listitem').filter({ hasText: ': failed' }).allInnerTexts();
  const test = (page: Page) => page.getByRole('button', { name: 'Run test' }).click();

  it('are tested step by step before they are saved, and afterwards with the stored password', async () => {
    const page = await tabs.open('/authenticator/new');
    await page.getByRole('radio', { name: /^LDAP/ }).check();
    await page.getByLabel('Name', { exact: true }).fill('Directory');
    await page.getByLabel('Label', { exact: true }).fill('corp');
    await test(page);
    await step(page, 'Settings: failed').waitFor();
    await page.getByLabel('Servers').fill(slapd.secureUrl);
    await page.getByLabel('Base', { exact: true }).fill(suffix);
    await page.getByLabel('Account', { exact: true }).fill(reader.bind_dn);
    await page.getByLabel('Password of the account').fill('wrong');
    await page.getByLabel('Certificate authority').fill(authority.caPem);
    await test(page);
    await step(page, 'Sign-in of the search account: failed').waitFor();
    await expectGood(page, 'access-domain-test-failed');
    await page.getByLabel('Password of the account').fill(reader.bind_password);
    await page.getByLabel('User name for the test').fill('ada');
    await page.getByLabel('Password of that user').fill(passwordOf('ada'));
    await test(page);
    await expect.poll(() => page.getByRole('alert').allInnerTexts(), { timeout: 20_000 }).not.toEqual([]);
    expect(await failures(page)).toEqual([]);
    await step(page, 'Password of the user: passed').waitFor();
    await expectGood(page, 'access-domain-form');
    expect((await tabs.stand.world.admin(`GET ${domainsPath}?search=directory`)).body.items).toEqual([]);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Directory', level: 1 }).waitFor();
    await test(page);
    await page.getByText('The domain works').waitFor();
    await expectGood(page, 'access-domain');
  });

  it('keep their password when another setting changes', async () => {
    const { admin } = tabs.stand.world;
    const read = async () => (await admin(`GET ${domainsPath}?search=directory`)).body.items[0].params;
    const page = await tabs.open('/authenticator');
    await page.getByRole('link', { name: 'Directory' }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText('A value is stored.').waitFor();
    await page.getByLabel('Time limit').fill('9');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Directory', level: 1, exact: true }).waitFor();
    expect(await read()).toMatchObject({ timeout_s: 9, bind_password_set: true, bind_dn: reader.bind_dn });
  });

  it('give their groups, found in the directory', async () => {
    const { admin } = tabs.stand.world;
    const { id } = (await admin(`GET ${domainsPath}?search=directory`)).body.items[0];
    const page = await tabs.open(`/group?auth_uuid=${id}`);
    await page.getByRole('button', { name: 'Add groups of the directory' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'Engineers' }).waitFor();
    await dialog.getByRole('searchbox').fill('anal');
    await dialog.getByRole('checkbox', { name: 'Engineers' }).waitFor({ state: 'detached' });
    await dialog.getByRole('checkbox', { name: 'Analysts' }).check();
    await expectGood(page, 'access-import-groups');
    await dialog.getByRole('button', { name: 'Add 1 group' }).click();
    await page.getByText('1 group is added').waitFor();
    await page.getByRole('link', { name: 'Analysts' }).waitFor();
    expect((await admin(`GET ${domainsPath}/${id}/groups`)).body.items).toMatchObject([
      { name: 'Analysts', external_id: expect.stringContaining('cn=Analysts') },
    ]);
  });

  it('have a form that is good to look at in both languages, in every width', async () => {
    for (const [locale, scheme, width] of looks) {
      const page = await tabs.open('/authenticator/new', {
        locale,
        colorScheme: scheme,
        viewport: { width, height: 900 },
      });
      await page.getByRole('radio', { name: /^Active Directory/ }).check();
      await page.getByRole('heading', { name: /^(?:Test|Проверка)$/ }).waitFor();
      await expectGood(page, `access-domain-form-${locale}`);
      await goTo(page, '/authenticator');
      await page.getByRole('link', { name: 'Directory' }).click();
      await page.getByRole('heading', { name: /^(?:Test|Проверка)$/ }).waitFor();
      await expectGood(page, `access-domain-${locale}`);
    }
  });
});
