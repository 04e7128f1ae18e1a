import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
// biome-ignore lint/correctness/noUnresolvedImports: it exports by statements that the linter cannot follow
import type { Response } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { serveNode } from '../../shared/runtime/node/server.ts';
import { root } from '../../shared/tooling/build/bundles.ts';
import { ensureLocalTls } from '../../shared/tooling/start/tls/local-tls.ts';
import {
  type BrowserHandle,
  expectGood,
  seriousFaults,
  startBrowser,
  type Tab,
} from '../e2e/support/browser.ts';
import { freePorts } from '../e2e/support/portal-process.ts';
import { filesOfReference } from '../support/documents/reference-files.ts';
import { smallDocument } from '../support/documents/small-document.ts';
import { unique } from '../support/factories.ts';
import { looks } from '../support/pages/looks.ts';
import { adminPassword, type Json, startPortal, type TestPortal } from '../support/portal.ts';
import { requireService } from '../support/services.ts';

const artefacts = join(root, 'dist', 'screenshots');
// A browser on a busy machine is slow.
vi.setConfig({ testTimeout: 90_000 });

const program = '/usr/bin/chromium';
const sites = '/api/webui/aggregator/sites';
const site = { name: unique('North'), uri: unique('north') };

let portal: TestPortal;
let origin: string;
let caFile: string;
let browser: BrowserHandle;
let page: Tab['page'];
let close: () => Promise<void>;
/** Forbidden effects of the page: console errors and requests to other hosts. */
let faults: string[];

/** Signs the browser in as the sign-in page does. */
async function signIn(shown = '.opblock-tag'): Promise<void> {
  await page.goto(`${origin}/api/docs/`);
  expect(new URL(page.url()).pathname).toBe('/signin');
  const body = { username: 'admin', password: adminPassword, authSmallName: 'builtin' };
  const status = await page.evaluate(
    async (sent) =>
      (
        await fetch('/signin', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(sent),
        })
      ).status,
    body,
  );
  expect(status).toBe(200);
  await page.goto(`${origin}/api/docs/`);
  await page.waitForSelector(shown);
}

/** Opens the form of an operation. */
async function open(method: string, path: string): Promise<void> {
  await page.click('#operations-tag-site');
  await page.click(`.opblock-${method}:has([data-path="${path}"]) .opblock-summary-control`);
  await page.click('.try-out__btn');
}

/** Executes the open operation. @returns the response to the page */
async function execute(path: string): Promise<Response> {
  const answered = page.waitForResponse((answer) => new URL(answer.url()).pathname === path);
  await page.click('.btn.execute');
  const answer = await answered;
  await page.waitForSelector('.live-responses-table .response-col_status');
  return answer;
}

/** Everything visible on the page and in its source. */
const shown = (): Promise<string> => page.content();

const curlLine = (): Promise<string> => page.locator('.curl-command pre').innerText();

