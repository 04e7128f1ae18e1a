import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { portalAccount, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import { base, unique } from '../../support/factories.ts';
import { readFirst } from '../../support/fleet/first-reads.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasChromium)('the setup of a site with an OpenUDS broker', () => {
  const tabs = useConsoleTabs();
  let broker: Broker;
  beforeAll(async () => {
    const users = [
      { name: 'helper', isStaff: true },
      { name: 'alice', groups: ['staff'] },
    ];
    const pools = [{ name: 'Office', groups: ['staff'], desktops: 2 }];
    const state = seededBroker({ users, pools });
    broker = await startOpenUds({ state, certificate: 'self_signed', wrongPasswordMs: 0 });
  });
  beforeEach(() => {
    broker.state.trustedAdmins = '*';
  });
  afterAll(() => broker.close());

  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 2 }).waitFor();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** Goes to the step of the account. */
  async function toAccount(page: Page, site: string): Promise<void> {
    await page.getByText('OpenUDS broker').click();
    await button(page, 'Next').click();
    await page.getByLabel('Name of the site').fill(site);
    await button(page, 'Next').click();
    await page.getByLabel('Address of the node').fill(broker.url);
    await button(page, 'Look at the node').click();
    await page.getByLabel('The fingerprint at the node is the same').check();
    await button(page, 'Trust the certificate').click();
    await page.getByText('The certificate is trusted by your choice').waitFor();
    await button(page, 'Next').click();
    await heading(page, 'The account of the portal');
  }
  async function enter(page: Page, name: string, password: string): Promise<void> {
    await page.getByLabel('Label of the authenticator').fill('corp');
    await page.getByLabel('Login name').fill(name);
    await page.getByLabel('Password of the account').fill(password);
    await button(page, 'Test the connection').click();
    await heading(page, 'Connection test');
  }
  const failedStep = (page: Page) => page.locator('[data-status="fail"]');

  it('leads from the kind to a site that has the data of the broker', async () => {
    const page = await tabs.open('/setup');
    await heading(page, 'What does the site run?');
    await expectGood(page, 'setup-account-kind');
    const name = unique('Broker site');
    await toAccount(page, name);
    await expectGood(page, 'setup-account-account');
    expect(broker.calls.some(({ path }) => path.endsWith('auth/login'))).toBe(false);
    await enter(page, portalAccount.name, portalAccount.password);
    await page.getByText('The portal can use the node').waitFor();
    await expectGood(page, 'setup-account-test');
    await button(page, 'Next').click();
    await heading(page, 'Create the site');
    const { small_name } = tabs.stand.world.domain;
    await page.getByLabel(`Domain ${small_name}`).selectOption('corp');
    await page.getByLabel(`Login names of ${small_name}`).selectOption('lower_case');
    await page.getByLabel('Create missing users at the broker').check();
    await expectGood(page, 'setup-account-save');
    await button(page, 'Create the site').click();
    await heading(page, 'The portal reads the site');
    const { body } = await tabs.stand.world.admin(`GET ${base}/farms?search=${encodeURIComponent(name)}`);
    expect(body.items[0]).toMatchObject({
      ...{ kind: 'openuds', creates_users: true },
      identity_domains: [{ label: small_name, node_label: 'corp', user_names: 'lower_case' }],
    });
    const { body: nodes } = await tabs.stand.world.admin(
      `GET ${base}/dispatchers?farm_id=${body.items[0].id}`,
    );
    await readFirst(tabs.stand.world.portal, nodes.items[0].name);
    await heading(page, 'The site is ready');
    await page.getByText('2 workplaces, 0 sessions').waitFor();
  });

  it('keeps no password, and asks for what is missing', async () => {
    const page = await tabs.open('/setup');
    await toAccount(page, unique('Kept'));
    await button(page, 'Test the connection').click();
    await page.getByText('Enter a value').first().waitFor();
    await page.getByLabel('Label of the authenticator').fill('corp');
    await page.getByLabel('Password of the account').fill('a secret');
    await page.reload();
    await heading(page, 'The account of the portal');
    expect(await page.getByLabel('Label of the authenticator').inputValue()).toBe('corp');
    expect(await page.getByLabel('Password of the account').inputValue()).toBe('');
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('a secret');
  });

  it.each([
    ['a wrong password', portalAccount.name, 'wrong', '*', 'Check the label of the authenticator'],
    ['staff', 'helper', 'secret-1', '*', 'Give the account the role of an administrator'],
    ['an address', portalAccount.name, portalAccount.password, '192.0.2.1', 'to the trusted hosts'],
  ])('explains what the broker refuses: %s', async (_title, name, password, trusted, hint) => {
    broker.state.trustedAdmins = trusted;
    const page = await tabs.open('/setup');
    await toAccount(page, unique('Refused'));
    await enter(page, name, password);
    await failedStep(page).getByText(hint).waitFor();
    expect(await failedStep(page).count()).toBe(1);
  });
});
