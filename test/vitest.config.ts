import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { FileOrder } from './support/runner/file-order.ts';
import { SummaryReporter } from './support/runner/summary-reporter.ts';
import { recordFolder } from './tooling/map/recordings.ts';
import { type ProjectPlan, projects } from './tooling/run/tiers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// As in the launcher: tests start programs, and workers load the dependencies, more than a hundred times.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'node-compile');

const projectOf = (plan: ProjectPlan): TestProjectConfiguration => ({
  test: {
    name: plan.name,
    include: [...plan.include],
    exclude: [...(plan.exclude ?? []), '**/node_modules/**'],
    pool: 'forks',
    isolate: plan.modules === 'separate',
    // Tests end by events. The limits are for those that hang, and a busy machine is several times slower.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: plan.database ? ['test/support/global-setup.ts'] : [],
    setupFiles: [
      ...(process.env.TEST_WATCH === '1' ? [] : ['test/support/runner/resolve-first.mjs']),
      ...(recordFolder() === undefined ? [] : ['test/tooling/map/record.ts']),
    ],
    env: { ...plan.env },
    // Node loads the sources itself, which is faster than the transformations of a server in another process. No test replaces modules.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ['--import', join(root, 'test/support/runner/fast-loader.mjs')],
  },
});

export default defineConfig({
  root,
  test: {
    // One more than processors: many files wait for processes that they have started.
    maxWorkers: 3,
    sequence: { sequencer: FileOrder },
    reporters: [
      'default',
      new SummaryReporter({ totalsFile: process.env.TEST_TOTALS_FILE, hint: process.env.TEST_HINT }),
    ],
    projects: projects.map(projectOf),
  },
});
