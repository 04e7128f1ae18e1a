import { expect } from 'vitest';
import type { Tab } from '../../e2e/support/browser.ts';
import { goTo } from './console-tabs.ts';

type Page = Tab['page'];
type Request = ReturnType<Awaited<ReturnType<Page['waitForResponse']>>['request']>;

/** What a place of the console showed, or the browser received for it, with the status of the response. */
export type Sight = { place: string; text: string; status?: number };

export type CrawlOptions = {
  /** Receives what is seen, after each step. */
  onSight: (sight: Sight) => void;
  /** Places of one kind, such as the pages of single farms, that are opened. */
  ofEachKind: number;
  /** Presses the buttons of each place, and opens its lists of choices. */
  isThorough: boolean;
  /** Controls of one place that are pressed. Further ones, such as those of each row, are like those before them. Default: 60. */
  mostControls?: number;
  /** Further places to begin at, which no link leads to. */
  from?: readonly string[];
  /** Kinds of places that count as different. Default: `kindOfPlace`. */
  kindOf?: (place: string) => string;
};

const patient = { timeout: 60_000, interval: 20 };
const identifier = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

/** The kind of a place: identifiers and the values of the query do not matter. */
export const kindOfPlace = (place: string): string =>
  place.replace(identifier, ':id').replace(/=[^&]*/g, '=');

/**
 * Opens all places of the console that links lead to, from the overview on.
 * @returns the kinds of places that were opened
 */
export async function crawlConsole(page: Page, options: CrawlOptions): Promise<string[]> {
  const { kindOf = kindOfPlace, from = [] } = options;
  const crawl = await watched(page, options);
  const visits = new Map<string, number>();
  const waiting = ['#/', ...from];
  const found = new Set(waiting);
  for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
    const kind = kindOf(place);
    const times = visits.get(kind) ?? 0;
    if (times >= options.ofEachKind) continue;
    visits.set(kind, times + 1);
    await crawl.open(place);
    if (options.isThorough && times === 0) await crawl.useAll(place);
    for (const link of await linksIn(page)) if (!found.has(link)) waiting.push(link);
    for (const link of waiting) found.add(link);
  }
  return [...visits.keys()];
}

const linksIn = (page: Page): Promise<string[]> =>
  page
    .locator('a[href^="#/"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? '#/'));

async function watched(page: Page, { onSight, mostControls = 60 }: CrawlOptions) {
  let current = '#/';
  const pending = new Set<Request>();
  // A stream has no end at which its text could be read.
  await page.route('**/changes*', (route) =>
    route.continue({ headers: { ...route.request().headers(), accept: 'application/json' } }),
  );
  page.on('request', (request) => {
    if (!request.url().includes('/changes')) pending.add(request);
  });
  page.on('requestfailed', (request) => pending.delete(request));
  page.on('requestfinished', async (request) => {
    const answer = await request.response();
    const text = await answer?.text().catch(() => '');
    onSight({
      place: `${current} received ${request.url()}`,
      text: text ?? '',
      ...(answer && { status: answer.status() }),
    });
    pending.delete(request);
  });
  /** Nothing is requested, and the page has drawn what it received. */
  const settled = async () => {
    const drawing = await page.evaluateHandle(watchDrawing);
    do await expect.poll(() => pending.size, patient).toBe(0);
    while ((await drawing.evaluate((watch) => watch.hasDrawn())) || pending.size > 0);
    await drawing.evaluate((watch) => watch.end());
    await drawing.dispose();
    return contentOf(page);
  };
  const see = async (what = '') => {
    const text = await settled();
    onSight({ place: `${current}${what}`, text });
    return text;
  };
  const open = async (place: string) => {
    current = place;
    await goTo(page, place);
    await see();
  };
  const pressed = new Map<string, Set<string>>();
  const pressAll = async (place: string) => {
    const [path = ''] = kindOfPlace(place).split('?');
    const seen = pressed.get(path) ?? new Set();
    pressed.set(path, seen);
    await useAll(page, { place, seen, mostControls, open, see });
  };
  return { open, useAll: pressAll };
}

/** Whether the page draws: `hasDrawn` waits until it is idle, and tells whether anything has changed since it was asked before. */
function watchDrawing() {
  let changes = 0;
  let seen = -1;
  const observer = new MutationObserver((records) => {
    changes += records.length;
  });
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, everything);
  return {
    hasDrawn: async (): Promise<boolean> => {
      await new Promise((idle) => {
        requestIdleCallback(() => requestAnimationFrame(idle));
        // A page behind another one, which a button has opened, draws no frames.
        setTimeout(idle, 1_000);
      });
      const hasDrawn = changes !== seen;
      seen = changes;
      return hasDrawn;
    },
    end: () => observer.disconnect(),
  };
}

/** Everything in the page: texts, attributes such as addresses, and values of inputs. */
const contentOf = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const values = [...document.querySelectorAll<HTMLInputElement>('input, textarea, select')];
    return [document.documentElement.outerHTML, ...values.map(({ value }) => value)].join('\n');
  });

/** `seen`: names of the controls that were pressed at places that differ in their query only. */
type Steps = {
  place: string;
  seen: Set<string>;
  mostControls: number;
  open: (place: string) => Promise<void>;
  see: (what?: string) => Promise<string>;
};

/** What can be pressed without sending a form. */
const controls = [
  '#content summary',
  '#content [role=combobox]',
  '#content button:not([type=submit], [role=switch], [aria-disabled=true], :disabled)',
].join(', ');

/** Presses each control of a place, and opens the place again if something was opened or another place is shown. */
async function useAll(page: Page, { place, seen, mostControls, open, see }: Steps): Promise<void> {
  const names = (await page.locator(controls).evaluateAll(namesOf)).slice(0, mostControls);
  let fresh = await contentOf(page);
  for (const [at, name] of names.entries()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const control = page.locator(controls).nth(at);
    if (!(await control.isVisible().catch(() => false))) continue;
    const isChoice = (await control.getAttribute('role')) === 'combobox';
    await control.click({ timeout: 5_000 }).catch(() => undefined);
    if (isChoice) await control.press('ArrowDown').catch(() => undefined);
    if ((await see(`, ${name}`)) === fresh) continue;
    // A new drawing closes what was opened.
    await goTo(page, '#/nowhere');
    await open(place);
    fresh = await contentOf(page);
  }
}

const namesOf = (found: Element[]): string[] =>
  found.map((element) => {
    const label = element.getAttribute('aria-label') ?? element.getAttribute('id') ?? '';
    return `${element.tagName} ${element.textContent} ${label}`.replace(/\d+/g, '').trim();
  });
