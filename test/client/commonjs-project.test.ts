import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, serveNode } from '../../shared/runtime/node/server.ts';
import { root } from '../../shared/tooling/build/bundles.ts';
import { buildClient } from '../../shared/tooling/build/client-package.ts';
import { startPortal, type TestPortal } from '../support/portal.ts';

const run = promisify(execFile);
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
let portal: TestPortal;
let serving: RunningServer;
let project: string;
let env: NodeJS.ProcessEnv;

/** A project created by `npm init -y`, which is CommonJS, with the client from its tarball. */
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-commonjs-'));
  const built = join(folder, 'built');
  await buildClient(built);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, ...quiet], {
    cwd: built,
  });
  const packed = join(folder, JSON.parse(stdout)[0].filename);
  project = await mkdtemp(join(folder, 'project-'));
  await run('npm', ['init', '-y'], { cwd: project });
  await run('npm', ['install', '--offline', ...quiet, packed], { cwd: project });
  portal = await startPortal();
  serving = await serveNode({
    fetch: portal.portal.fetch,
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    log: portal.deps.log,
  });
  env = { ...process.env, URL: `http://127.0.0.1:${serving.port}`, TOKEN: await portal.login() };
}, 120_000);
afterAll(async () => {
  await serving?.close(1_000);
  await portal?.close();
  await rm(join(project, '..'), { recursive: true, force: true });
});

/** Writes a program into the project and runs it. @returns its standard output */
async function runProgram(name: string, text: string): Promise<string> {
  await writeFile(join(project, name), text);
  return (await run(process.execPath, [name], { cwd: project, env })).stdout.trim();
}

const readSnippet = async (): Promise<string> =>
  /```ts\n(.+?)```/s.exec(await readFile(join(root, 'shared/client/README.md'), 'utf8'))?.[1] ?? '';

describe('in a project created by `npm init -y`', () => {
  it('CommonJS is the default', async () => {
    const { type = 'commonjs' } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
    expect(type).toBe('commonjs');
  });

  it('the snippet of shared/client/README.md runs as program.mts, and its types are correct', async () => {
    const id = await runProgram('program.mts', await readSnippet());
    const { body } = await portal.send(`GET /api/webui/aggregator/sites/${id}`, { token: env.TOKEN });
    expect(body).toMatchObject({ name: 'South', uri: 'south' });
    const settings = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext'];
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const tsc = join(root, 'node_modules/.bin/tsc');
    await run(tsc, [...settings, ...types, 'program.mts'], { cwd: project });
  });

  it.each([
    ['require', "const { createPortalClient } = require('aggregator-portal/client');"],
    ['import()', "const { createPortalClient } = await import('aggregator-portal/client');"],
  ])('a CommonJS program gets the client by %s', async (_, gets) => {
    const text = `(async () => {
      ${gets}
      const { URL: baseUrl, TOKEN: token } = process.env;
      console.log((await createPortalClient({ baseUrl, token }).call('userinfo.get')).name);
    })();`;
    expect(await runProgram('program.js', text)).toBe('admin');
  });
});
