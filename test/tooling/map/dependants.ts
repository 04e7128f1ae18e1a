import { matchesGlob } from 'node:path';

/**
 * Files that V8 does not count, or that act without being called, with the test files that depend on them. The first match
 * applies. `all`: every test.
 */
const dependants: readonly { files: readonly string[]; tests: readonly string[] | 'all' | 'database' }[] = [
  { files: ['db/migrations/**', 'db/sql/**', 'db/schema/**', 'db/*.ts'], tests: 'database' },
  {
    files: ['shared/messages/**/*.json'],
    tests: ['test/unit/**', 'test/pages/**', 'test/smoke/**', 'test/structure/**'],
  },
  {
    files: ['**/*.css', 'functions/assets/**', 'shared/web/icons/**', 'shared/web/styles/**'],
    tests: [
      'test/pages/**',
      'test/smoke/**',
      'test/api/pages/**',
      'test/runtime/deploy/**',
      'test/structure/**',
    ],
  },
  {
    files: ['functions/deploy/**', 'wrangler.toml', 'functions/health/monitoring/**'],
    tests: ['test/runtime/**', 'test/e2e/**', 'test/servers/monitoring/**', 'test/structure/**'],
  },
  {
    files: ['shared/openapi/**'],
    tests: [
      'test/contract/**',
      'test/client/**',
      'test/pages/docs*',
      'test/api/pages/**',
      'test/structure/**',
    ],
  },
  {
    files: ['**/*.md'],
    tests: ['test/structure/**', 'test/e2e/**', 'test/client/**', 'test/pages/console/guide*'],
  },
  { files: ['test/contract/**/*.tsv'], tests: ['test/contract/**'] },
  { files: ['test/services/database/*.txt'], tests: ['test/services/database/**'] },
  { files: ['test/generators/**'], tests: ['test/client/**'] },
  { files: ['test/bench/**'], tests: ['test/bench/**'] },
  {
    files: ['test/tooling/**', 'biome.json', '.editorconfig', '.gitignore', '.ci/**'],
    tests: ['test/unit/tooling/**', 'test/structure/**'],
  },
];

/** @returns undefined for a file without a rule */
export function dependantsOf(path: string): readonly string[] | 'all' | 'database' | undefined {
  return dependants.find(({ files }) => files.some((glob) => matchesGlob(path, glob)))?.tests;
}
