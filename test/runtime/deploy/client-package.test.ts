import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { root } from '../../../shared/tooling/build/bundles.ts';
import { buildClient } from '../../../shared/tooling/build/client-package.ts';

const run = promisify(execFile);
let folder: string;

let packed: string;
const npm = ['--offline', '--no-audit', '--no-fund', '--loglevel=error'];

/** A separate project that installs only this package. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-client-'));
  packed = join(folder, 'packed');
  await mkdir(packed);
  await buildClient(packed);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', ...npm, '--install-links', packed], { cwd: folder });
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function typesOf(text: string): Promise<string> {
  await writeFile(
    join(folder, 'program.ts'),
    `import { createPortalClient } from 'aggregator-portal/client';
    const portal = createPortalClient({ baseUrl: 'https://localhost:8443', token: 'x' });\n${text}`,
  );
  const settings = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext'];
  return run(join(root, 'node_modules', '.bin', 'tsc'), [...settings, 'program.ts'], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('the client package', () => {
  it('exports the client to JavaScript programs', async () => {
    const text = `import { createPortalClient, PortalError } from 'aggregator-portal/client';
      const portal = createPortalClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
      const error = await portal.call('liveness.get').catch((reason) => reason);
      process.stdout.write(String(error instanceof PortalError && error.code));`;
    await writeFile(join(folder, 'program.mjs'), text);
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder });
    expect(stdout).toBe('connection_failed');
  });

  it('exports its types and those of every operation', async () => {
    expect(
      await typesOf(`
        const site = await portal.call('site.create', { body: { name: 'North', uri: 'north' } });
        const id: string = site.id;
        for await (const { name } of portal.items('farm.list', { query: { limit: 5 } })) name.toUpperCase();
        export const nothing: null = await portal.call('site.delete', { path: { id } });`),
    ).toBe('');
  });

  it.each([
    ['a body that lacks a member', `await portal.call('site.create', { body: { name: 'North' } });`],
    ['an operation that does not exist', `await portal.call('site.make');`],
    ['a path without its parameters', `await portal.call('site.get');`],
    ['pages of what is no list', `portal.pages('userinfo.get');`],
    ['a member that no answer has', `(await portal.call('userinfo.get')).no_such_member;`],
  ])('makes the compiler reject %s', async (_, text) => {
    expect(await typesOf(`${text}\nexport {};`)).toContain('error TS');
  });

  it('contains the client and nothing of the portal', async () => {
    const files = await readdir(join(folder, 'node_modules', 'aggregator-portal'));
    const modules = ['operations', 'portal-client', 'refusals', 'retries'];
    const expected = [...modules.flatMap((name) => [`${name}.d.ts`, `${name}.js`]), 'package.json'];
    expect(files.sort()).toEqual(expected.sort());
  });

  it('has no dependencies', async () => {
    const installed = await readdir(join(folder, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['aggregator-portal']);
  });

  it('is at the documented path in the packed portal', async () => {
    const { './client': client } = manifest.exports;
    expect(Object.values(client).map((path) => relative('dist/client', path))).toEqual([
      'portal-client.d.ts',
      'portal-client.js',
    ]);
  });
});
