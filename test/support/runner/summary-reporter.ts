import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

type Counts = { passed: number; failed: number; skipped: number };

/**
 * Lists skipped tests with their reason, and ends the output with one plain line
 * `N passed, N failed[, N skipped]`. The exit code of the runner is not changed.
 */
export class SummaryReporter implements Reporter {
  // A run that ends early (a global setup that throws) counts as failed in the last line.
  #counts: Counts = { passed: 0, failed: 1, skipped: 0 };

  onInit(): void {
    process.once('exit', (code) => process.stdout.write(`${closingLine(this.#counts, code)}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.#counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) addModule(this.#counts, module);
    const reasons = new Set(modules.flatMap(skippedIn));
    for (const reason of reasons) process.stdout.write(`skipped: ${reason}\n`);
  }
}

/** A failure without a test (none was found, a teardown failed) counts as one. */
function closingLine({ passed, failed, skipped }: Counts, exitCode: number): string {
  const failures = exitCode === 0 ? failed : Math.max(failed, 1);
  return `${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function addModule(counts: Counts, module: TestModule): void {
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed') counts.passed += 1;
    else if (state === 'failed') counts.failed += 1;
    else counts.skipped += 1;
  }
  // An import, `beforeAll` or `afterAll` that throws fails no single test.
  for (const suite of [module, ...module.children.allSuites()]) {
    if (suite.errors().length > 0) counts.failed += 1;
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
