import { readFileSync } from 'node:fs';

/** Results of a run. A file that cannot be imported, or a hook that fails, counts as one failure. */
export type Totals = { passed: number; failed: number; skipped: number };

export const noTotals: Totals = { passed: 0, failed: 0, skipped: 0 };

/** A run that has not reported its results is not green. */
export const crashed: Totals = { passed: 0, failed: 1, skipped: 0 };

export const sumOf = (all: readonly Totals[]): Totals =>
  all.reduce(
    (sum, { passed, failed, skipped }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    noTotals,
  );

/** @param exitCode of the run: a failure without a test (none was found, a teardown failed) counts as one */
export const judged = (totals: Totals, exitCode: number | null): Totals =>
  exitCode === 0 ? totals : { ...totals, failed: Math.max(totals.failed, 1) };

/** The totals of a tier. One that crashed, or in which no test ran, has failed. */
export function judgedTier(totals: Totals | undefined, exitCode: number | null): Totals {
  const known = judged(totals ?? crashed, exitCode);
  return known.passed > 0 ? known : { ...known, failed: Math.max(known.failed, 1) };
}

/** `N passed, N failed[, N skipped]` */
export const lineOf = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/** The results that a run has written. @returns undefined if it ended before it wrote any */
export function readTotals(file: string): Totals | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
