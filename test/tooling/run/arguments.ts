import { type TierName, tierNames } from './tiers.ts';

/** What one command runs. */
export type RunRequest = {
  tier: TierName | 'all';
  /** Runs again when a file changes. */
  watch: boolean;
  /** Runs the tests that execute what has changed since this revision, of all tiers. */
  affectedSince: string | undefined;
  /** Records which sources each test file executes. */
  record: boolean;
  help: boolean;
  /** Paths of test files, or parts of them: then the tier does not matter. */
  paths: readonly string[];
  /** For vitest. */
  options: readonly string[];
};

export const usage = `npm test                      the fast tier
npm test -- <path>            test files whose path contains the text, of any tier
npm test -- -t <title>        tests whose title matches
npm test -- --watch [<path>]  again at each change
npm test -- --affected[=REV]  what executes the files that changed since REV (default: HEAD), of all tiers
npm run test:pages            the pages in browsers
npm run test:platform         started programs, foreign servers, Workers, Lambda
npm run test:all              everything, as in CI
  --record                    records the map of tests and sources, which --affected reads
Other options are those of vitest.
`;

/** Options of vitest in use that have a value of their own. */
const withValue = new Set([
  '-t',
  '--testNamePattern',
  '--project',
  '--maxWorkers',
  '--reporter',
  '--outputFile',
  '--shard',
  '--bail',
  '--exclude',
]);

/** @throws Error if the first argument is not the name of a tier */
export function parseArguments([tier, ...given]: readonly string[]): RunRequest {
  if (tier !== 'all' && !isTier(tier))
    throw new Error(`${tier}: the first argument is one of ${tierNames.join(', ')}, all`);
  const request: RunRequest = {
    tier,
    watch: given.some((one) => one === '--watch' || one === '-w'),
    affectedSince: sinceIn(given),
    record: given.includes('--record'),
    help: given.some((one) => one === '--help' || one === '-h'),
    paths: [],
    options: [],
  };
  const own = new Set(['--watch', '-w', '--record', '--help', '-h']);
  const rest = given.filter((one) => !own.has(one) && !/^--affected(?:=|$)/.test(one));
  const isValue = (at: number) => withValue.has(rest[at - 1] ?? '');
  const isPath = (one: string, at: number) => !one.startsWith('-') && !isValue(at);
  return { ...request, paths: rest.filter(isPath), options: rest.filter((one, at) => !isPath(one, at)) };
}

const isTier = (name: string | undefined): name is TierName => tierNames.some((one) => one === name);

function sinceIn(given: readonly string[]): string | undefined {
  const option = given.find((one) => /^--affected(?:=|$)/.test(one));
  return option === undefined ? undefined : option.slice('--affected='.length) || 'HEAD';
}
