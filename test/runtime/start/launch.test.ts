import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endOf, type ProcessEnd } from '../../support/processes/output.ts';

const tooling = fileURLToPath(new URL('../../../shared/tooling/', import.meta.url));

function copyLauncher(root: string): void {
  for (const name of ['launch.mjs', 'programs.mjs', 'end-with-npm.mjs', 'attach-to-npm.mjs'])
    cpSync(join(tooling, name), join(root, 'shared/tooling', name), { recursive: true });
}

/** A small project with the launcher; its packages are folders, so that npm needs no network. */
function makeProject(root: string): void {
  const write = (path: string, content: unknown) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  copyLauncher(root);
  const devDependencies = { node: 'file:packages/node', tool: 'file:packages/tool' };
  const link = (name: string) => ({ resolved: `packages/${name}`, link: true });
  const facts = (name: string) => ({ name, version: '1.0.0', bin: { [name]: `${name}.js` } });
  const scripts = { wait: 'node shared/tooling/launch.mjs wait.ts' };
  write('package.json', { name: 'project', version: '1.0.0', type: 'module', scripts, devDependencies });
  write('package-lock.json', {
    name: 'project',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'project', version: '1.0.0', devDependencies },
      'node_modules/node': link('node'),
      'node_modules/tool': link('tool'),
      'packages/node': { ...facts('node'), dev: true },
      'packages/tool': { ...facts('tool'), dev: true },
    },
  });
  write('packages/node/package.json', facts('node'));
  write('packages/node/node.js', `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  chmodSync(join(root, 'packages/node/node.js'), 0o755);
  write('packages/tool/package.json', facts('tool'));
  write(
    'packages/tool/tool.js',
    `console.log('tool', process.versions.node.split('.')[0], ...process.argv.slice(2))`,
  );
  write(
    'show.ts',
    'const args: string[] = process.argv.slice(2); console.log(JSON.stringify({ args, cwd: process.cwd() }));',
  );
  write('code.ts', 'process.exit(Number(process.argv[2]));');
  write(
    'wait.ts',
    `process.on('SIGTERM', () => process.exit(42)); console.log('up'); setInterval(() => {}, 1e6);`,
  );
  write('crash.ts', `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1e6);`);
}

describe('launch.mjs', () => {
  let root: string;
  const launch = (args: string[], cwd = root): ChildProcess =>
    spawn(process.execPath, [join(root, 'shared/tooling/launch.mjs'), ...args], { cwd });
  const run = (args: string[], cwd?: string): Promise<ProcessEnd> => endOf(launch(args, cwd));

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'launch-'));
    makeProject(root);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('installs once for concurrent starts, reports it on standard error, and writes nothing to standard output', async () => {
    const [first, second] = await Promise.all([run(['show.ts', '--json', 'a b']), run(['show.ts'])]);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(JSON.parse(first.stdout)).toEqual({ args: ['--json', 'a b'], cwd: root });
    const messages = (first.stderr + second.stderr).match(/Installing packages/g);
    expect(messages).toHaveLength(1);
    expect((await run(['show.ts'])).stderr).toBe('');
  });

  it('works from any directory', async () => {
    const { stdout, code } = await run(['show.ts'], tmpdir());
    expect({ ...JSON.parse(stdout), code }).toEqual({ args: [], cwd: root, code: 0 });
  });

  it('installs again when the lock file is newer', async () => {
    const later = new Date(Date.now() + 2_000);
    utimesSync(join(root, 'package-lock.json'), later, later);
    expect((await run(['code.ts', '0'])).stderr).toContain('Installing packages');
    const now = new Date();
    utimesSync(join(root, 'package-lock.json'), now, now);
  });

  it('runs tools with the Node version of the project', async () => {
    const { stdout, code } = await run(['tool', 'run', '--flag']);
    expect([stdout, code]).toEqual([`tool ${process.versions.node.split('.')[0]} run --flag\n`, 0]);
  });

  it('ends with the exit code of the program, and with 128 + n after a signal', async () => {
    expect((await run(['code.ts', '7'])).code).toBe(7);
    expect((await run(['crash.ts'])).code).toBe(137);
  });

  it('forwards SIGTERM', async () => {
    const child = launch(['wait.ts']);
    if (child.stdout) await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([42, null]);
  });

  it('ends with npm, which does not forward SIGTERM', async () => {
    const child = spawn('npm', ['run', '--silent', 'wait'], { cwd: root });
    await once(child.stdout, 'data');
    const left = once(child.stdout, 'close');
    child.kill('SIGTERM');
    // The program keeps standard output open until it ends.
    await left;
    expect(child.signalCode ?? child.exitCode).not.toBe(0);
  });

  it('reports an error in one line', async () => {
    expect(await run(['absent.ts'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'absent.ts: the file does not exist\n',
    });
    expect(await run(['absent'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'absent: the tool does not exist\n',
    });
    expect((await run([])).stderr).toMatch(/^usage: .*\n$/);
  });

  it('fails when npm install fails', async () => {
    const broken = join(root, 'broken');
    mkdirSync(join(broken, 'shared/tooling'), { recursive: true });
    copyLauncher(broken);
    writeFileSync(join(broken, 'package.json'), '{"name":"broken","dependencies":{"absent":"file:absent"}}');
    writeFileSync(join(broken, 'package-lock.json'), '{"lockfileVersion":3,"packages":{}}');
    symlinkSync(join(root, 'show.ts'), join(broken, 'show.ts'));
    const child = spawn(process.execPath, [join(broken, 'shared/tooling/launch.mjs'), 'show.ts'], {
      stdio: 'ignore',
    });
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(existsSync(join(broken, 'node_modules/.package-lock.json'))).toBe(false);
  });
});
