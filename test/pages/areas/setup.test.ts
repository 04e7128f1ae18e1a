import { afterEach, expect, it, vi } from 'vitest';
import { expectGood, type Tab } from '../../e2e/support/browser.ts';
import { type Authority, type CertificateKind, sendingAuthority } from '../../simulator/authority.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { base, dispatcherState, pool, unique } from '../../support/factories.ts';
import { readFirst } from '../../support/fleet/first-reads.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { looks } from '../../support/pages/looks.ts';
import { requireService } from '../../support/services.ts';

type Page = Tab['page'];
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000 });

requireService('chromium', hasChromium)('the setup of a site', () => {
  const tabs = useConsoleTabs(async ({ world: { admin, site, farm } }) => {
    // A fresh installation has no site.
    await admin(`DELETE ${base}/farms/${farm.id}`);
    await admin(`DELETE ${base}/sites/${site.id}`);
  });
  const simulators: Simulator[] = [];
  afterEach(async () => {
    await Promise.all(simulators.splice(0).map((simulator) => simulator.close()));
  });
  const start = async (
    name: string,
    certificate: CertificateKind = 'self_signed',
    authority?: Authority,
  ): Promise<Simulator> => {
    const { world, origin } = tabs.stand;
    const simulator = await startSimulator({
      state: dispatcherState(world, { pools: [pool('Office'), pool('Lab')] }),
      ...{ name, certificate, issuer: origin, ...(authority && { authority }) },
      jwks: async () => world.portal.deps.signingKeys.jwks,
    });
    simulators.push(simulator);
    return simulator;
  };
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 2 }).waitFor();
  /** Presses Enter once the step that is shown has the focus. */
  async function enter(page: Page): Promise<void> {
    await page.locator('form :focus').waitFor();
    await page.keyboard.press('Enter');
  }
  /** Of the page itself, not of the navigation. */
  const ownLink = (page: Page) => page.getByRole('link', { name: 'Set up a site' }).nth(1);
  const counted = async (): Promise<number[]> =>
    Promise.all(
      ['sites', 'farms', 'dispatchers'].map(async (what) => {
        const { body } = await tabs.stand.world.admin(`GET ${base}/${what}?count=exact&limit=1`);
        return body.total;
      }),
    );
  /** Goes to the step with the certificate. */
  async function lookAt(page: Page, site: string, url: string): Promise<void> {
    await heading(page, 'Name the site');
    await page.getByLabel('Name of the site').fill(site);
    await enter(page);
    await heading(page, 'Where is the node?');
    await page.getByLabel('Address of the node').fill(url);
    await button(page, 'Look at the node').click();
    await heading(page, 'Certificate of the node');
  }
  async function trust(page: Page): Promise<void> {
    await page.getByLabel('The fingerprint at the node is the same').check();
    await button(page, 'Trust the certificate').click();
    await page.getByText('The certificate is trusted by your choice').waitFor();
  }

  it('leads from an empty installation to a site that answers with its data', async () => {
    const page = await tabs.open('/');
    await page.getByText('Set up your first site').waitFor();
    await expectGood(page, 'setup-empty-overview');
    await ownLink(page).click();
    await heading(page, 'What does the site run?');
    await expectGood(page, 'setup-kind');
    await enter(page);
    const simulator = await start('north-pole-1');
    await lookAt(page, 'North Pole', simulator.url);
    await page.getByText('The node has issued its certificate itself').waitFor();
    await page.getByText('SHA-256 fingerprint').first().waitFor();
    await expectGood(page, 'setup-certificate');
    expect(await button(page, 'Next').isDisabled()).toBe(true);
    expect(simulator.calls).toEqual([]);
    await trust(page);
    await enter(page);
    await heading(page, 'How the node accepts the portal');
    await page.getByText(`${tabs.stand.origin}/api/auth/v7.0/jwks`).waitFor();
    await expectGood(page, 'setup-key');
    await page.getByLabel('Key of the health check').fill(simulator.healthKey);
    await enter(page);
    await page.getByText('The portal can use the node').waitFor();
    await page.getByText('2 pools were found.').waitFor();
    await expectGood(page, 'setup-test');
    await enter(page);
    await heading(page, 'Create the site');
    await button(page, 'Try first').click();
    await page.getByRole('dialog').getByText('Nothing is changed yet.').waitFor();
    await expectGood(page, 'setup-trial');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    expect(await counted()).toEqual([0, 0, 0]);
    await expectGood(page, 'setup-save');
    await button(page, 'Create the site').click();
    await heading(page, 'The portal reads the site');
    await readFirst(tabs.stand.world.portal, 'north-pole-1');
    await heading(page, 'The site is ready');
    await page.getByText('6 workplaces, 0 sessions').waitFor();
    await expectGood(page, 'setup-done');
    expect(await counted()).toEqual([1, 1, 1]);
    const { body } = await tabs.stand.world.admin(`GET ${base}/dispatchers?search=north-pole-1`);
    expect(body.items[0]).toMatchObject({
      ...{ state: 'pass', name: 'north-pole-1', farm_name: 'North Pole farm', health_key_set: true },
    });
    await page.getByRole('link', { name: 'Create a rule' }).click();
    await page.getByText('North Pole', { exact: true }).waitFor();
  });

  it('keeps what is typed over a reload, leads back, and leaves nothing when it is left', async () => {
    const before = await counted();
    const simulator = await start('kept-1');
    const page = await tabs.open('/setup/site');
    await lookAt(page, 'Kept', simulator.url);
    await page.reload();
    await page.getByText('The node has issued its certificate itself').waitFor();
    await page.goBack();
    await heading(page, 'Where is the node?');
    expect(await page.getByLabel('Address of the node').inputValue()).toBe(simulator.url);
    await page.getByRole('link', { name: 'Back' }).click();
    await heading(page, 'Name the site');
    expect(await page.getByLabel('Name in addresses').inputValue()).toBe('kept');
    expect(await page.getByLabel('Name of the farm').inputValue()).toBe('Kept farm');
    await page.getByRole('link', { name: 'Sites' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
    expect(await counted()).toEqual(before);
    await ownLink(page).click();
    await heading(page, 'What does the site run?');
  });

  it('leads to the first step that is not complete', async () => {
    const page = await tabs.open('/setup/save');
    await heading(page, 'Name the site');
    await expect.poll(() => page.url()).toContain('#/setup/site');
  });

  it('shows faults at their fields', async () => {
    const { admin } = tabs.stand.world;
    await admin(`POST ${base}/sites`, { name: 'Taken', uri: 'taken' });
    const page = await tabs.open('/setup/site');
    await button(page, 'Next').click();
    await expect.poll(() => page.getByLabel('Name of the site').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Name of the site').fill('Taken');
    await enter(page);
    await page.getByText('The value is already in use').first().waitFor();
    await expectGood(page, 'setup-faults');
    await page.getByLabel('Name of the site').fill('Free');
    await enter(page);
    await heading(page, 'Where is the node?');
    await page.getByLabel('Address of the node').fill('10.0.0.1');
    await enter(page);
    await page.getByText('Private addresses must be in the networks').waitFor();
    expect(await page.getByLabel('Address of the node').inputValue()).toBe('https://10.0.0.1');
  });

  it.each([
    ['a name that does not resolve', () => 'no-such-node.invalid', 'Check the spelling'],
    ['a closed port', () => '127.0.0.1:9', 'Check the port'],
  ])('explains %s', async (_, address, hint) => {
    const page = await tabs.open('/setup/site');
    await lookAt(page, unique('site'), address());
    await page.getByText(hint).waitFor();
    expect(await button(page, 'Next').isDisabled()).toBe(true);
    await expectGood(page, `setup-unreached-${hint.split(' ').at(-1)}`);
  });

  it('explains a certificate for another name, and offers that name', async () => {
    const { url } = await start(unique('node'), 'wrong_name');
    const page = await tabs.open('/setup/site');
    await lookAt(page, unique('site'), url);
    await page.getByText('The certificate is for another name').waitFor();
    expect(await page.getByText('Which certificate does the portal trust?').count()).toBe(0);
    await expectGood(page, 'setup-wrong-name');
    await button(page, 'Use elsewhere.example as the address').click();
    await heading(page, 'Where is the node?');
    expect(await page.getByLabel('Address of the node').inputValue()).toContain('https://elsewhere.example:');
  });

  it('offers to trust the authority that the node sends, or one that is entered', async () => {
    const name = unique('site');
    const authority = await sendingAuthority();
    const { url } = await start(`${name}-1`, 'good', authority);
    const page = await tabs.open('/setup/site');
    await lookAt(page, name, url);
    expect(await page.getByRole('radio', { name: 'The authority that the node sends' }).isChecked()).toBe(
      true,
    );
    await trust(page);
    await page.getByText('1 certificate of an issuer').waitFor();
    await button(page, 'Withdraw the trust').click();
    await page.getByRole('radio', { name: 'An authority that I enter' }).check();
    await page.getByLabel('Certificates in PEM').fill('no certificate');
    await button(page, 'Trust the certificate').click();
    await page.getByText('Must be PEM certificates').waitFor();
    await page.getByLabel('Certificates in PEM').fill((await sendingAuthority('Another')).caPem);
    await button(page, 'Trust the certificate').click();
    await page.getByText('The certificate that you chose did not issue the one of the node').waitFor();
    await page.getByLabel('Certificates in PEM').fill(authority.caPem);
    await expectGood(page, 'setup-own-authority');
    await button(page, 'Trust the certificate').click();
    await page.getByText('The certificate is trusted by your choice').waitFor();
    expect(await button(page, 'Next').isEnabled()).toBe(true);
  });

  it('explains an expired certificate', async () => {
    const { url } = await start(unique('node'), 'expired');
    const page = await tabs.open('/setup/site');
    await lookAt(page, unique('site'), url);
    await page.getByText('Renew the certificate at the node').waitFor();
  });

  it('explains a hanging node and one that rejects the portal; it can be saved all the same', async () => {
    const name = unique('site');
    const simulator = await start(`${name}-1`);
    Object.assign(simulator.knobs, { failing: 401 });
    const page = await tabs.open('/setup/site');
    await lookAt(page, name, simulator.url);
    await trust(page);
    await enter(page);
    await button(page, 'Test the connection').click();
    await page.getByText('Check issuer, audience').waitFor();
    await expectGood(page, 'setup-rejected');
    Object.assign(simulator.knobs, { failing: null, hang: 'headers' });
    await button(page, 'Test again').click();
    await page.getByText('The node does not respond in time').waitFor();
    await button(page, 'Go on without a passed test').click();
    await page.getByText('The connection has not passed its test').waitFor();
  });

  it('creates nothing if saving fails, and shows the fault at its field', async () => {
    const name = unique('site');
    const simulator = await start(`${name}-1`);
    const page = await tabs.open('/setup/site');
    await lookAt(page, name, simulator.url);
    await trust(page);
    await enter(page);
    await button(page, 'Test the connection').click();
    await page.getByText('The portal can use the node').waitFor();
    await enter(page);
    await heading(page, 'Create the site');
    const { admin } = tabs.stand.world;
    const other = await admin(`POST ${base}/sites`, { name: unique('other'), uri: unique('other') });
    await admin(`POST ${base}/farms`, { name: `${name} farm`, site_id: other.body.id });
    const before = await counted();
    await button(page, 'Create the site').click();
    await heading(page, 'Name the site');
    await expect.poll(() => page.getByLabel('Name of the farm').getAttribute('aria-invalid')).toBe('true');
    expect(await counted()).toEqual(before);
  });

  it('is good to look at, in both languages and schemes, in every width', async () => {
    for (const [locale, colorScheme, width] of looks) {
      const look = `${locale}-${colorScheme}`;
      const name = unique('site');
      const simulator = await start(`${name}-1`);
      const page = await tabs.open('/setup', { locale, colorScheme, viewport: { width, height: 800 } });
      const next = page.locator('form [type=submit]');
      await page.locator('input[name=kind]').first().waitFor();
      await expectGood(page, `setup-1-${look}`);
      await next.click();
      await page.locator('form input').first().fill(name);
      await expectGood(page, `setup-2-${look}`);
      await next.click();
      await page.getByPlaceholder('https://node.example.com').fill(simulator.url);
      await expectGood(page, `setup-3-${look}`);
      await next.click();
      await page.locator('input[name=trust]').first().waitFor();
      await expectGood(page, `setup-4-${look}`);
      await page.locator('fieldset [type=checkbox]').check();
      await page.locator('fieldset').getByRole('button').last().click();
      await page.locator('form [type=submit]:enabled').click();
      await page.locator('form [type=password]').waitFor();
      await expectGood(page, `setup-5-${look}`);
      await next.click();
      await page.locator('[data-step=lists][data-status=pass]').waitFor();
      await expectGood(page, `setup-6-${look}`);
      await next.click();
      await page.locator('form dl').waitFor();
      await expectGood(page, `setup-7-${look}`);
      await next.click();
      await page.locator('[data-step=node]').waitFor();
      await readFirst(tabs.stand.world.portal, `${name}-1`);
      await page.locator('[data-step=counted] [data-tone=good]').waitFor();
      await expectGood(page, `setup-8-${look}`);
    }
  });
});
