import { type Extent, type Outcome, runChecks } from './check/run.ts';
import { checksOf } from './check/tools.ts';
import { root } from './programs.mjs';

/**
 * `npm run check`: all checks that need no database. A tool is skipped if nothing that it reads has changed since its
 * last run without errors. `--all` runs everything, as does CI, which neither reads nor writes records. The output of
 * failed checks is shown.
 */
const outcomes = await runChecks(root, checksOf(root), extentOf());
for (const outcome of outcomes) process.stdout.write(reportOf(outcome));
process.exitCode = outcomes.every(({ isGood }) => isGood) ? 0 : 1;

function extentOf(): Extent {
  if (process.env.CI && process.env.CI !== 'false') return 'fresh';
  return process.argv.includes('--all') ? 'all' : 'changed';
}

function reportOf({ name, isGood, seconds, output, isUnchanged }: Outcome): string {
  const duration = isUnchanged ? 'unchanged' : `${seconds.toFixed(1)} s`;
  const verdict = `${isGood ? 'ok  ' : 'FAIL'} ${name} (${duration})\n`;
  return isGood ? verdict : `${output.trimEnd()}\n${verdict}`;
}
