import { expect, it, vi } from 'vitest';
import { serviceTokens } from '../../db/schema/identity/service-tokens.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { expectGood, type Tab } from '../e2e/support/browser.ts';
import { addMember, base, goodPassword, type Member } from '../support/factories.ts';
import { hasChromium } from '../support/pages/browser-stand.ts';
import { looks } from '../support/pages/looks.ts';
import { type Account, administrator } from '../support/pages/sessions.ts';
import { type Tabs, useTabs } from '../support/pages/tabs.ts';
import { adminPassword } from '../support/portal.ts';
import { requireService } from '../support/services.ts';

type Page = Tab['page'];

/** Confirms the new token with the password, and creates it. */
async function createToken(page: Page, password = goodPassword): Promise<void> {
  const create = page.getByRole('button', { name: 'Create token' });
  await page.locator('form').filter({ has: create }).getByLabel('Current password').fill(password);
  await create.click();
}

// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

requireService('chromium', hasChromium)('service tokens in the account', () => {
  let member: Member;
  const tabs = useTabs(async ({ world }) => {
    member = await addMember(world, [], '*', { real_name: 'Alice Liddell' });
  });

  const allow = (value: boolean) =>
    tabs.stand.world.admin(`PUT ${base}/tconfig`, { service_tokens: { own: { value } } });

  const alice = (): Account => ({
    ...{ domain: tabs.stand.world.domain.name, name: member.user.name, password: goodPassword },
  });

  /** Opens the account of a person. */
  async function account(person: Account, options?: Parameters<Tabs['open']>[1]): Promise<Page> {
    const page = await tabs.open('/home/#account', options, person);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }
  const statusWith = async (token: string) =>
    (await tabs.stand.world.portal.send('GET /api/userinfo', { token })).status;

  it('are shown in pages if there are many', async () => {
    await allow(true);
    const person = await addMember(tabs.stand.world, []);
    const rows = Array.from({ length: 130 }, (_, n) => {
      const name = `token ${n + 1}`;
      const created_at = new Date(Date.now() - n * 1_000);
      const expires_at = new Date(Date.now() + 86_400_000);
      return {
        id: newId(),
        user_id: person.user.id,
        name,
        name_key: name,
        token_hash: name,
        created_at,
        expires_at,
      };
    });
    await tabs.stand.world.portal.db.insert(serviceTokens).values(rows);
    const page = await account({ ...alice(), name: person.user.name });
    const shown = page.getByRole('button', { name: /^Revoke/ });
    await expect.poll(() => shown.count(), { timeout: 30_000 }).toBe(100);
    await page.getByRole('button', { name: 'Show more tokens' }).click();
    await expect.poll(() => shown.count(), { timeout: 30_000 }).toBe(130);
    expect(await page.getByRole('button', { name: 'Show more tokens' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke token 130' }).waitFor();
  });

  it('are absent if the installation does not allow them', async () => {
    await allow(false);
    const page = await account(alice());
    await page.getByText('All your other sessions end.', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'Service tokens' }).count()).toBe(0);
  });

  it('are created, shown once and revoked after a question', async () => {
    await allow(true);
    const page = await account(alice());
    await page.getByText('All your other sessions and your service tokens end.').waitFor();
    expect(await page.getByLabel('Keep my service tokens: I know where they are used').isChecked()).toBe(
      false,
    );
    await page.getByRole('button', { name: 'New token' }).click();
    expect(await page.getByText('administrative rights').count()).toBe(0);
    await page.getByLabel('Name of the token').fill('Nightly report');
    await page.getByLabel('Valid for').selectOption('30');
    await expectGood(page, 'account-token-form');
    await createToken(page);
    const token = await page.getByLabel('Token', { exact: true }).inputValue();
    expect(token).toMatch(/^agst_/);
    await expectGood(page, 'account-token-new');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token);
    expect(await statusWith(token)).toBe(200);

    await page.getByRole('button', { name: 'I have saved the token' }).click();
    await page.getByText(/^Not used yet · valid until /).waitFor();
    await page.reload();
    await page.getByText(/^Used .+ · valid until /).waitFor();
    expect(await page.content()).not.toContain(token);
    await page.getByRole('button', { name: 'Revoke Nightly report' }).click();
    await page.getByText('Programs that use this token stop working at once.').waitFor();
    await expectGood(page, 'account-token-revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('Nightly report is revoked').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Revoke Nightly report' }).count()).toBe(0);
    expect(await statusWith(token)).toBe(401);
  });

  it('have unique names: the refusal is shown at the field', async () => {
    await allow(true);
    const page = await account(alice());
    for (const attempt of [1, 2]) {
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByLabel('Name of the token').fill('Twice');
      await createToken(page);
      if (attempt === 1) await page.getByRole('button', { name: 'I have saved the token' }).click();
    }
    await page.getByText('The user already has a token with this name').waitFor();
    expect(await page.getByLabel('Name of the token').getAttribute('aria-invalid')).toBe('true');
  });

  it('are refused with a sentence if they are no longer allowed', async () => {
    await allow(true);
    const page = await account(alice());
    await page.getByRole('button', { name: 'New token' }).click();
    await allow(false);
    await page.getByLabel('Name of the token').fill('Late');
    await createToken(page);
    await page.getByText('This token cannot be created').waitFor();
    await page.getByText('This installation does not allow own service tokens').waitFor();
    await page.getByText(/Request for the administrator: \S+/).waitFor();
    await expectGood(page, 'account-token-refused');
  });

  it('of an administrator have the rights that are chosen', async () => {
    await allow(true);
    const page = await account(administrator);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name of the token').fill('Inventory');
    await page.getByText('Choose administrative rights').click();
    await page.getByLabel('sites.read').check();
    await page.getByLabel('farms.read').check();
    await expectGood(page, 'account-token-rights');
    await createToken(page, adminPassword);
    const token = await page.getByLabel('Token', { exact: true }).inputValue();
    const { body } = await tabs.stand.world.portal.send('GET /api/userinfo', { token });
    expect(body.permissions).toEqual(['farms.read', 'sites.read']);
    await page.getByText(/2 administrative rights/).waitFor();
  });

  it.each(looks)('are good to look at: %s, %s, %i px', async (locale, colorScheme, width) => {
    await allow(true);
    const viewport = { width, height: 900 };
    const page = await account(alice(), { colorScheme, viewport, locale });
    await page.getByRole('button', { name: /New token|Новый токен/ }).click();
    await page.locator('form').last().locator('input').first().fill('Nightly');
    await expectGood(page, `account-tokens-${colorScheme}`);
  });
});
