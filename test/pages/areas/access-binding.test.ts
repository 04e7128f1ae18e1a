import { expect, it, vi } from 'vitest';
import { expectGood } from '../../e2e/support/browser.ts';
import { addScimUser, type ScimClient, startScim } from '../../support/identity/scim.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { requireService } from '../../support/services.ts';

// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasChromium)('users of an identity provider in the console', () => {
  let scim: ScimClient;
  const tabs = useConsoleTabs(async ({ world }) => {
    scim = await startScim(world);
  });
  const identifierOf = async (id: string) => (await scim.ask(`GET /Users/${id}`)).body.externalId;

  it('are bound to persons, one on its page and several in the list with a trial before', async () => {
    const [ada, ben, cleo] = [
      await addScimUser(scim, { userName: 'ada' }),
      await addScimUser(scim, { userName: 'ben' }),
      await addScimUser(scim, { userName: 'cleo' }),
    ];
    const page = await tabs.open(`/user/${ada.id}?auth_uuid=${scim.domain.id}`);
    await page.getByText('Not bound yet').waitFor();
    await page.getByRole('button', { name: 'Bind' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Identifier of ada at the provider').fill('subject-ada');
    await expectGood(page, 'access-bind');
    await dialog.getByRole('button', { name: 'Bind' }).click();
    await page.getByText('Bound', { exact: true }).waitFor();
    expect(await identifierOf(ada.id)).toBe('subject-ada');

    const list = await tabs.open(`/user?auth_uuid=${scim.domain.id}`);
    for (const name of ['ben', 'cleo']) await list.getByRole('checkbox', { name: `Select ${name}` }).check();
    await list.getByRole('button', { name: 'Bind' }).click();
    const many = list.getByRole('dialog');
    await many.getByLabel('Identifier of ben at the provider').fill('subject-ben');
    await many.getByLabel('Identifier of cleo at the provider').fill('subject-ada');
    await many.getByRole('button', { name: 'Try first' }).click();
    await many.getByText('1 of 2. 1 was refused').waitFor();
    expect(await identifierOf(ben.id)).toBeUndefined();
    await many.getByLabel('Identifier of cleo at the provider').fill('subject-cleo');
    await many.getByRole('button', { name: 'Bind' }).click();
    await list.getByText('2 done').waitFor();
    expect([await identifierOf(ben.id), await identifierOf(cleo.id)]).toEqual([
      'subject-ben',
      'subject-cleo',
    ]);
  });
});
