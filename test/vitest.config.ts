import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './support/runner/longest-first.ts';
import { SummaryReporter } from './support/runner/summary-reporter.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// As in the launcher: tests start programs, and workers load the dependencies, more than a hundred times.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'node-compile');

const structure = 'test/structure/**/*.test.ts';
/** Files that replace globals, that import modules which read their environment once, or that change or close shared objects. */
const alone = [
  'test/browser/console/made-up-kind.test.ts',
  'test/e2e/lambda.test.ts',
  'test/runtime/deploy/module-secrets.test.ts',
  'test/runtime/lambda/{body-limits,lambda,streaming}.test.ts',
  'test/runtime/node/production-limits.test.ts',
  'test/runtime/start/secret-key-edge.test.ts',
  'test/runtime/federation/*.test.ts',
  'test/runtime/workers/{broker,directory}.test.ts',
  'test/simulator/tests/*.test.ts',
];
const shared = { testTimeout: 20_000, hookTimeout: 60_000, pool: 'forks' } as const;

export default defineConfig({
  root,
  test: {
    // One more than processors: many files wait for processes that they have started.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new SummaryReporter()],
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      // A project of its own, because `npm run check` runs it alone, without a database.
      {
        test: { ...shared, name: 'structure', isolate: false, include: [structure] },
      },
      {
        test: {
          ...shared,
          name: 'portal',
          // The modules are loaded once per worker instead of once per file, which took longer than most tests.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [structure, ...alone, '**/node_modules/**'],
        },
      },
      { test: { ...shared, name: 'alone', include: alone, exclude: ['**/node_modules/**'] } },
    ],
  },
});
