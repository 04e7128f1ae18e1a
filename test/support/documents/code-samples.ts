import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { buildClient } from '../../../shared/tooling/build/client-package.ts';

export type Language = 'curl' | 'TypeScript' | 'Python';
export type Sample = { id: string; label: Language; source: string };
export type Run = { id: string; env: Record<string, string> };
/** The status is 0 for a success of a program that does not print it, or the HTTP status. */
export type Outcome = { id: string; status: number; output: string };

export type SampleFolder = {
  /** The syntax errors of the shell, the compiler and Python; empty for none. */
  syntaxFaults(language: Language): Promise<string>;
  /** Runs samples in order, with the variables that each needs. */
  run(language: Language, runs: readonly Run[]): Promise<Outcome[]>;
  remove(): Promise<void>;
};

const exec = promisify(execFile);
const support = fileURLToPath(new URL('.', import.meta.url));
const endings: Record<Language, string> = { curl: 'sh', TypeScript: 'mts', Python: 'py' };
const tsc = join(root, 'node_modules/.bin/tsc');

/** Writes every sample to a separate file, in a project with the packed client. */
export async function writeSamples(samples: readonly Sample[]): Promise<SampleFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-samples-'));
  const fileOf = (id: string, language: Language) => join(folder, language, `${id}.${endings[language]}`);
  for (const language of Object.keys(endings)) await mkdir(join(folder, language));
  for (const { id, label, source } of samples) await writeFile(fileOf(id, label), source);
  await buildClient(join(folder, 'node_modules/aggregator-portal'));
  // curl prints the status on a separate line.
  await writeFile(join(folder, '.curlrc'), 'silent\nwrite-out = "\\n%{http_code}"\n');

  const check: Record<Language, () => Promise<unknown>> = {
    curl: () =>
      exec('bash', ['-c', 'for file in curl/*; do bash -n "$file" || exit 1; done'], { cwd: folder }),
    Python: () => exec('bash', ['-c', 'python3 -m py_compile Python/*.py'], { cwd: folder }),
    TypeScript: () =>
      exec('bash', ['-c', `${tsc} ${compilerOptions.join(' ')} TypeScript/*.mts`], { cwd: folder }),
  };
  const runCurl = async ({ id, env }: Run): Promise<Outcome> => {
    const all = { ...process.env, ...env, CURL_HOME: folder };
    const options = { cwd: folder, env: all, maxBuffer: 1e8 };
    const { stdout } = await exec('bash', [fileOf(id, 'curl')], options);
    const at = stdout.lastIndexOf('\n');
    return { id, status: Number(stdout.slice(at + 1)), output: stdout.slice(0, at) };
  };
  return {
    syntaxFaults: (language) =>
      check[language]().then(
        () => '',
        (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`,
      ),
    run: async (language, runs) => {
      const [first] = runs;
      if (!first) return [];
      if (language === 'curl') return inTurn(runs, runCurl);
      const program =
        language === 'Python'
          ? ['python3', join(support, 'run-samples.py')]
          : [process.execPath, join(support, 'run-samples.mjs')];
      const files = runs.map(({ id, env }) => ({
        id,
        env,
        file: fileOf(id, language).replace(/\.mts$/, '.mjs'),
      }));
      return runAll(program, files, first.env);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const compilerOptions = [
  ...['--ignoreConfig', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext'],
  ...['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')],
];

async function inTurn(runs: readonly Run[], work: (run: Run) => Promise<Outcome>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const run of runs) outcomes.push(await work(run));
  return outcomes;
}

/** One process for all of them. */
async function runAll(
  [program = '', ...args]: readonly string[],
  files: readonly object[],
  env: Record<string, string>,
): Promise<Outcome[]> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify(files));
  const [output, faults] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const outcomes = output
    .split('\n')
    .filter(Boolean)
    .map((line): Outcome => JSON.parse(line));
  if (outcomes.length < files.length) throw new Error(`${program} ended early: ${faults.slice(-2_000)}`);
  return outcomes;
}
