import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { root } from '../../shared/tooling/build/bundles.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  base,
  builtin,
  goodPassword,
  type Member,
  pool,
  useStand,
} from '../support/factories.ts';
import { hasChromium, startBrowserStand } from '../support/pages/browser-stand.ts';
import { type FirefoxTab, hasFirefox, keys, startFirefox } from '../support/pages/firefox.ts';
import { adminPassword } from '../support/portal.ts';
import { requireService } from '../support/services.ts';

// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = join(root, 'dist', 'screenshots');

requireService('firefox-esr', hasFirefox && hasChromium)('the pages in Firefox ESR', () => {
  let member: Member;
  const stand = useStand(async () => {
    const served = await startBrowserStand();
    const { world } = served;
    member = await addMember(world, [], '*', { real_name: 'Alice Liddell' });
    const site = await addSite(world.admin, {
      name: 'North',
      uri: 'north',
      authenticators: [world.domain.id],
    });
    const farm = await addFarm(world.admin, site, { name: 'North farm' });
    const { simulator } = await addNode(world, farm, {
      simulator: { issuer: served.origin },
      pools: [
        pool('Accounting', { protocols: ['rdp'] }),
        pool('Workshop', { state: 'preparing', percent: 30 }),
      ],
    });
    const firefox = await startFirefox();
    mkdirSync(folder, { recursive: true });
    const close = async () => {
      await firefox.close();
      await served.close();
      await simulator.close();
    };
    return { served, world, site, firefox, close };
  });

  async function open(path: string, account: { domain: string; name: string; password: string }) {
    const tab = await stand.firefox.open();
    await tab.resize(1280, 860);
    await tab.goto(`${stand.served.origin}${path}`);
    await tab.until(`document.querySelector('#username') !== null`);
    await tab.evaluate(`(() => {
      const domains = document.querySelector('#domain');
      const option = [...domains.options].find(({ text }) => text === ${JSON.stringify(account.domain)});
      domains.value = option.value;
      domains.dispatchEvent(new Event('change', { bubbles: true }));
      document.querySelector('#username').focus();
    })()`);
    await tab.press(`${account.name}${keys.tab}${account.password}${keys.enter}`);
    return tab;
  }
  const openHome = () =>
    open('/home/', { domain: stand.world.domain.name, name: member.user.name, password: goodPassword });
  const openConsole = async (place: string) => {
    const { domain } = await builtin(stand.world.admin);
    return open(`/console/#${place}`, { domain: domain.name, name: 'admin', password: adminPassword });
  };
  const hasText = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`;
  const focusedTag = (tab: FirefoxTab) => tab.evaluate('document.activeElement.tagName');

  it('home: signs in by keyboard, shows the workplaces, and connects in a dialog', async () => {
    const tab = await openHome();
    await tab.until(hasText('Accounting'));
    await tab.screenshot(join(folder, 'firefox-home.png'));
    await tab.click('button', 'Connect to Accounting');
    await tab.until(hasText('Your workplace is ready'));
    expect(await tab.evaluate(`document.querySelector('dialog').matches(':modal')`)).toBe(true);
    await tab.screenshot(join(folder, 'firefox-connect.png'));
    await tab.press(keys.escape);
    await tab.until(`document.querySelector('dialog') === null`);
    await tab.press('/work');
    await tab.until(`document.querySelectorAll('article').length === 1 && ${hasText('Workshop')}`);
    expect(tab.errors).toEqual([]);
  });

  it('home: has its menu, its colours and its service worker', async () => {
    const tab = await openHome();
    await tab.until(hasText('Accounting'));
    await tab.click('button', 'Alice Liddell');
    await tab.until(`document.querySelector('[popover]')?.matches(':popover-open') === true`);
    const ground = (scheme: string) =>
      tab.evaluate(`(async () => {
        document.documentElement.style.colorScheme = ${JSON.stringify(scheme)};
        const field = document.querySelector('input[type=search]');
        const colors = () => [document.body, field].map((element) => getComputedStyle(element).backgroundColor);
        colors();
        await Promise.all(document.getAnimations().map(({ finished }) => finished));
        return colors().join(' ');
      })()`);
    const [light, dark] = [await ground('light'), await ground('dark')];
    const fits = `document.querySelector(':popover-open').getBoundingClientRect().right < innerWidth - 5`;
    expect(await tab.evaluate(fits)).toBe(true);
    expect([light, dark].every((color) => /^(?:rgb|color|oklab)\(/.test(color))).toBe(true);
    expect(light).not.toBe(dark);
    await tab.screenshot(join(folder, 'firefox-menu-dark.png'));
    await tab.until(
      `(await navigator.serviceWorker.getRegistration('/home/'))?.active?.state === 'activated'`,
    );
    expect(tab.errors).toEqual([]);
  });

  it('console: shows changes of others at once, and saves a form by keyboard', async () => {
    const { admin } = stand.world;
    const tab = await openConsole('/site');
    await tab.until(hasText('North'));
    const path = `${base}/sites/${stand.site.id}`;
    expect((await admin(`PATCH ${path}`, { name: 'Northern' })).status).toBe(200);
    await tab.until(hasText('Northern'));
    await tab.screenshot(join(folder, 'firefox-console.png'));
    await tab.click('link', 'Northern');
    await tab.until(`document.querySelector('h1')?.innerText === 'Northern'`);
    await tab.evaluate(`void (location.hash = '/site/${stand.site.id}/edit')`);
    await tab.until(`document.querySelector('form input') !== null`);
    await tab.evaluate(`document.querySelector('form input').focus()`);
    expect(await focusedTag(tab)).toBe('INPUT');
    await tab.press(` 2${keys.enter}`);
    await tab.until(`document.querySelector('h1')?.innerText === 'Northern 2'`);
    expect((await admin(`GET ${path}`)).body.name).toBe('Northern 2');
    await tab.screenshot(join(folder, 'firefox-record.png'));
    expect(tab.errors).toEqual([]);
  });

  it('console: fits in narrow windows', async () => {
    const tab = await openConsole('/');
    await tab.until(hasText('Sites with failures'));
    for (const width of [320, 768, 1920]) {
      await tab.resize(width, 900);
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await tab.screenshot(join(folder, `firefox-overview-${width}.png`));
    }
    expect(tab.errors).toEqual([]);
  });
});
