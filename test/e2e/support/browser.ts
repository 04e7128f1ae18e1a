import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
// biome-ignore lint/correctness/noUnresolvedImports: it exports by statements that the linter cannot follow
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { root } from './portal-process.ts';

const program = '/usr/bin/chromium';
/**
 * The same engine without the window of Chromium, whose own pages take half of the CPU time of a test. Debian has it in a package
 * of its own.
 */
const shell = '/usr/bin/chromium-headless-shell';
/** Chromium, and the device of a second factor. */
export const hasPrograms = [program, '/usr/bin/oathtool'].every((path) => existsSync(path));

/** The folder of screenshots. */
const folder = join(root, 'dist', 'screenshots');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const commonArgs = ['--no-sandbox', '--disable-dev-shm-usage'];

/** A browser of its own. @param args further arguments of Chromium */
export const launchBrowser = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: existsSync(shell) ? shell : program, args: [...commonArgs, ...args] });

/** The contexts of one user of a browser. */
export type BrowserHandle = Pick<Browser, 'newContext' | 'close'>;

type BrowserContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** Browsers of this process by their arguments. A start costs as much as a test; a context costs little. */
const running = new Map<string, Promise<Browser>>();

/**
 * A browser that other files of this process use as well. `close` closes the contexts of the caller.
 * @param args further arguments of Chromium
 */
export async function startBrowser(args: readonly string[] = []): Promise<BrowserHandle> {
  const key = args.join(' ');
  const known = await running.get(key);
  const launched = known?.isConnected() ? Promise.resolve(known) : launchBrowser(args);
  running.set(key, launched);
  const browser = await launched;
  const contexts = new Set<BrowserContext>();
  return {
    newContext: async (options) => {
      const context = await browser.newContext(options);
      contexts.add(context.once('close', () => contexts.delete(context)));
      return context;
    },
    close: async () => {
      await Promise.all([...contexts].map((context) => context.close()));
    },
  };
}

/** A browser whose data outlast it, and that can install pages as apps, unlike the contexts of `startBrowser`. */
export const startBrowserIn = (
  folder: string,
  { args = [], ...options }: BrowserContextOptions & { args?: readonly string[] } = {},
): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, {
    executablePath: program,
    args: [...commonArgs, ...args],
    locale: 'en-GB',
    ...options,
  });

/** A page of a separate browser, with its errors and foreign requests. */
export type Tab = { page: Page; errors: string[]; foreign: string[]; close(): Promise<void> };

/** Opens a new browser at the portal, with the authority of the portal trusted. */
export async function openTab(
  browser: BrowserHandle,
  baseUrl: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext(tabOptions(baseUrl, options));
  return openTabIn(context, baseUrl, () => context.close());
}

export const tabOptions = (baseUrl: string, options: BrowserContextOptions): BrowserContextOptions => ({
  baseURL: baseUrl,
  ignoreHTTPSErrors: true,
  locale: 'en-GB',
  viewport: { width: 1280, height: 860 },
  ...options,
});

/** @param close what ends the use of the context */
export async function openTabIn(
  context: BrowserContext,
  baseUrl: string,
  close: () => Promise<void>,
): Promise<Tab> {
  const page = await context.newPage();
  const tab: Tab = { page, errors: [], foreign: [], close };
  page.on('console', (message) => {
    if (message.type() === 'error' && !ofWorker.test(message.text())) tab.errors.push(message.text());
  });
  page.on('pageerror', (error) => tab.errors.push(String(error)));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && origin !== baseUrl) tab.foreign.push(request.url());
  });
  return tab;
}

/** Browsers install no service worker from a portal whose authority they do not trust. */
const ofWorker = /^An SSL certificate error occurred when fetching the script/;

type Fault = { id: string; impact: string; nodes: string[] };

/** Accessibility violations of axe: WCAG 2.2 A and AA, serious and critical. */
export async function seriousFaults(page: Page): Promise<Fault[]> {
  await page.evaluate(axe);
  const faults = await page.evaluate(async (): Promise<Fault[]> => {
    const { axe: judge } = globalThis as unknown as { axe: { run(options: object): Promise<Found> } };
    type Found = { violations: { id: string; impact: string; nodes: { html: string }[] }[] };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await judge.run({ runOnly: { type: 'tag', values: tags } });
    return violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) }));
  });
  return faults.filter(({ impact }) => ['serious', 'critical'].includes(impact));
}

/** Saves a screenshot, and requires no accessibility violation and no horizontal scrolling. */
export async function expectGood(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const width = page.viewportSize()?.width ?? 0;
  await page.screenshot({
    path: join(folder, `${name}-${width}.png`),
    fullPage: true,
    animations: 'disabled',
  });
  expect(await seriousFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
}

/** The current six-digit code of a device with this secret (base32). */
export const codeOf = (secret: string): string =>
  execFileSync('oathtool', ['--totp', '--base32', secret], { encoding: 'utf8' }).trim();
