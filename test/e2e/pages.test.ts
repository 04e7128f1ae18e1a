import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { requireService } from '../support/services.ts';
import { type Api, accepted, createApi, type Json } from './support/api.ts';
import { codeOf, expectGood, hasPrograms, openTab, startBrowser, type Tab } from './support/browser.ts';
import { bareVariables, freePorts, type PortalProcess, startPortal } from './support/portal-process.ts';

type Page = Tab['page'];
type BrowserContextOptions = NonNullable<Parameters<typeof openTab>[2]>;

const webui = '/api/webui/aggregator';
const password = 'seven purple lanterns drift';

let folder: string;
let portal: PortalProcess;
let baseUrl: string;
let api: Api;
let admin: string;
let plain: Json;
let guarded: Json;
let browser: Awaited<ReturnType<typeof startBrowser>>;
const tabs: Tab[] = [];
/** Sites that neither pass nor fail. */
const otherSites = { Kept: { maintenance: true }, Off: { enabled: false }, Empty: {} };

const create = (path: string, body: object): Promise<Json> =>
  accepted(api, `POST ${webui}/${path}`, { token: admin, body });
const addUser = (domain: Json, given: object = {}): Promise<Json> =>
  create(`authenticators/${domain.id}/users`, { name: `user-${randomUUID()}`, password, ...given });

async function prepare(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-pages-'));
  portal = await startPortal({ env: bareVariables(folder, await freePorts(2)) });
  baseUrl = portal.announcement.base_url;
  api = createApi(baseUrl, readFileSync(portal.announcement.ca_file, 'utf8'));
  admin = await api.login('admin', portal.announcement.admin_password ?? '');
  plain = await create('authenticators', { name: 'People', small_name: 'people', type: 'internal' });
  const body = { name: 'Two factors', small_name: 'two', type: 'internal', two_factor: true };
  guarded = await create('authenticators', body);
  const site = await create('sites', { name: 'North', uri: 'north', authenticators: [plain.id] });
  const farm = await create('farms', { name: 'North farm', site_id: site.id });
  await create('dispatchers', { name: 'north-1', farm_id: farm.id, url: 'https://127.0.0.1:9' });
  for (const [name, given] of Object.entries(otherSites)) {
    const { id } = await create('sites', { name, uri: name.toLowerCase(), ...given });
    const { id: farm_id } = await create('farms', { name: `${name} farm`, site_id: id });
    if (name !== 'Empty')
      await create('dispatchers', { name: `${name}-1`, farm_id, url: 'https://127.0.0.1:9' });
  }
  browser = await startBrowser();
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const tab = await openTab(browser, baseUrl, options);
  tabs.push(tab);
  await tab.page.goto(path);
  return tab;
}

