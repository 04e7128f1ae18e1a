import { expect, it, vi } from 'vitest';
import { expectGood, hasPrograms } from '../../e2e/support/browser.ts';
import { addDomain, addMember, goodPassword } from '../../support/factories.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasPrograms)('the registration at a provider in the console', () => {
  let domain: Json;
  const tabs = useConsoleTabs(async ({ world }) => {
    const params = {
      ...{
        issuer: 'https://login.example.com/staff',
        client_id: 'portal',
        client_authentication: 'private_key',
      },
    };
    domain = await addDomain(world.admin, { name: 'Company account', type: 'oidc', params });
  });
  const publishedKeys = async (url: string): Promise<string[]> => {
    const { send } = tabs.stand.world.portal;
    const { body } = await send(`GET ${new URL(url).pathname}`);
    return body.keys.map(({ kid }: Json) => kid);
  };

  it.each([
    'en-GB',
    'ru-RU',
  ])('shows the addresses to copy on a wide and a narrow window, %s', async (locale) => {
    for (const width of [1_280, 360]) {
      const page = await tabs.open(`/authenticator/${domain.id}`, {
        ...{ locale, viewport: { width, height: 900 } },
      });
      await page.getByText(`/scim/v2/${domain.id}`).waitFor();
      await expectGood(page, `access-registration-${locale}`);
    }
  });

  it('copies an address, and makes a new key that the address then has', async () => {
    const page = await tabs.open(`/authenticator/${domain.id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy: Public keys of the portal (JWKS)' }).click();
    await page.getByText('Copied').first().waitFor();
    const url = await page.evaluate(() => navigator.clipboard.readText());
    const [first] = await publishedKeys(url);
    await page.getByText(String(first)).waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'New key' }).click();
    await page.getByText('The new key signs now.').waitFor();
    const [second, former] = await publishedKeys(url);
    expect(former).toBe(first);
    const entries = page.getByRole('listitem').filter({ hasText: 'Created on' });
    await entries
      .filter({ hasText: String(second) })
      .getByText('signs')
      .waitFor();
    await entries
      .filter({ hasText: String(first) })
      .getByText('former')
      .waitFor();
    await expectGood(page, 'access-registration-keys');
  });

  it('has no new keys for those who only read domains, and is not shown for other domains', async () => {
    const { world } = tabs.stand;
    const { user } = await addMember(world, ['authenticators.read']);
    const page = await tabs.open(`/authenticator/${domain.id}`, undefined, {
      ...{ domain: world.domain.name, name: user.name, password: goodPassword },
    });
    await page.getByText(`/scim/v2/${domain.id}`).waitFor();
    expect(await page.getByRole('button', { name: 'New key' }).count()).toBe(0);
    const other = await tabs.open(`/authenticator/${world.domain.id}`);
    await other.getByRole('heading', { name: world.domain.name, level: 1 }).waitFor();
    expect(await other.getByText('Registration at the provider').count()).toBe(0);
  });
});
