import type { startBrowser, Tab } from '../support/browser.ts';

type Browser = Awaited<ReturnType<typeof startBrowser>>;
type Page = Tab['page'];

/** Chromium's throttle: 1.6 Mbit/s in both directions, and 150 ms for each request. */
const slowLine = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };

/** Notes when the search field and the first card are there, in milliseconds after the navigation began. */
function noteParts(): void {
  const noted: Record<string, number> = {};
  const parts = { shell: 'input[type=search]', list: 'article' };
  const look = (): void => {
    for (const [name, selector] of Object.entries(parts))
      if (!(name in noted) && document.querySelector(selector)) noted[name] = performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  Object.assign(globalThis, { noted });
}

/**
 * Opens `/home/` on a slow line, with an empty cache and once more, in a new browser with the session of a page.
 * @returns for each visit a line with the times in which the page could be used, and in which the own list was shown
 */
export async function measureSlowLine(browser: Browser, signedIn: Page): Promise<string[]> {
  const context = await browser.newContext({
    baseURL: new URL(signedIn.url()).origin,
    ignoreHTTPSErrors: true,
    locale: 'en-GB',
    storageState: await signedIn.context().storageState(),
  });
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send('Network.enable');
  await protocol.send('Network.emulateNetworkConditions', slowLine);
  await page.addInitScript(noteParts);
  const visits: string[] = [];
  for (let visit = 0; visit < 2; visit++) {
    await page.goto('/home/');
    await page.getByRole('article').first().waitFor();
    visits.push(await page.evaluate(timesOf));
  }
  await context.close();
  return visits;
}

function timesOf(): string {
  const { noted } = globalThis as unknown as { noted: Record<string, number> };
  const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
  const bytes = files.reduce((sum, { transferSize }) => sum + transferSize, 0);
  const [paint] = performance.getEntriesByName('first-contentful-paint');
  const ms = (time: number | undefined): string => `${Math.round(time ?? 0)} ms`;
  return `first paint ${ms(paint?.startTime)}, shell ${ms(noted.shell)}, own list ${ms(noted.list)}, ${files.length} requests, ${Math.round(bytes / 1000)} kB`;
}
