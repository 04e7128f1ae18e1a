import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheFolder } from '../../../shared/tooling/check/records.ts';
import { type Extent, type Outcome, runChecks } from '../../../shared/tooling/check/run.ts';
import { type Checks, checksOf, type Tool } from '../../../shared/tooling/check/tools.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'aggregator-check-'));
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  await write('.gitignore', '.cache/\n');
});

afterEach(() => rm(root, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

/** What each tool found. */
const verdicts = (outcomes: readonly Outcome[]): Record<string, string> =>
  Object.fromEntries(
    outcomes.map(({ name, isGood, isUnchanged }) => [
      name,
      isUnchanged ? 'unchanged' : isGood ? 'good' : 'bad',
    ]),
  );

describe('the record of a run without errors', () => {
  /** Fails if a file contains `bad`. */
  const search: Tool = {
    name: 'search',
    reads: (path) => path.endsWith('.txt'),
    command: () => [
      'node',
      '-e',
      "const fs = require('node:fs'); for (const name of fs.readdirSync('.').filter((one) => one.endsWith('.txt'))) if (fs.readFileSync(name, 'utf8').includes('bad')) process.exitCode = 1;",
    ],
  };
  const checks: Checks = {
    lanes: [[search]],
    buildInfo: [],
    configures: (path) => path === 'settings.json',
  };
  const run = async (extent: Extent = 'changed') => verdicts(await runChecks(root, checks, extent)).search;

  beforeEach(() => write('a.txt', 'good'));

  it('skips a tool until a file that it reads changes', async () => {
    expect(await run()).toBe('good');
    expect(await run()).toBe('unchanged');
    await write('b.md', 'not read');
    expect(await run()).toBe('unchanged');
    await write('b.txt', 'good');
    expect(await run()).toBe('good');
    await rm(join(root, 'b.txt'));
    expect(await run()).toBe('good');
  });

  it('is not written after an error, also if the file was good before', async () => {
    expect(await run()).toBe('good');
    await write('a.txt', 'bad');
    expect([await run(), await run()]).toEqual(['bad', 'bad']);
    await write('a.txt', 'good');
    expect(await run()).toBe('unchanged');
    await write('a.txt', 'bad');
    expect(await run()).toBe('bad');
  });

  it('does not count with another configuration', async () => {
    expect(await run()).toBe('good');
    await write('settings.json', '{}');
    expect(await run()).toBe('good');
    expect(await run()).toBe('unchanged');
  });

  it('does not count if it is damaged', async () => {
    expect(await run()).toBe('good');
    await writeFile(join(cacheFolder(root), 'search.json'), '{"configuration":');
    expect(await run()).toBe('good');
  });

  it('is neither read nor written by a fresh run, and not read by a run of everything', async () => {
    expect(await run('fresh')).toBe('good');
    expect(existsSync(join(cacheFolder(root), 'search.json'))).toBe(false);
    expect(await run()).toBe('good');
    expect(await run('fresh')).toBe('good');
    expect([await run('all'), await run('all'), await run()]).toEqual(['good', 'good', 'unchanged']);
  });

  it('is not written if a file changes during the run', async () => {
    const edit = {
      ...search,
      command: () => ['node', '-e', "require('node:fs').writeFileSync('a.txt', 'new')"],
    };
    const editing = { ...checks, lanes: [[edit]] };
    expect(verdicts(await runChecks(root, editing, 'changed'))).toEqual({ search: 'good' });
    expect(await run()).toBe('good');
  });
});

describe('the linter', () => {
  const options = {
    target: 'ES2025',
    module: 'NodeNext',
    types: [],
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  const configuration = {
    files: { includes: ['**', '!generated.ts'] },
    linter: { rules: { nursery: { noFloatingPromises: 'error' } } },
  };

  /** The compiler and the linter as in the project, with a copy of their output. */
  async function run(): Promise<{ lint: string | undefined; output: string }> {
    const { lanes, ...others } = checksOf(root);
    const outcomes = await runChecks(root, { ...others, lanes: lanes.slice(0, 1) }, 'changed');
    const lint = outcomes.find(({ name }) => name === 'format and lint');
    expect(outcomes.filter(({ name, isGood }) => name.startsWith('types') && !isGood)).toEqual([]);
    return {
      lint: verdicts(outcomes)['format and lint'],
      output: stripVTControlCharacters(lint?.output ?? ''),
    };
  }

  beforeEach(async () => {
    await write('biome.json', `${JSON.stringify(configuration, null, '\t')}\n`);
    await write('package.json', '{ "type": "module" }\n');
    await write('tsconfig.json', JSON.stringify({ compilerOptions: options, include: ['*.ts'] }, null, '\t'));
    await write(
      'shared/web/tsconfig.json',
      JSON.stringify({ extends: '../../tsconfig.json', include: ['.'] }, null, '\t'),
    );
    execFileSync(join(import.meta.dirname, '../../../node_modules/.bin/biome'), ['format', '--write'], {
      cwd: root,
      stdio: 'ignore',
    });
    await write('shared/web/page.ts', 'export const page = 1;\n');
    await write('deep.ts', 'export function deep() {\n\treturn 1;\n}\n');
    await write('middle.ts', 'import { deep } from "./deep.ts";\n\nexport const middle = () => deep();\n');
    await write('outer.ts', 'import { middle } from "./middle.ts";\n\nmiddle();\n');
    expect((await run()).lint).toBe('good');
  }, 60_000);

  it('finds an error in a changed file, skips unchanged ones, and finds the error again', async () => {
    expect((await run()).lint).toBe('unchanged');
    const [good, bad] = [await readFile(join(root, 'deep.ts'), 'utf8'), 'export let deep = () => 1;\n'];
    await write('deep.ts', bad);
    expect(await run()).toMatchObject({ lint: 'bad', output: expect.stringContaining('useConst') });
    expect((await run()).lint).toBe('bad');
    await write('deep.ts', good);
    expect((await run()).lint).toBe('unchanged');
    await write('deep.ts', bad);
    expect((await run()).lint).toBe('bad');
  }, 60_000);

  it('finds an error in an unchanged file, whose import has another type through a third file', async () => {
    await write('deep.ts', 'export async function deep() {\n\treturn 1;\n}\n');
    expect(await run()).toMatchObject({
      lint: 'bad',
      output: expect.stringMatching(/outer\.ts:3:1 .*lint\/nursery\/noFloatingPromises/),
    });
  }, 60_000);

  it('checks only changed files if their declarations are as before', async () => {
    await write('deep.ts', 'export function deep() {\n\treturn 2;\n}\n');
    // An error in a file that is recorded without one is found only by a run that reads the file.
    const record = join(cacheFolder(root), 'format-and-lint.json');
    const bad = 'import { middle } from "./middle.ts";\n\nlet a = middle();\n';
    await write('outer.ts', bad);
    const green = JSON.parse(await readFile(record, 'utf8'));
    green.inputs['outer.ts'] = createHash('sha256').update(bad).digest('hex');
    await writeFile(record, JSON.stringify(green));
    expect((await run()).lint).toBe('good');
  }, 60_000);

  it('accepts a change of a file that the configuration excludes', async () => {
    await write('generated.ts', 'export let a=1\n');
    expect((await run()).lint).toBe('good');
  }, 60_000);
});
