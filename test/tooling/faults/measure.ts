import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { TierName } from '../run/tiers.ts';
import { type Candidates, candidatesOf } from './candidates.ts';
import { type Fault, switchModule, switchPath } from './plant.ts';

const usage = `measure.ts <folder> [--heavy] [--fault N …]
  <folder>  a copy of the tree with the faults (tree.ts), in which a run was recorded (test:all -- --record)
  --heavy   pages and platform, for the faults that the fast tier has not caught
  --fault   only these faults`;

/** How a fault was caught; `test` is undefined if no test of the tiers so far failed. */
type Outcome = { tier: TierName; test?: string; files: number; seconds: number };
type Outcomes = Record<string, Outcome>;

/** Two at once, each with one worker, on two processors. */
const atOnce = 2;
/** Files of one run: most faults are caught by the first ones, and each run loads the portal. */
const batches = [3, 8, 24, Number.POSITIVE_INFINITY];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { heavy: { type: 'boolean' }, fault: { type: 'string', multiple: true } },
});
const [folder] = positionals;
if (!folder) throw new Error(usage);

const file = join(folder, '.cache/test/faults.json');
const outcomes: Outcomes = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const faults: Fault[] = JSON.parse(readFileSync(new URL('faults.json', import.meta.url), 'utf8'));
const wanted = faults.filter(({ id }) => !values.fault || values.fault.includes(String(id)));
const candidates = candidatesOf(folder, faults);

if (values.heavy) await measureHeavy(folder);
else await Promise.all(Array.from({ length: atOnce }, () => measureFast(folder)));

/** Takes the next fault until none is left. */
async function measureFast(tree: string): Promise<void> {
  for (let fault = wanted.shift(); fault; fault = wanted.shift()) {
    if (outcomes[fault.id] && !values.fault) continue;
    const outcome = await firstFailure(tree, fault, candidates.get(fault.id) ?? { fast: [], others: [] });
    outcomes[fault.id] = outcome;
    writeFileSync(file, JSON.stringify(outcomes, null, 2));
    process.stdout.write(
      `${fault.id} ${fault.path}: ${outcome.test ?? `not caught by ${outcome.files} files`}\n`,
    );
  }
}

async function firstFailure(tree: string, { id }: Fault, { fast }: Candidates): Promise<Outcome> {
  const started = performance.now();
  const left = [...fast];
  let files = 0;
  let test: string | undefined;
  for (const size of batches) {
    const batch = left.splice(0, size);
    if (test !== undefined || batch.length === 0) break;
    files += batch.length;
    test = await failureIn(tree, batch, { PLANTED_FAULTS: String(id) });
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  return { tier: 'fast', ...(test !== undefined && { test }), files, seconds };
}

/**
 * All faults that are left are active at once: files that pass catch none of them. Each file that fails runs again with one
 * fault at a time. The numbers are in the module, because pages and Workers have no variables.
 */
async function measureHeavy(tree: string): Promise<void> {
  const left = wanted.filter(({ id }) => outcomes[id]?.test === undefined);
  const others = [...new Set(left.flatMap(({ id }) => candidates.get(id)?.others ?? []))];
  const failing = await failuresIn(
    tree,
    others,
    left.map(({ id }) => id),
  );
  for (const { id, path } of left) {
    const started = performance.now();
    const files = failing.filter((one) => candidates.get(id)?.others.includes(one));
    let test: string | undefined;
    for (const one of files) test ??= (await failuresIn(tree, [one], [id]))[0];
    const tier = test?.startsWith('test/pages/') ? 'pages' : 'platform';
    const seconds = Math.round((performance.now() - started) / 1000);
    outcomes[id] = { tier, ...(test !== undefined && { test }), files: others.length, seconds };
    writeFileSync(file, JSON.stringify(outcomes, null, 2));
    process.stdout.write(`${id} ${path}: ${test ?? 'not caught'}\n`);
  }
}

async function failuresIn(
  tree: string,
  files: readonly string[],
  active: readonly number[],
): Promise<string[]> {
  if (files.length === 0) return [];
  writeFileSync(join(tree, switchPath), switchModule(active));
  const found = await failedFiles(tree, files, {}, []);
  writeFileSync(join(tree, switchPath), switchModule([]));
  return found;
}

const failureIn = async (tree: string, files: readonly string[], env: NodeJS.ProcessEnv) =>
  (await failedFiles(tree, files, env, ['--bail', '1', '--maxWorkers', '1']))[0];

/** Runs test files. @returns those that failed */
async function failedFiles(
  tree: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  options: readonly string[],
): Promise<string[]> {
  const report = join(mkdtempSync(join(tmpdir(), 'faults-')), 'report.json');
  const args = ['shared/tooling/launch.mjs', 'test/tooling/run/main.ts', 'fast', ...files, ...options];
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
