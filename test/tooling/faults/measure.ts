import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readMap } from '../map/test-map.ts';
import { type TierName, tierNames } from '../run/tiers.ts';
import { type Candidates, candidatesOf, tierOf } from './candidates.ts';
import { type Outcome, readOutcomes, writeOutcomes } from './outcomes.ts';
import { type Fault, switchModule, switchPath } from './plant.ts';

const usage = `measure.ts <folder> [--rest | --likely <file>] [--fault N …]
  <folder>  a copy of the tree with the faults (tree.ts); its fast tier is recorded first
  --rest    all tests of all tiers, for the faults that the cheapest tests of the fast tier have not caught
  --likely  only tests that a person expects to catch them: test files of any tier by fault, as JSON
  --fault   only these faults`;

/** Two at once, each with one worker, on two processors. */
const atOnce = 2;
/**
 * CPU seconds of the files of one run: most faults are caught by the first ones, and each run loads the portal. Files that are left
 * after the last one are cheaper for all faults at once.
 */
const batches = [6, 20];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rest: { type: 'boolean' },
    likely: { type: 'string' },
    fault: { type: 'string', multiple: true },
  },
});
const [folder] = positionals;
if (!folder) throw new Error(usage);

const outcomes = readOutcomes(folder);
const faults: Fault[] = JSON.parse(readFileSync(new URL('faults.json', import.meta.url), 'utf8'));
const wanted = faults.filter(({ id }) => !values.fault || values.fault.includes(String(id)));
/** Tests of the written sources fail in the copy without any fault. */
const unfit: Set<string> = new Set(await unfitTests(folder));
let candidates = candidatesOf(folder, faults);
const costs = readMap(join(folder, '.cache/test/map.json.gz'));
const candidateCost = (file: string): number => costs?.get(file)?.cpuSeconds ?? 0;

if (values.likely) await measureLikely(folder, JSON.parse(readFileSync(values.likely, 'utf8')));
else if (values.rest) await measureRest(folder);
else await Promise.all(Array.from({ length: atOnce }, () => measureCheapest(folder)));

/** Test files that fail without a fault. The run is recorded. */
async function unfitTests(tree: string): Promise<string[]> {
  const file = join(tree, '.cache/test/unfit.json');
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await failuresIn(tree, [], [])));
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Takes the next fault until none is left. */
async function measureCheapest(tree: string): Promise<void> {
  for (let fault = wanted.shift(); fault; fault = wanted.shift()) {
    if (outcomes[fault.id] && !values.fault) continue;
    const outcome = await firstFailure(tree, fault, candidates.get(fault.id) ?? { fast: [], others: [] });
    outcomes[fault.id] = outcome;
    writeOutcomes(tree, outcomes);
    process.stdout.write(
      `${fault.id} ${fault.path}: ${outcome.test ?? `not caught by ${outcome.files} files`}\n`,
    );
  }
}

