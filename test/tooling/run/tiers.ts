/** Groups of tests with a command of their own. A tier is made of projects of the test runner. */
export const tierNames = ['fast', 'pages', 'platform'] as const;
export type TierName = (typeof tierNames)[number];

/** A project of the test runner. Paths are globs from the root. */
export type ProjectPlan = {
  name: string;
  tier: TierName;
  include: readonly string[];
  exclude?: readonly string[];
  /** Starts the test database. */
  database: boolean;
  /**
   * `shared`: the modules are loaded once per worker instead of once per file, which took longer than most tests.
   * `separate`: a process per file, for files that replace globals, that import modules which read their environment once,
   * or that change or close shared objects.
   */
  modules: 'shared' | 'separate';
  env?: Readonly<Record<string, string>>;
};

const files = (folder: string): string => `test/${folder}/**/*.test.ts`;

/** Files of other tiers that `npm test` runs as well: the main pages, and one started portal for each runtime. */
const smokePages = [
  'test/pages/{sign-in,home}.test.ts',
  'test/pages/console/{overview,records}.test.ts',
  'test/pages/areas/fleet.test.ts',
];
const smokeRuntimes = ['test/e2e/{node,workers}.test.ts'];
const fastSeparate = ['test/e2e/lambda.test.ts', files('simulator')];
const fast = [...smokePages, ...smokeRuntimes, ...fastSeparate];

/** Files of the tier platform that need a process of their own. */
const separate = [
  'test/pages/console/made-up-kind.test.ts',
  'test/runtime/deploy/module-secrets.test.ts',
  'test/runtime/lambda/{body-limits,lambda,streaming}.test.ts',
  'test/runtime/node/production-limits.test.ts',
  'test/runtime/start/secret-key-edge.test.ts',
  'test/runtime/federation/*.test.ts',
  'test/runtime/workers/{broker,directory}.test.ts',
];

export const projects: readonly ProjectPlan[] = [
  { name: 'structure', tier: 'fast', include: [files('structure')], database: false, modules: 'shared' },
  { name: 'unit', tier: 'fast', include: [files('unit')], database: false, modules: 'shared' },
  {
    name: 'portal',
    tier: 'fast',
    include: ['contract', 'api', 'services'].map(files),
    database: true,
    modules: 'shared',
  },
  {
    name: 'smoke',
    tier: 'fast',
    include: [...smokePages, ...smokeRuntimes],
    database: true,
    modules: 'shared',
  },
  { name: 'smoke-separate', tier: 'fast', include: fastSeparate, database: true, modules: 'separate' },
  {
    name: 'pages',
    tier: 'pages',
    include: [files('pages')],
    exclude: [...fast, ...separate],
    database: true,
    modules: 'shared',
  },
  {
    name: 'platform',
    tier: 'platform',
    include: ['client', 'e2e', 'runtime', 'servers', 'bench'].map(files),
    exclude: [...fast, ...separate],
    database: true,
    modules: 'shared',
  },
  { name: 'platform-separate', tier: 'platform', include: separate, database: true, modules: 'separate' },
  ...(['admin', 'user'] as const).map(
    (type): ProjectPlan => ({
      name: `contract-${type}`,
      tier: 'platform',
      include: [files('contract')],
      exclude: [
        // What is said of the document alone, without a portal, is said once.
        'test/contract/{rows,document/{descriptions,document,document-rules,owasp}}.test.ts',
        // A type leaves operations out. Bad input is sent to both databases, not to each type.
        ...(type === 'admin' ? ['test/contract/generated/bad-input.test.ts'] : []),
      ],
      database: true,
      modules: 'shared',
      // The embedded database serves one of them.
      env: { PORTAL_TYPE: type, BAD_INPUT_RUNS: '3', ...(type === 'user' && { TEST_DATABASE: 'embedded' }) },
    }),
  ),
];
