import { commitNumber, isThorough } from '../runner/commit.ts';

/** Language, colour scheme and width in which a page is looked at: screenshot, accessibility, overflow. */
export type Look = readonly [locale: 'en-GB' | 'ru-RU', colorScheme: 'light' | 'dark', width: number];

/** Each language, scheme and width is in one of them. */
const allLooks: readonly Look[] = [
  ['en-GB', 'light', 1280],
  ['ru-RU', 'dark', 360],
  ['ru-RU', 'light', 768],
  ['en-GB', 'dark', 1920],
];

/**
 * The looks of this run: all in CI or with `LOOKS=all`. Elsewhere one, which the commit chooses, so that all are seen in the course
 * of the work.
 */
export const looks: readonly Look[] =
  isThorough || process.env.LOOKS === 'all'
    ? allLooks
    : allLooks.filter((_, at) => at === commitNumber() % allLooks.length);
