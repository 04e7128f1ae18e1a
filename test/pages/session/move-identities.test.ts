import { afterAll, expect, it, vi } from 'vitest';
import { expectGood, hasPrograms } from '../../e2e/support/browser.ts';
import { addRole, usersPath } from '../../support/factories.ts';
import { Browser } from '../../support/federation/browser.ts';
import { clientSecret } from '../../support/federation/openid-provider.ts';
import { type Federation, federate, staff } from '../../support/federation/stand.ts';
import { type BrowserStand, startBrowserStand } from '../../support/pages/browser-stand.ts';
import { administrator } from '../../support/pages/sessions.ts';
import { requireService } from '../../support/services.ts';

// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

requireService('chromium', hasPrograms)('the people of a former issuer in the console', () => {
  let stand: BrowserStand;
  let former: Federation;
  let next: Federation;
  afterAll(async () => {
    await former?.provider.close();
    await next?.provider.close();
    await stand?.close();
  });

  it('are counted before the issuer changes, and moved after a test sign-in of one of them', async () => {
    stand = await startBrowserStand();
    const { world } = stand;
    former = await federate(world);
    next = await federate(world);
    for (const { provider } of [former, next])
      provider.people.set('anna', { preferred_username: 'anna', groups: [staff] });
    former.provider.atKeyboard = 'anna';
    const { deps, send } = world.portal;
    await new Browser({ baseUrl: deps.baseUrl, send }, () => former.provider.caPem).follow(former.startOf());
    const people = usersPath(former.domain);
    const [anna] = (await world.admin(`GET ${people}`)).body.items;
    const role = await addRole(world.admin, ['sites.read']);
    await world.admin(`PATCH ${people}/${anna.id}`, { roles: [role.id] });

    const place = `/console/#/authenticator/${former.domain.id}`;
    const { page } = await stand.open(`${place}/edit`, undefined, administrator);
    await page.getByLabel('Issuer', { exact: true }).fill(next.provider.issuer);
    await page.getByText('Saving ends 1 session').waitFor();
    await page.getByText('1 person does not match any more and cannot sign in. With roles: 1.').waitFor();
    await expectGood(page, 'access-issuer-change');

    const { issuer, caPem } = next.provider;
    await former.set({ issuer, ca_certificate: caPem, client_secret: clientSecret });
    const tab = await stand.open(place, undefined, administrator);
    await tab.page.getByText('1 person, 1 with roles').waitFor();
    await expectGood(tab.page, 'access-former-people');
    await tab.page.getByRole('button', { name: 'Sign in as one of them' }).click();
    await tab.page.waitForURL((url) => url.href.startsWith(issuer));
    await tab.page.locator('[name=login]').fill('anna');
    await tab.page.locator('[name=password]').fill('any password');
    await tab.page.getByRole('button', { name: 'Sign-in' }).click();
    await tab.page.getByRole('button', { name: 'Move 1 person' }).click();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Move 1 person' }).click();
    await tab.page.getByText('1 person was moved.').waitFor();
    await tab.page
      .getByRole('region', { name: 'People of the former issuer' })
      .waitFor({ state: 'detached' });
    const items = (await world.admin(`GET ${people}`)).body.items;
    expect(items).toMatchObject([{ id: anna.id, roles: [role.id] }]);
  });
});