async function firstFailure(tree: string, { id }: Fault, { fast }: Candidates): Promise<Outcome> {
  const started = performance.now();
  const left = fast.filter((test) => !unfit.has(test));
  let files = 0;
  let test: string | undefined;
  for (const cpuSeconds of batches) {
    const batch = left.splice(0, countWithin(left, cpuSeconds));
    if (test !== undefined) break;
    if (batch.length === 0) continue;
    files += batch.length;
    test = await failureIn(tree, batch, { PLANTED_FAULTS: String(id) });
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  return { tier: 'fast', ...(test !== undefined && { test }), files, seconds };
}

/** How many of the files, which need no more than these CPU seconds together. */
function countWithin(files: readonly string[], cpuSeconds: number): number {
  let rest = cpuSeconds;
  const end = files.findIndex((file) => {
    rest -= candidateCost(file);
    return rest < 0;
  });
  return end < 0 ? files.length : end;
}

/**
 * All faults that are left are active at once, in a run of everything: files that pass catch none of them. Each file that fails
 * runs again with one fault at a time, first with those that it reaches. The numbers are in the module, because pages and
 * Workers have no variables.
 */
async function measureRest(tree: string): Promise<void> {
  const left = wanted.filter(({ id }) => outcomes[id]?.test === undefined);
  const suspect: string[] = [];
  for (const tier of tierNames) suspect.push(...(await failuresIn(tree, [], left, tier)));
  const fit = suspect.filter((test) => !unfit.has(test));
  const without = new Set(fit.length === 0 ? [] : await failuresIn(tree, fit, []));
  const failing = fit.filter((test) => !without.has(test));
  process.stdout.write(`files that fail without a fault: ${[...without].join(' ') || 'none'}\n`);
  candidates = candidatesOf(tree, faults);
  process.stdout.write(`with ${left.length} faults ${failing.length} files failed: ${failing.join(' ')}\n`);
  const explained = new Set<string>();
  for (const isUnknown of [false, true])
    for (const fault of left) await measureAlone(tree, fault, failing, explained, isUnknown);
  const open = failing.filter((file) => !explained.has(file));
  process.stdout.write(`files that fail with none of the faults alone: ${open.join(' ') || 'none'}\n`);
}

/** Runs the named tests with each fault that is left, alone, until one fails. */
async function measureLikely(tree: string, likely: Record<string, string[]>): Promise<void> {
  for (const fault of wanted) {
    const { id, path } = fault;
    const files = (likely[id] ?? []).filter((test) => !unfit.has(test));
    if (files.length === 0 || outcomes[id]?.test !== undefined) continue;
    const started = performance.now();
    const { test, runs } = await firstOf(tree, files, fault);
    note(tree, fault, { ...(test !== undefined && { test }), runs, started });
    process.stdout.write(`${id} ${path}: ${test ?? `not caught by ${files.length} likely files`}\n`);
  }
}

/** Adds runs of one fault alone to its outcome. */
function note(
  tree: string,
  { id }: Fault,
  { test, runs, started, isUnknown = false }: Runs & { started: number; isUnknown?: boolean },
): void {
  const seconds = Math.round((performance.now() - started) / 1000);
  const tier = test === undefined ? 'platform' : tierOf(test);
  outcomes[id] = {
    ...{ tier, files: (outcomes[id]?.files ?? 0) + runs, seconds: (outcomes[id]?.seconds ?? 0) + seconds },
    ...(test !== undefined && { test, ...(isUnknown && { isUnknown }) }),
  };
  writeOutcomes(tree, outcomes);
}

/** Runs files that failed with all faults with one of them, until one fails. @param explained files that need no reason any more */
async function measureAlone(
  tree: string,
  fault: Fault,
  failing: readonly string[],
  explained: Set<string>,
  isUnknown: boolean,
): Promise<void> {
  const { id, path } = fault;
  if (outcomes[id]?.test !== undefined) return;
  const { fast = [], others = [] } = candidates.get(id) ?? {};
  const reaching = new Set([...fast, ...others]);
  const files = failing.filter(
    (file) => reaching.has(file) !== isUnknown && !(isUnknown && explained.has(file)),
  );
  const started = performance.now();
  const { test, runs } = await firstOf(tree, files, fault);
  // The other files that reach this fault may have failed by it.
  if (test !== undefined) for (const file of isUnknown ? [test] : files) explained.add(file);
  note(tree, fault, { ...(test !== undefined && { test }), runs, started, isUnknown });
  process.stdout.write(`${id} ${path}: ${test ?? 'not caught'}\n`);
}

/** Runs the files one after the other with one fault. @returns the first one that fails, and how many were run */
type Runs = { test?: string; runs: number };

async function firstOf(tree: string, files: readonly string[], fault: Fault): Promise<Runs> {
  for (const [at, file] of files.entries()) {
    const [test] = await failuresIn(tree, [file], [fault]);
    if (test !== undefined) return { test, runs: at + 1 };
  }
  return { runs: files.length };
}

async function failuresIn(
  tree: string,
  files: readonly string[],
  active: readonly Fault[],
  tier: TierName = 'fast',
): Promise<string[]> {
  writeFileSync(join(tree, switchPath), switchModule(active.map(({ id }) => id)));
  const options = { 0: ['--record'], 1: ['--bail', '1'] }[files.length] ?? [];
  const found = await failedFiles(tree, files, {}, options, tier);
  writeFileSync(join(tree, switchPath), switchModule([]));
  return found;
}

async function failureIn(
  tree: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  return (await failedFiles(tree, files, env, ['--bail', '1', '--maxWorkers', '1']))[0];
}

/** Runs test files, or a whole tier. @returns those that failed */
async function failedFiles(
  tree: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  options: readonly string[],
  tier: TierName = 'fast',
): Promise<string[]> {
  const report = join(mkdtempSync(join(tmpdir(), 'faults-')), 'report.json');
  const args = ['shared/tooling/launch.mjs', 'test/tooling/run/main.ts', tier, ...files, ...options];
  const child = spawn(process.execPath, [...args, '--reporter=json', `--outputFile=${report}`], {
    cwd: tree,
    env: { ...process.env, ...env, TEST_ORDER: 'cheapest', REQUIRE_SERVICES: '1', NO_COLOR: '1' },
    stdio: 'ignore',
  });
  await new Promise((resolve) => child.once('exit', resolve));
  // A run that crashed has no report: the fault was noticed by its first file.
  if (!existsSync(report)) return files.slice(0, 1);
  const { testResults }: { testResults: { name: string; status: string }[] } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => name.slice(tree.length + 1));
}
