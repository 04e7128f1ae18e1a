import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Tool = { name: string; command: readonly string[] };
type Outcome = { name: string; isGood: boolean; seconds: string; output: string };

const root = fileURLToPath(new URL('../..', import.meta.url));
const programs = join(root, 'node_modules', '.bin');
const buildInfo = join(root, 'node_modules', '.cache', 'tsc.tsbuildinfo');

const tools: readonly Tool[] = [
  { name: 'format and lint', command: ['biome', 'ci', '--error-on-warnings'] },
  {
    name: 'types',
    // The programs share two processors, and more checkers would repeat each other's work. Results for unchanged
    // files come from the incremental cache.
    command: ['tsc', '--noEmit', '--checkers', '2', '--incremental', '--tsBuildInfoFile', buildInfo],
  },
  { name: 'types of pages', command: ['tsc', '--noEmit', '--project', 'shared/web'] },
  { name: 'OpenAPI', command: ['node', 'shared/tooling/document/lint.ts'] },
  {
    name: 'structure',
    command: ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'structure'],
  },
];

/** `npm run check`: all checks that need no database, in parallel. The output of failed checks is shown. */
const outcomes = await Promise.all(tools.map(run));
for (const outcome of outcomes) process.stdout.write(reportOf(outcome));
process.exitCode = outcomes.every(({ isGood }) => isGood) ? 0 : 1;

function run({ name, command: [program = '', ...args] }: Tool): Promise<Outcome> {
  const start = performance.now();
  const child = spawn(join(programs, program), args, {
    cwd: root,
    // The programs find Node on the search path, which must be the Node of this project.
    env: { ...process.env, PATH: [programs, process.env.PATH].filter(Boolean).join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const note = (text: string) => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', note);
  child.stderr.setEncoding('utf8').on('data', note);
  return new Promise((resolve) => {
    const finish = (isGood: boolean) =>
      resolve({ name, isGood, seconds: ((performance.now() - start) / 1000).toFixed(1), output });
    child.once('error', (error) => {
      note(`${error.message}\n`);
      finish(false);
    });
    child.once('close', (code) => finish(code === 0));
  });
}

function reportOf({ name, isGood, seconds, output }: Outcome): string {
  const verdict = `${isGood ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`;
  return isGood ? verdict : `${output.trimEnd()}\n${verdict}`;
}
