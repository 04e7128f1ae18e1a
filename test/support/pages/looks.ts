import { execFileSync } from 'node:child_process';
import { root } from '../../e2e/support/portal-process.ts';

/** Language, colour scheme and width in which a page is looked at: screenshot, accessibility, overflow. */
export type Look = readonly [locale: 'en-GB' | 'ru-RU', colorScheme: 'light' | 'dark', width: number];

/** Each language, scheme and width is in one of them. */
export const allLooks: readonly Look[] = [
  ['en-GB', 'light', 1280],
  ['ru-RU', 'dark', 360],
  ['ru-RU', 'light', 768],
  ['en-GB', 'dark', 1920],
];

/**
 * The looks of this run: all in CI or with `LOOKS=all`. Elsewhere one, which the commit chooses, so that a failure is repeated
 * by the next run, and that all are seen in the course of the work.
 */
export const looks: readonly Look[] =
  process.env.CI === 'true' || process.env.LOOKS === 'all' ? allLooks : [chosen(commit())];

function chosen(of: string): Look {
  const [first] = allLooks;
  return allLooks[Number.parseInt(of.slice(0, 6), 16) % allLooks.length] ?? (first as Look);
}

/** The commit of the work tree; zeros outside of a clone. */
function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '000000';
  }
}
