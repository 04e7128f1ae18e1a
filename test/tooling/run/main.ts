import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { parseCLI, startVitest } from 'vitest/node';
import { testCache } from '../../support/runner/cache.ts';
import { affectedTests } from '../map/affected.ts';
import { updateMap } from '../map/update.ts';
import { runAll } from './all.ts';
import { parseArguments, type RunRequest, usage } from './arguments.ts';
import { projects, type TierName } from './tiers.ts';

/**
 * `npm test`, `npm run test:pages`, `test:platform` and `test:all`. The first argument names the tier; further ones are those
 * of `usage` and of vitest.
 */
async function main(): Promise<void> {
  const request = parseArguments(process.argv.slice(2));
  if (request.help) return void process.stdout.write(usage);
  if (request.tier === 'all') process.exitCode = await runAll(request);
  else if (request.record) await recorded(() => run(request));
  else await run(request);
}

async function run(request: RunRequest): Promise<void> {
  const filters = await filtersOf(request);
  if (filters === undefined) return void process.stdout.write('0 passed, 0 failed\n');
  const tier = request.tier === 'all' ? undefined : request.tier;
  const isWhole = filters.length === 0;
  const args = [
    ...['vitest', request.watch ? 'watch' : 'run', '--config', 'test/vitest.config.ts'],
    ...(hasProjects(request.options) ? [] : isWhole ? projectsOf(tier) : oncePerFile),
    ...filters,
    // Last: an option with an optional value, such as `-u`, would take a path for it.
    ...request.options,
  ];
  if (isWhole && tier === 'fast' && !hasProjects(request.options)) process.env.TEST_HINT = hint;
  if (request.affectedSince !== undefined) process.env.TEST_ORDER = 'cheapest';
  if (request.watch) process.env.TEST_WATCH = '1';
  const { filter, options } = parseCLI(args);
  const vitest = await startVitest('test', filter, options);
  if (!request.watch) await vitest?.close();
}

const hint = 'The other tiers: npm run test:pages, npm run test:platform; everything: npm run test:all';

/** Paths for vitest; none of them: the whole tier. Undefined: nothing is affected. */
async function filtersOf({ paths, affectedSince }: RunRequest): Promise<readonly string[] | undefined> {
  if (affectedSince === undefined) return paths;
  const { files, reasons } = await affectedTests(affectedSince);
  for (const reason of reasons) process.stdout.write(`${reason}\n`);
  return files.length === 0 ? undefined : files;
}

const projectsOf = (tier: TierName | undefined): string[] =>
  projects.filter((plan) => plan.tier === tier).flatMap(({ name }) => ['--project', name]);

/** Files of the contract run on the universal portal only, unless the projects are named. */
const oncePerFile = ['--project', '!contract-*'];
const hasProjects = (options: readonly string[]): boolean =>
  options.some((option) => /^(?:--project\b|-p$)/.test(option));

/** Keeps the sources that each test file executes, for `--affected`. */
async function recorded(work: () => Promise<void>): Promise<void> {
  const isPart = process.env.TEST_MAP_FOLDER !== undefined;
  mkdirSync(testCache, { recursive: true });
  const folder = process.env.TEST_MAP_FOLDER ?? mkdtempSync(join(testCache, 'recording-'));
  process.env.TEST_MAP_FOLDER = folder;
  process.env.WEB_SOURCE_MAPS = '1';
  await work();
  if (!isPart) await updateMap(folder);
}

await main();
