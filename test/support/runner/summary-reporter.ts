import { writeFileSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';
import { judged, lineOf, noTotals, type Totals } from '../../tooling/run/totals.ts';

export type SummaryOptions = {
  /** A file for the totals, for a run that is a part of another one. Default: the last line of the output has them. */
  totalsFile?: string | undefined;
  /** A line before the last one. */
  hint?: string | undefined;
};

/**
 * Lists skipped tests with their reason, and ends the output with one plain line
 * `N passed, N failed[, N skipped]`. The exit code of the runner is not changed.
 */
export class SummaryReporter implements Reporter {
  // A run that ends early (a global setup that throws) counts as failed in the last line.
  #totals: Totals = { ...noTotals, failed: 1 };
  readonly #options: SummaryOptions;

  constructor(options: SummaryOptions = {}) {
    this.#options = options;
  }

  onInit(): void {
    process.once('exit', (code) => this.#close(judged(this.#totals, code)));
  }

  #close(totals: Totals): void {
    const { totalsFile, hint } = this.#options;
    if (totalsFile !== undefined) writeFileSync(totalsFile, JSON.stringify(totals));
    else process.stdout.write(`${hint === undefined ? '' : `${hint}\n`}${lineOf(totals)}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.#totals = { ...noTotals, failed: errors.length };
    for (const module of modules) addModule(this.#totals, module);
    const reasons = new Set(modules.flatMap(skippedIn));
    for (const reason of reasons) process.stdout.write(`skipped: ${reason}\n`);
  }
}

function addModule(totals: Totals, module: TestModule): void {
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed') totals.passed += 1;
    else if (state === 'failed') totals.failed += 1;
    else totals.skipped += 1;
  }
  // An import, `beforeAll` or `afterAll` that throws fails no single test.
  for (const suite of [module, ...module.children.allSuites()]) {
    if (suite.errors().length > 0) totals.failed += 1;
  }
}

function skippedIn(module: TestModule): string[] {
  return [...module.children.allTests('skipped')].map((test) => {
    const result = test.result();
    const note = result.state === 'skipped' ? result.note : undefined;
    const place = test.parent.type === 'suite' ? test.parent.fullName : test.fullName;
    return `${module.relativeModuleId}: ${place}${note ? ` (${note})` : ''}`;
  });
}
