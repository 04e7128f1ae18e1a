import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as client from 'openid-client';
import { afterAll, expect, it, vi } from 'vitest';
import { type ApiDocument, catalogueOf } from '../../../shared/client/catalogue/catalogue.ts';
import { resources } from '../../../shared/resources.ts';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { goodPassword } from '../../support/factories.ts';
import { nativeProgramAt } from '../../support/federation/programs.ts';
import { hasChromium } from '../../support/pages/browser-stand.ts';
import { type Account, useConsoleTabs } from '../../support/pages/console-tabs.ts';
import { crawlConsole, kindOfPlace } from '../../support/pages/crawl.ts';
import { hostileTexts } from '../../support/pages/hostile/values.ts';
import { watchPage } from '../../support/pages/hostile/watch.ts';
import { type HostileWorld, startHostileWorld } from '../../support/pages/hostile/world.ts';
import { administrator } from '../../support/pages/sessions.ts';
import { requireService } from '../../support/services.ts';

// All places of the console, one after the other, on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

/** The list, the page and the forms of each kind in the OpenAPI document, and the screens of all areas. */
function placesOfConsole(): string[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const document = JSON.parse(read('shared/openapi/openapi.json')) as ApiDocument;
  const ofKinds = catalogueOf(document, resources, '/api/webui/').kinds.flatMap(
    ({ type, get, create, update }) => [
      `#/${type}`,
      ...(get ? [`#/${type}/:id`] : []),
      ...(create ? [`#/${type}/new`] : []),
      ...(get && update ? [`#/${type}/:id/edit`] : []),
    ],
  );
  const sources = readdirSync(join(root, 'functions/console/app'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\/(?:area|entry)\.ts$/.test(path))
    .map((path) => read(join('functions/console/app', path)));
  const segments = sources.flatMap((source) =>
    [...source.matchAll(/\b(?:segment:|\w+Segment =) '([\w-]+)'/g)].map(([, segment]) => `#/${segment}`),
  );
  return [...ofKinds, ...segments];
}

const pathOfPlace = (place: string): string => kindOfPlace(place).replace(/\?.*/, '');

requireService('chromium', hasChromium)('hostile values', () => {
  let hostile: HostileWorld;
  const tabs = useConsoleTabs(async ({ world, origin }) => {
    hostile = await startHostileWorld(world, origin);
  });
  afterAll(() => hostile?.close());

  /** Opens a page of the portal that is watched from its first document on. */
  async function openWatched(account?: Account) {
    const tab = await tabs.stand.open('/liveness', {}, account);
    const watch = await watchPage(tab.page);
    const end = async () => {
      const faults = await watch.end();
      await tab.close();
      return [...faults, ...tab.foreign.filter((url) => url.includes('canary'))];
    };
    return { page: tab.page, end };
  }
  const ofMember = (): Account => {
    const { world } = tabs.stand;
    return { domain: world.domain.name, name: hostile.member.user.name, password: goodPassword };
  };

  it('are texts at all places of the console, in all dialogs', async () => {
    const { page, end } = await openWatched(administrator);
    await page.goto('/console/');
    const ofUser = `auth_uuid=${tabs.stand.world.domain.id}&uuid=${hostile.member.user.id}`;
    let shown = 0;
    const kinds = await crawlConsole(page, {
      onSight: ({ text }) => {
        if (text.includes('hostile')) shown += 1;
      },
      // The page of a user has these lists as cards.
      from: ['userSession', 'serviceToken', 'serviceToken/new'].map((path) => `#/${path}?${ofUser}`),
      ...{ ofEachKind: 1, isThorough: true, mostControls: 8, kindOf: pathOfPlace },
    });
    expect(placesOfConsole().filter((place) => !kinds.includes(place))).toEqual([]);
    expect(shown).toBeGreaterThan(kinds.length);
    await page.keyboard.press('Control+k');
    for (const text of ['hostile', 'script', '\u0430dmin']) {
      await page.getByRole('dialog').getByRole('combobox').fill(text);
      await page.getByRole('option').first().waitFor();
    }
    expect(await end()).toEqual([]);
  });

  it('are texts on the pages of users', async () => {
    const { page, end } = await openWatched(ofMember());
    for (const path of ['/home/', '/home/#account', '/home/?error=<b hostile onclick=1>']) {
      await page.goto(path);
      await page.locator('main h1, main h2').first().waitFor();
    }
    expect(await end()).toEqual([]);
  });

  it('are texts on the pages of the sign-in, of programs and of devices', async () => {
    const { page, end } = await openWatched();
    const { world, origin } = tabs.stand;
    const address = { baseUrl: origin, send: world.portal.send };
    const program = await nativeProgramAt(address, hostile.people.provider.id, '192.0.2.7');
    const asked = client.buildAuthorizationUrl(program, {
      ...{ redirect_uri: 'http://127.0.0.1:9/back', client_name: '<b hostile onclick=1>' },
      ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256', state: '"><b hostile>' },
    });
    const text = encodeURIComponent('"><svg hostile onload=alert(globalThis.hasRun=1)>');
    const paths = [
      ...['/signin', `/signin?next=${text}`, '/signin?next=javascript:alert(globalThis.hasRun=1)'],
      ...[`/signin?step=${text}`, `/signin?error=${text}&provider=${text}`, `/device?user_code=${text}`],
      ...[`${asked.pathname}${asked.search}`, `/${text}`],
    ];
    for (const path of paths) {
      await page.goto(path);
      await page.locator('h1').first().waitFor();
    }
    expect(await end()).toEqual([]);
  });

  it('would be noticed if a page took them for markup', async () => {
    const { page, end } = await openWatched();
    await page.goto('/signin');
    const markup = hostileTexts.filter((text) => text.includes('<'));
    const faults = [];
    for (const text of markup) {
      await page.evaluate((html) => {
        const part = document.createElement('div');
        document.body.append(part);
        part.innerHTML = html;
      }, text);
    }
    faults.push(...(await end()));
    for (const sign of [
      '<img hostile',
      '<svg hostile',
      '<b hostile',
      '<a hostile',
      '<iframe hostile',
      'policy ',
    ])
      expect(faults.filter((fault) => fault.includes(sign))).not.toEqual([]);
  });
});