const asShell = async (line: string, token: string): Promise<Json> => {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent`], {
    env: { PATH: process.env.PATH, TOKEN: token, CURL_CA_BUNDLE: caFile },
  });
  return JSON.parse(stdout);
};

requireService('chromium', existsSync(program))('the API reference page', () => {
  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    origin = `https://localhost:${port}`;
    portal = await startPortal({ baseUrl: origin });
    const tls = await ensureLocalTls(join(root, 'dist', 'tls'), ['localhost']);
    caFile = tls.caFile;
    const serving = await serveNode({
      fetch: portal.portal.fetch,
      host: '127.0.0.1',
      port,
      tls: { cert: tls.certPem, key: tls.keyPem },
      trustProxy: 0,
      log: portal.deps.log,
    });
    close = () => serving.close(1_000);
    const token = await portal.login();
    await portal.send('POST /api/webui/aggregator/sites', { token, body: site });
    await mkdir(artefacts, { recursive: true });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await close?.();
    await portal?.close();
  });

  /** @param isWhole with all operations: the page takes seconds to show them, and shows each of them in the same way */
  async function newPage(
    options: Parameters<BrowserHandle['newContext']>[0] = {},
    isWhole = false,
  ): Promise<void> {
    faults = [];
    await page?.context().close();
    const viewport = { width: 1_280, height: 900 };
    const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport, ...options });
    if (!isWhole)
      await context.route('**/api/openapi.json', async (route) => {
        const response = await route.fetch();
        if (!response.ok()) return route.fulfill({ response });
        await route.fulfill({ response, json: smallDocument(await response.json()) });
      });
    page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith('data:') && !url.startsWith('blob:'))
        faults.push(url);
    });
  }
  beforeEach(() => newPage());

  it('the API page shows every resource and calls the API only as the signed-in user', async () => {
    await newPage({}, true);
    await signIn();
    await page.screenshot({ path: join(artefacts, 'docs-1280.png') });
    const tags = await page.locator('.opblock-tag').count();
    expect(tags).toBeGreaterThan(30);
    expect(await page.locator('h2.module').evaluateAll((titles) => titles.map(({ id }) => id))).toEqual(
      portal.portal.modules.map(({ name }) => `module-${name}`).concat('module-health'),
    );
    expect(await seriousFaults(page)).toEqual([]);
    await open('get', sites);
    expect(await page.locator(`.opblock-get:has([data-path="${sites}"])`).count()).toBe(1);
    const answer = await execute(sites);
    expect(answer.status()).toBe(200);
    expect(await page.locator('.live-responses-table').innerText()).toContain(site.uri);
    await page.locator('.curl-command').scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(artefacts, 'docs-executed-1280.png') });
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('the API page loads in less than 650 kB, and each file once', async () => {
    await newPage({}, true);
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.enable');
    /** Transferred bytes by the last part of the path; 0 from the cache. */
    const received = new Map<string, number>();
    const names = new Map<string, string>();
    devTools.on('Network.requestWillBeSent', ({ requestId, request }) => {
      const name = new URL(request.url).pathname.replace(/.*[/](?=.)/, '');
      names.set(requestId, name);
      received.delete(name);
    });
    devTools.on('Network.requestServedFromCache', ({ requestId }) => {
      received.set(names.get(requestId) ?? '', 0);
    });
    devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) => {
      const name = names.get(requestId) ?? '';
      received.set(name, received.get(name) ?? bytes);
    });
    const files = [...filesOfReference.map((path) => path.replace(/.*[/]/, '')), 'openapi.json'];
    const sizes = () => files.map((name) => received.get(name) ?? Number.NaN);
    await signIn();
    await expect.poll(sizes).toSatisfy((all) => all.every((bytes: number) => bytes > 3_000));
    expect([...received.values()].reduce((sum, bytes) => sum + bytes)).toBeLessThan(650_000);
    await page.goto(`${origin}/api/docs/`);
    await page.waitForSelector('.opblock-tag');
    // The document is requested again; Chromium does not cache on disk for an untrusted certificate.
    await expect.poll(() => sizes().slice(0, 2)).toEqual([0, 0]);
    expect(faults).toEqual([]);
  });

  it('the API page shows a curl line that works in a shell with a token, and never the live token', async () => {
    await signIn();
    await open('post', sites);
    const made = { name: unique("O'Brien"), uri: unique('made') };
    await page.fill('.opblock-body textarea', JSON.stringify(made));
    const answer = await execute(sites);
    expect(answer.status()).toBe(201);
    const live = (await answer.request().allHeaders())['x-auth-token'] ?? '';
    expect(live.length).toBeGreaterThan(20);
    expect(await shown()).not.toContain(live);
    const line = await curlLine();
    expect(line).toContain('-H "X-Auth-Token: $TOKEN"');
    // The page has created the object; the same line with another name creates another.
    const again = line.replaceAll(made.uri, unique('again')).replaceAll('Brien', unique('Brien'));
    const body = await asShell(again, await portal.login());
    expect(body.name).toContain("O'Brien");
    expect(body.id).toBeDefined();
    expect(faults).toEqual([]);
  });

  it('the API page finds operations by words of their summaries', async () => {
    await signIn();
    const all = await page.locator('.opblock-tag').count();
    await page.fill('.operation-filter-input', 'create site');
    const found = page.locator('.opblock-summary-path');
    await found.first().waitFor();
    const paths = await found.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-path')));
    expect(paths).toContain(sites);
    expect(paths.length).toBeLessThan(10);
    expect(await page.locator('.opblock-tag').count()).toBeLessThan(all);
    await page.fill('.operation-filter-input', 'no such words');
    await found.first().waitFor({ state: 'detached' });
    await page.fill('.operation-filter-input', '');
    await page.waitForSelector('#operations-tag-site');
    expect(await page.locator('.opblock-tag').count()).toBe(all);
    expect(faults).toEqual([]);
  });

  it('the API page shows code samples, and the real response before that of a dry run', async () => {
    await signIn();
    await open('post', sites);
    const sample = page.locator('.code-samples pre');
    expect(await sample.innerText()).toContain('curl "$URL/api/webui/aggregator/sites"');
    await page.click('.code-samples button:has-text("Python")');
    expect(await sample.innerText()).toContain('urllib.request.Request(');
    await page.click('.code-samples button:has-text("TypeScript")');
    expect(await sample.innerText()).toContain("portal.call('site.create'");
    const statuses = page.locator('.responses-inner .responses-table tr.response');
    const order = await statuses.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-code')));
    expect(order.slice(0, 3)).toEqual(['201', '200', '400']);
    expect(await seriousFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('the API page ends with the session', async () => {
    await signIn();
    await page.getByRole('button', { name: 'admin' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/signin');
    await page.goto(`${origin}/api/docs/`);
    expect(new URL(page.url()).pathname).toBe('/signin');
    const status = await page.evaluate(async () => (await fetch('/api/openapi.json')).status);
    expect(status).toBe(401);
  });

  it('the API page stays as it is when the session ends, and leads to the sign-in page', async () => {
    await signIn();
    await open('get', sites);
    await page.evaluate(() => fetch('/signout', { method: 'POST' }));
    await page.click('.btn.execute');
    await page.getByText('Your session has ended').waitFor();
    expect(await page.locator('.opblock-body').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    // With the place within the page, which the sign-in leads back to.
    await page.waitForURL(/\/signin\?next=%2Fapi%2Fdocs%2F(?:#|$)/);
    expect(faults.filter((fault) => !/status of 401/.test(fault))).toEqual([]);
  });

  it('the API page reports that the reference could not be loaded', async () => {
    await page.route('**/api/openapi.json', (route) => route.abort());
    await signIn('[role=alert]');
    await page.getByRole('alert').getByText('The reference could not be loaded.').waitFor();
    await page.unroute('**/api/openapi.json');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForSelector('.opblock-tag');
  });

  it.each(looks)('the API page is good to look at: %s, %s, %i px', async (locale, colorScheme, width) => {
    await newPage({ viewport: { width, height: 900 }, colorScheme, locale });
    await signIn();
    const language = locale.slice(0, 2);
    const rules = language === 'ru' ? 'Общие правила API' : /^Conventions of the API/;
    if (language === 'ru') {
      await page.getByRole('heading', { level: 1, name: 'Справочник API' }).waitFor();
      expect(await page.getByText('Сам справочник — на английском языке.').isVisible()).toBe(true);
    }
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    expect(await page.locator('#reference').getAttribute('lang')).toBe('en');
    await page.getByText(rules).click();
    await expectGood(page, `docs-${colorScheme}`);
    await page.getByText(rules).click();
    await open('post', sites);
    await page.waitForSelector('.opblock-body .tablinks');
    // The schema of the body, beside the examples of the responses.
    await page.locator('.tablinks[data-name=model]').first().click();
    await page.locator('.json-schema-2020-12__constraint').first().waitFor();
    await expectGood(page, `docs-open-${colorScheme}`);
    expect(faults).toEqual([]);
  });

  it('the API page fits a narrow window in dark mode', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await signIn();
    await page.screenshot({ path: join(artefacts, 'docs-360-dark.png') });
    const filter = await page.locator('.operation-filter-input').boundingBox();
    expect(filter?.width).toBeGreaterThan(300);
    await open('get', `${sites}/{id}`);
    // Responses are rendered last.
    await page.waitForSelector('.opblock-body .tablinks');
    await page.locator('.opblock-body').scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(artefacts, 'docs-open-360-dark.png') });
    // Here the sticky filter covers no control in part.
    await page.evaluate(() => scrollTo(0, 0));
    expect(await seriousFaults(page)).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    expect(faults).toEqual([]);
  });
});
