import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Tab } from '../../e2e/support/browser.ts';
import { root } from '../../e2e/support/portal-process.ts';
import { type Hand, mouse } from './hands.ts';

type Page = Tab['page'];

/** The folder of the pictures of the guide. With `GUIDE_PICTURES=write` they replace those of the guide. */
const pictures =
  process.env.GUIDE_PICTURES === 'write'
    ? join(root, 'functions', 'console', 'guide')
    : join(root, 'dist', 'screenshots', 'guide');

/** Takes a picture of the guide, in the stories by mouse only. */
export async function takePicture(page: Page, of: string, hand: Hand): Promise<void> {
  if (hand !== mouse) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${of}.png`), animations: 'disabled' });
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

export const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).last();

export const title = (page: Page, name: string, level: 1 | 2 = 1) =>
  // Lists have their number of records in the heading.
  page.getByRole('heading', { name: new RegExp(`^${name.replace('?', '\\?')}(?: \\d+)?$`), level }).waitFor();

export const pageLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages of the console' }).getByRole('link', { name, exact: true });

/** Opens a record from its list, which is opened from the navigation. */
export async function openRecord(page: Page, hand: Hand, list: string, record: string): Promise<void> {
  await hand.press(pageLink(page, list));
  await title(page, list);
  await hand.press(page.getByRole('link', { name: record, exact: true }));
  await title(page, record);
}