/** Fills the form by its labels. */
async function signIn(page: Page, domain: string, username: string, word = password): Promise<void> {
  await page.getByLabel('Domain').selectOption({ label: domain });
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(word);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const asAdmin = (page: Page) => signIn(page, 'Built-in', 'admin', portal.announcement.admin_password ?? '');
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const small = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
/** Message of the browser itself about a refused request. */
const refused = /^Failed to load resource: the server responded with a status of (401|429|503)/;

requireService('chromium or oathtool', hasPrograms)('the pages in Chromium', () => {
  beforeAll(prepare, 120_000);
  afterAll(async () => {
    await browser?.close();
    await api?.close();
    await portal?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    const seen = tabs.splice(0);
    await Promise.all(seen.map((tab) => tab.close()));
    expect(seen.flatMap(({ foreign }) => foreign)).toEqual([]);
    expect(seen.flatMap(({ errors }) => errors).filter((error) => !refused.test(error))).toEqual([]);
  });

  describe('the sign-in page', () => {
    it('redirects an administrator to the requested page, without console messages', async () => {
      const { page, errors } = await open('/status');
      expect(new URL(page.url()).pathname).toBe('/signin');
      await page.getByLabel('Domain').waitFor();
      await expectGood(page, 'sign-in');
      await asAdmin(page);
      await page.waitForURL('**/status');
      await heading(page, 'Overview');
      expect(errors).toEqual([]);
    });

    it('works by keyboard alone', async () => {
      const { page } = await open('/signin');
      await page.getByLabel('Domain').selectOption({ label: 'Built-in' });
      await page.getByLabel('User name').focus();
      await page.keyboard.type('admin');
      await page.keyboard.press('Tab');
      await page.keyboard.type(portal.announcement.admin_password ?? '');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/console/');
    });

    it('leads users to their workplaces, where they can sign out', async () => {
      const user = await addUser(plain, { real_name: 'Ada Lovelace' });
      const { page } = await open('/signin');
      await signIn(page, 'People', user.name);
      await heading(page, 'Workplaces');
      await page.getByText('North does not answer').waitFor();
      await expectGood(page, 'workplaces');
      await page.goto('/signin');
      await page.getByText('Signed in as Ada Lovelace.').waitFor();
      await page.getByRole('link', { name: 'Workplaces' }).click();
      await page.getByRole('button', { name: 'Ada Lovelace' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await heading(page, 'Sign in');
    });

    it('explains to a user that a page of administrators is not available to them', async () => {
      const user = await addUser(plain, { real_name: 'Ada Lovelace' });
      const { page, errors } = await open('/status');
      await signIn(page, 'People', user.name);
      await heading(page, 'You are signed in');
      const notice = page.getByText('The page that you requested is for administrators only.');
      expect(await notice.isVisible()).toBe(true);
      await page.goto('/api/docs/');
      await heading(page, 'Access denied');
      await page.getByText('A session on the administrator portal is required').waitFor();
      expect(new Set(errors.splice(0))).toEqual(new Set([expect.stringContaining('403')]));
    });

    it('shows that the password is wrong, and how long a lock lasts', async () => {
      const user = await addUser(plain);
      const { page } = await open('/signin', small);
      const problem = page.getByRole('alert');
      for (let n = 1; n <= 5; n++) {
        const answered = page.waitForResponse('**/signin');
        await signIn(page, 'People', user.name, `wrong wrong ${n}`);
        await answered;
      }
      await problem.getByText('The user name or password is incorrect').waitFor();
      await expectGood(page, 'wrong-password');
      await signIn(page, 'People', user.name);
      await problem.getByText(/^Try again in [45]:\d\d\.$/).waitFor();
      expect(await page.getByRole('button', { name: 'Sign in', exact: true }).isDisabled()).toBe(true);
      await expectGood(page, 'locked');
    });

    it('enrols a second factor by QR code, shows recovery codes once, and then asks for a code', async () => {
      const user = await addUser(guarded);
      const { page } = await open('/signin', small);
      await signIn(page, 'Two factors', user.name);
      await heading(page, 'Set up your second factor');
      const picture = page.getByRole('img', { name: /^QR code/ });
      expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
      await expectGood(page, 'enrolment');
      const secret = (await page.locator('#secret').innerText()).replaceAll(' ', '');
      await page.getByLabel('Code').fill('000000');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('alert').getByText('The code is incorrect').waitFor();
      await page.getByLabel('Code').fill(codeOf(secret));
      await page.getByRole('button', { name: 'Confirm' }).click();
      await heading(page, 'Save your recovery codes');
      const codes = await page.getByRole('listitem').allInnerTexts();
      expect(new Set(codes).size).toBe(10);
      await expectGood(page, 'recovery-codes');
      await page.getByRole('button', { name: 'I have saved the codes' }).click();
      await heading(page, 'Workplaces');

      const { page: later } = await open('/signin');
      await signIn(later, 'Two factors', user.name);
      await heading(later, 'Confirm your identity');
      await expectGood(later, 'second-factor');
      await later.getByRole('button', { name: 'Use a recovery code' }).click();
      await later.getByLabel('Recovery code').fill(codes[0] ?? '');
      await later.getByRole('button', { name: 'Confirm' }).click();
      await heading(later, 'Workplaces');
    });

    it('requires a mandatory password change, with the reason why a password is not accepted', async () => {
      const user = await addUser(plain, { must_change_password: true });
      const { page, errors } = await open('/signin');
      await signIn(page, 'People', user.name);
      await heading(page, 'Choose a new password');
      const change = async (word: string) => {
        await page.getByLabel('Current password').fill(password);
        await page.getByLabel('New password', { exact: true }).fill(word);
        await page.getByLabel('Repeat the new password').fill(word);
        await page.getByRole('button', { name: 'Change password' }).click();
      };
      await change('too short');
      await page.getByText('This password cannot be used').waitFor();
      await expectGood(page, 'new-password');
      await change('nine quiet harbours wait');
      await heading(page, 'Workplaces');
      await page.getByText('North does not answer').waitFor();
      const refusals = errors.splice(0).filter((error) => !refused.test(error));
      expect(refusals).toEqual([expect.stringContaining('422')]);
    });

    it.each([
      [
        'en-GB',
        'Choose a new password',
        /Current password|new password/i,
        /at least 15 characters/,
        /contains the user name/,
      ],
      [
        'ru-RU',
        'Задайте новый пароль',
        /Текущий пароль|новый пароль/i,
        /не менее 15 символов/,
        /содержит имя пользователя/,
      ],
    ])('names the violated rule of a new password, in %s', async (locale, title, label, short, named) => {
      const user = await addUser(plain, { must_change_password: true });
      const { page, errors } = await open('/signin', { locale });
      await page.locator('#domain').selectOption({ label: 'People' });
      await page.locator('#username').fill(user.name);
      await page.locator('#password').fill(password);
      await page.locator('#credentials [type=submit]').click();
      await heading(page, title);
      const [current, next, again] = await page.getByLabel(label).all();
      await page.locator('#change [type=submit]').click();
      await page.locator('#current[aria-invalid=true]:focus').waitFor();
      for (const [word, reason] of [
        ['short', short],
        [`${user.name} is a name`, named],
      ] as const) {
        await current?.fill(password);
        for (const field of [next, again]) await field?.fill(word);
        await page.locator('#change [type=submit]').click();
        await page.getByText(reason).waitFor();
      }
      await expectGood(page, `refused-password-${locale}`);
      expect(errors.splice(0)).toEqual(Array(2).fill(expect.stringContaining('422')));
    });

    it('has the branding of the installation, and is in Russian for a Russian browser', async () => {
      const picture = (drawn: string) =>
        `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32">${drawn}</svg>`).toString('base64')}`;
      const theme = {
        site_name: 'Рабочие места',
        primary_color: '#fbbf24',
        logo: picture('<rect width="64" height="32" rx="8" fill="#0f766e"/>'),
        login_background: picture('<rect width="64" height="32" fill="#134e4a"/>'),
        login_text: 'Только для сотрудников.\nДействия записываются.',
        footer_text: 'ООО «Пример»',
        copyright: '© 2026',
        support_link: 'https://support.example.com/',
      };
      await accepted(api, 'PUT /api/userinfo/themes', { token: admin, body: theme });
      const { page } = await open('/signin', { ...small, colorScheme: 'light', locale: 'ru-RU' });
      await heading(page, 'Вход');
      await page.getByLabel('Домен').waitFor();
      await expectGood(page, 'branded');
      await page.getByRole('link', { name: 'English' }).click();
      await heading(page, 'Sign in');
      await accepted(api, 'PUT /api/userinfo/themes', { token: admin, body: {} });
    });
  });

  describe('the overview of the console', () => {
    it.each([
      ['wide', {}],
      ['small', small],
    ])('shows sites, farms and nodes on a %s screen, and refreshes automatically', async (_, options) => {
      const { page, errors } = await open('/signin', options);
      await page.clock.install();
      await asAdmin(page);
      await page.waitForURL('**/console/');
      await page.getByRole('article', { name: 'North' }).getByText('1 farm, 1 node').waitFor();
      await expectGood(page, 'overview');
      const again = page.waitForResponse('**/dashboard/admin');
      await page.clock.fastForward(15_000);
      expect((await again).status()).toBe(200);
      expect(errors).toEqual([]);
    });

    it.each([
      ['en-GB', {}, ['Failing', 'In maintenance', 'Disabled', 'Unknown']],
      ['ru-RU', small, ['Сбой', 'На обслуживании', 'Отключено', 'Неизвестно']],
    ])('shows the states maintenance, disabled and unknown, in %s', async (locale, options, words) => {
      const [failing = '', maintenance = '', disabled = '', unknown = ''] = words;
      const { page } = await open('/signin', { ...options, locale });
      await page.locator('#domain').selectOption({ label: 'Built-in' });
      await page.locator('#username').fill('admin');
      await page.locator('#password').fill(portal.announcement.admin_password ?? '');
      await page.locator('#credentials [type=submit]').click();
      const site = (name: string) => page.getByRole('article', { name, exact: true });
      const marks = async (name: string) => {
        const all = await site(name).locator('[data-tone]').all();
        return Promise.all(
          all.map(async (one) => [await one.innerText(), await one.getAttribute('data-tone')]),
        );
      };
      // Of a site and its node.
      await expect.poll(() => marks('North'), { timeout: 40_000 }).toEqual(Array(2).fill([failing, 'bad']));
      expect(await page.getByRole('heading', { level: 3 }).first().innerText()).toBe('North');
      for (const name of ['Kept', 'Off', 'Empty']) await site(name).locator('summary').click();
      expect(await marks('Kept')).toEqual(Array(2).fill([maintenance, 'warn']));
      expect(await marks('Off')).toEqual(Array(2).fill([disabled, 'off']));
      expect(await marks('Empty')).toEqual(Array(2).fill([unknown, 'none']));
      await expectGood(page, `states-${locale}`);
    });

    it('and the reference link to each other', async () => {
      const { page } = await open('/signin');
      await asAdmin(page);
      await page.getByRole('button', { name: 'admin' }).click();
      await page.getByRole('link', { name: 'API reference' }).click();
      await heading(page, 'API reference');
      await page.getByRole('link', { name: 'Console' }).click();
      await heading(page, 'Overview');
    });

    it('shows names without interpreting markup', async () => {
      await create('sites', { name: '<img src=x onerror=alert(1)>', uri: 'odd' });
      const { page } = await open('/signin');
      await asAdmin(page);
      await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor();
      expect(await page.locator('img[src=x]').count()).toBe(0);
    });

    it('ends at sign-out: for the browser, its other pages and their tokens', async () => {
      const { page } = await open('/signin');
      const asked = page.waitForRequest('**/dashboard/admin');
      await asAdmin(page);
      const token = (await asked).headers()['x-auth-token'] ?? '';
      expect((await api.send('GET /api/userinfo', { token })).status).toBe(200);
      await page.getByRole('button', { name: 'admin' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await heading(page, 'Sign in');
      expect((await api.send('GET /api/userinfo', { token })).body.code).toBe('invalid_token');
      await page.goto('/status');
      expect(new URL(page.url()).pathname).toBe('/signin');
      await page.goBack();
      expect(await page.getByText('north-1').count()).toBe(0);
    });
  });
});
