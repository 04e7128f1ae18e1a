import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
// biome-ignore lint/correctness/noUnresolvedImports: it exports by statements that the linter cannot follow
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

import { calledIn, type FunctionCounts } from './executed.ts';

/** The called functions of one script. */
export type RecordedScript = { file: string; functions: FunctionCounts[] };

let folder = '';
let number = 0;
let isInstalled = false;

/** From now on the functions that pages in Chromium execute are written to the folder. */
export function recordPages(into: string): void {
  folder = into;
  if (isInstalled) return;
  isInstalled = true;
  const { launch, launchPersistentContext } = chromium;
  chromium.launch = async (options) => watchBrowser(await launch.call(chromium, options));
  chromium.launchPersistentContext = async (place, options) => {
    const context = await launchPersistentContext.call(chromium, place, options);
    await watchContext(context);
    return context;
  };
}

function watchBrowser(browser: Browser): Browser {
  const { newContext, close } = browser;
  const contexts = new Set<BrowserContext>();
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, options);
    await watchContext(context);
    contexts.add(context);
    context.once('close', () => contexts.delete(context));
    return context;
  };
  browser.close = async (options) => {
    for (const context of contexts) await context.close().catch(() => undefined);
    await close.call(browser, options);
  };
  return browser;
}

async function watchContext(context: BrowserContext): Promise<void> {
  const pages = new Set<Page>();
  const watch = async (page: Page) => {
    if (pages.has(page)) return;
    pages.add(page);
    await page.coverage.startJSCoverage({ resetOnNavigation: false }).catch(() => pages.delete(page));
    const { close } = page;
    page.close = async (options) => {
      await finish(page);
      await close.call(page, options);
    };
  };
  const finish = async (page: Page) => {
    if (!pages.delete(page)) return;
    const scripts = await page.coverage.stopJSCoverage().catch(() => []);
    const recorded: RecordedScript[] = scripts.map(({ url, functions }) => ({
      file: basename(new URL(url).pathname),
      functions: calledIn(functions),
    }));
    number += 1;
    writeFileSync(join(folder, `page-${process.pid}-${number}.json`), JSON.stringify(recorded));
  };
  const { newPage, close } = context;
  for (const page of context.pages()) await watch(page);
  context.on('page', (page) => void watch(page));
  context.newPage = async () => {
    const page = await newPage.call(context);
    await watch(page);
    return page;
  };
  context.close = async (options) => {
    for (const page of [...pages]) await finish(page);
    await close.call(context, options);
  };
}
