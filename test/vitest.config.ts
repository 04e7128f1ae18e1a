import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './support/summary-reporter.ts';

const structure = 'test/structure/**/*.test.ts';
const shared = { testTimeout: 20_000, hookTimeout: 60_000, pool: 'forks' } as const;

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    // Two servers and a test file each: more workers than this only wait for one another.
    maxWorkers: 2,
    reporters: ['default', new SummaryReporter()],
    projects: [
      // A project of its own, because `npm run check` runs it alone, without a database.
      { test: { ...shared, name: 'structure', include: [structure] } },
      {
        test: {
          ...shared,
          name: 'portal',
          include: ['test/**/*.test.ts'],
          exclude: [structure, '**/node_modules/**'],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
    ],
  },
});
