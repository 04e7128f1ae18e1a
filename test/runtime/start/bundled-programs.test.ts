import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../../shared/tooling/programs.mjs';
import { endOf, outputOf } from '../../support/processes/output.ts';
import { programVariables } from '../../support/program-variables.ts';

let copy: string;
const cache = () => join(copy, 'node_modules', '.cache', 'aggregator', 'programs');
const admin = 'shared/tooling/admin/admin.ts';

/** A copy of the sources, which the tests change, with the packages of this tree. */
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'programs-'));
  for (const path of ['db', 'functions', 'shared', 'package.json', 'package-lock.json'])
    cpSync(join(root, path), join(copy, path), { recursive: true, preserveTimestamps: true });
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')).filter((entry) => entry !== '.cache'))
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const launch = (args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess =>
  spawn(process.execPath, ['shared/tooling/launch.mjs', ...args], {
    cwd: copy,
    env: { ...programVariables, HOME: process.env.HOME, ...env },
  });

const run = (args: readonly string[], env?: NodeJS.ProcessEnv) => endOf(launch(args, env));

function changeUsage(from: string, to: string): void {
  const file = join(copy, admin);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

describe('a bundled program', { timeout: 60_000 }, () => {
  it('is built by its first start and reused by later ones', async () => {
    const first = await run([admin, '--help']);
    expect(first).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('usage: npm run admin'),
    });
    const [folder = ''] = readdirSync(cache());
    writeFileSync(join(cache(), folder, 'shared/tooling/admin/admin.mjs'), 'console.log("the bundle");');
    expect((await run([admin, '--help'])).stdout).toBe('the bundle\n');
  });

  it('is built again when a source has changed, and keeps the bundle that a running process uses', async () => {
    changeUsage('usage: npm run admin', 'changed: npm run admin');
    expect((await run([admin, '--help'])).stdout).toMatch(/^changed: npm run admin/);
    expect(readdirSync(cache())).toHaveLength(2);
  });

  it('is complete when several starts build it concurrently', async () => {
    changeUsage('changed: npm run admin', 'together: npm run admin');
    const all = await Promise.all(Array.from({ length: 4 }, () => run([admin, '--help'])));
    for (const one of all)
      expect(one).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^together: /) });
    expect(readdirSync(cache()).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('finds the files beside its sources, and reports errors at their lines', async () => {
    const { code, stderr } = await run([admin, 'unlock', 'builtin/admin'], {
      DATABASE_URL: 'postgres://unused@127.0.0.1:1/nothing',
      SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
      LOG_LEVEL: 'debug',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^ {4}at .*\(?[^ ]*\/shared\/tooling\/admin\/\w+\.ts:\d+:\d+\)?$/m);
  });

  it('runs from its sources if the bundle cannot be written', async () => {
    rmSync(cache(), { recursive: true });
    writeFileSync(cache(), 'a file instead of a folder');
    const { code, stdout, stderr } = await run([admin, '--help']);
    expect([code, stdout.split(':')[0]]).toEqual([0, 'together']);
    expect(stderr).toMatch(/The bundle cannot be built; the program runs from its sources\n$/);
    rmSync(cache());
  });

  it('runs from its sources with --watch, and restarts when they change', async () => {
    const child = launch([admin, '--help', '--watch']);
    const closed = once(child, 'close');
    const output = outputOf(child);
    await expect.poll(() => output.stdout, { timeout: 20_000 }).toMatch(/together: [\s\S]*Completed running/);
    changeUsage('together: npm run admin', 'watched: npm run admin');
    await expect.poll(() => output.stdout, { timeout: 20_000 }).toContain('watched: npm run admin');
    child.kill('SIGTERM');
    await closed;
    expect(existsSync(cache())).toBe(false);
  });
});
