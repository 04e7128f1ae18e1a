import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, serveNode } from '../../shared/runtime/node/server.ts';
import { root } from '../../shared/tooling/build/bundles.ts';
import { type Json, startPortal, type TestPortal } from '../support/portal.ts';
import { requireService } from '../support/services.ts';

const exec = promisify(execFile);
/** `npm ci --prefix test/generators` installs them. */
const generators = join(root, 'test/generators');
const document = join(root, 'shared/openapi/openapi.json');
const program = (name: string): string => join(generators, 'node_modules/.bin', name);
const tsc = join(root, 'node_modules/.bin/tsc');
/** The Python of Debian, which has its packages. */
const python = '/usr/bin/python3';
const hasPython = await exec(python, ['-c', 'import jsonschema, dateutil']).then(
  () => true,
  () => false,
);
const slow = { timeout: 180_000 };

let portal: TestPortal;
let serving: RunningServer;
let folder: string;
let env: NodeJS.ProcessEnv;
let site: Json;

beforeAll(async () => {
  portal = await startPortal();
  serving = await serveNode({
    fetch: portal.portal.fetch,
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    log: portal.deps.log,
  });
  const token = await portal.login();
  const body = { name: 'Generated', uri: 'generated' };
  site = (await portal.send('POST /api/webui/aggregator/sites', { token, body })).body;
  env = { ...process.env, URL: `http://127.0.0.1:${serving.port}`, TOKEN: token, ID: site.id };
  folder = await mkdtemp(join(tmpdir(), 'aggregator-generated-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  if (existsSync(join(generators, 'node_modules')))
    await symlink(join(generators, 'node_modules'), join(folder, 'node_modules'));
}, 60_000);
afterAll(async () => {
  await serving?.close(1_000);
  await portal?.close();
  await rm(folder, { recursive: true, force: true });
});

const environment = "const { URL: baseUrl = '', TOKEN: token = '', ID: id = '' } = process.env;";

/** A generator of TypeScript, its arguments, and a program that reads a site with the client. */
const clients: readonly { name: string; command: readonly string[]; text: string }[] = [
  {
    name: 'openapi-typescript',
    command: ['openapi-typescript', document, '-o', 'openapi-typescript.d.ts'],
    text: `import createClient from 'openapi-fetch';
      import type { paths } from './openapi-typescript';
      ${environment}
      const client = createClient<paths>({ baseUrl, headers: { 'X-Auth-Token': token } });
      const { data } = await client.GET('/api/webui/aggregator/sites/{id}', { params: { path: { id } } });
      const name: string | undefined = data?.name;
      console.log(name);`,
  },
  {
    name: '@hey-api/openapi-ts',
    command: [
      ...['openapi-ts', '-i', document, '-o', 'hey-api'],
      ...['-p', '@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    ],
    text: `import { client } from './hey-api/client.gen';
      import { siteGet } from './hey-api/sdk.gen';
      ${environment}
      client.setConfig({ baseUrl, auth: token });
      const { data } = await siteGet({ path: { id } });
      const name: string | undefined = data?.name;
      console.log(name);`,
  },
  {
    name: 'orval',
    command: ['orval', '--input', document, '--output', 'orval.ts', '--client', 'fetch'],
    text: `import { siteGet } from './orval';
      ${environment}
      const { fetch } = globalThis;
      globalThis.fetch = (path, options) => fetch(new URL(String(path), baseUrl), options);
      const { data, status } = await siteGet(id, { headers: { 'X-Auth-Token': token } });
      const name: string | undefined = status === 200 ? data.name : undefined;
      console.log(name);`,
  },
];

const settings = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable'],
  ...['--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'node'],
  ...['--typeRoots', join(root, 'node_modules/@types')],
];

requireService('npm ci --prefix test/generators', existsSync(join(generators, 'node_modules')))(
  'a client generated from the OpenAPI document',
  () => {
    it.each(clients)(
      'the generated client compiles and reads a site: $name',
      slow,
      async ({ name, command, text }) => {
        const [generator = '', ...options] = command;
        await exec(program(generator), options, { cwd: folder, maxBuffer: 1e8 });
        const file = `program-of-${name.replace(/\W/g, '-')}.ts`;
        await writeFile(join(folder, file), text);
        const faults = await exec(tsc, [...settings, file], { cwd: folder }).then(
          () => '',
          ({ stdout }: { stdout: string }) => stdout,
        );
        expect(faults.slice(0, 3_000)).toBe('');
        const bundle = `${file}.mjs`;
        const bundled = [
          file,
          '--bundle',
          '--platform=node',
          '--format=esm',
          `--outfile=${bundle}`,
          '--log-level=error',
        ];
        await exec(join(root, 'node_modules/.bin/esbuild'), bundled, { cwd: folder });
        const { stdout } = await exec(process.execPath, [bundle], { cwd: folder, env });
        expect(stdout.trim()).toBe(site.name);
      },
    );

    requireService('python3-jsonschema and python3-dateutil', hasPython)(
      'a client generated in Python',
      () => {
        it('the generated types are imported and describe a site: quicktype', slow, async () => {
          const script = join(generators, 'python-classes.mjs');
          const { stdout: classes } = await exec(process.execPath, [script, document], { maxBuffer: 1e8 });
          await writeFile(join(folder, 'portal_types.py'), classes);
          const reader = join(root, 'test/support/documents/read-site.py');
          const { stdout } = await exec(python, [reader, folder, document], { env });
          const read = JSON.parse(stdout);
          expect(read.name).toBe(site.name);
          expect(read.patterns).toBeGreaterThan(20);
          expect(read.site).toMatchObject({ id: site.id, uri: site.uri, name: site.name });
        });
      },
    );
  },
);

describe('the patterns of the OpenAPI document', () => {
  it('use only the common syntax of ECMAScript, Python and RE2', async () => {
    const { portablePattern } = await import('../../shared/http/document/patterns.ts');
    expect(portablePattern('^[^\\p{Cc}]*$')).toBe('^[^\\x00-\\x1f\\x7f-\\x9f]*$');
    expect(portablePattern('^\\P{Cc}*\\s$')).toBe('^[^\\x00-\\x1f\\x7f-\\x9f]*[\\t-\\r ]$');
    for (const foreign of ['(?!a)b', '(?<=a)b', '(a)\\1', '\\bword', '\\p{L}', '[^\\S]', '(?i)a'])
      expect([foreign, portablePattern(foreign)]).toEqual([foreign, undefined]);
    // Both forms reject every control character and no other.
    const [server, shown] = [/^[^\p{Cc}]*$/u, new RegExp(portablePattern('^[^\\p{Cc}]*$') ?? '')];
    const differing = Array.from({ length: 0x10_000 }, (_, code) => String.fromCharCode(code)).filter(
      (text) => server.test(text) !== shown.test(text),
    );
    expect(differing).toEqual([]);
  });
});
