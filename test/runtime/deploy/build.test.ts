import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { unstable_readConfig as readConfig } from 'wrangler';
import { createPortal, type PortalDeps } from '../../../functions/portal.ts';
import { documentOf } from '../../../shared/http/document/document.ts';
import { details } from '../../../shared/messages/ru/details.ts';
import { modules } from '../../../shared/modules.ts';
import { budgets, overBudget } from '../../../shared/tooling/build/build.ts';
import { type Bundle, edgeModules, root } from '../../../shared/tooling/build/bundles.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';

let workers: Bundle[];
let lambda: Bundle[];

beforeAll(async () => {
  workers = await cachedBundles('workers');
  lambda = await cachedBundles('lambda');
});

/** Files that have at least one byte in the bundle. */
const inputsOf = ({ metafile }: Bundle): string[] =>
  Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
const packagesOf = (bundle: Bundle): Set<string> =>
  new Set(
    inputsOf(bundle).flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.slice(1) ?? []),
  );
const importsOf = ({ metafile }: Bundle): string[] =>
  Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
const of = (bundles: readonly Bundle[], name: string): Bundle => {
  const found = bundles.find(({ module }) => module === name);
  if (!found) throw new Error(`there is no bundle of ${name}`);
  return found;
};

describe('the bundles for Workers', () => {
  it('exist for every module, within their size limits', () => {
    expect(workers.map(({ module }) => module)).toEqual([...edgeModules]);
    expect(overBudget(workers)).toEqual([]);
  });

  it.each([
    ['domain forms', /identity\/domains\/.*form-texts\.ts$/],
    ['connection tests', /messages\/ru\/connection-tests\.ts$/],
  ])('have the texts of %s in the module that shows them, and in no other', (_, file) => {
    const bytesOf = ({ metafile }: Bundle): number =>
      Object.values(metafile.outputs)
        .flatMap(({ inputs }) => Object.entries(inputs))
        .filter(([path]) => file.test(path))
        .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    const large = workers.filter((bundle) => bytesOf(bundle) > 1_000).map(({ module }) => module);
    expect(large).toEqual(['webui']);
  });

  it('have the Russian form of every text that they can return, and few others', async () => {
    const texts = Object.entries(details).filter(([english]) => !/["'`\\]/.test(english));
    expect(texts.length).toBeGreaterThan(500);
    for (const { module, file } of [...workers, ...lambda]) {
      const literals = new Set((await readFile(file, 'utf8')).split(/["'`]/));
      const untranslated = texts.filter(([, russian]) => !literals.has(russian));
      expect([module, untranslated.filter(([english]) => literals.has(english))]).toEqual([module, []]);
      if (module !== 'webui')
        expect([module, untranslated.length > texts.length / 3]).toEqual([module, true]);
    }
  });

  it('are rejected with one line each when they are too large', () => {
    const large = workers.map((bundle) => ({ ...bundle, gzipBytes: budgets[bundle.module] * 1000 + 1 }));
    expect(overBudget(large)).toHaveLength(workers.length);
    expect(overBudget(large)).toContain(
      `The Worker auth has ${budgets.auth}.0 kB compressed, above its budget of ${budgets.auth} kB`,
    );
  });

  it('have no code that needs a Node process', () => {
    const needless = [
      'pg',
      'pg-pool',
      'undici',
      'systeminformation',
      'prom-client',
      'ws',
      '@hono/node-server',
    ];
    for (const bundle of workers) {
      expect([bundle.module, needless.filter((name) => packagesOf(bundle).has(name))]).toEqual([
        bundle.module,
        [],
      ]);
      const builtins = [...new Set(importsOf(bundle))].sort();
      const speaksLdap = packagesOf(bundle).has('ldapts');
      // The subset in `nodejs_compat` is enough for directories; a test in workerd verifies it.
      const ldap = speaksLdap ? ['node:assert', 'node:events', 'node:net', 'node:tls', 'node:util'] : [];
      // Logins by card call KDCs, and so does the test of a domain.
      const tcp = ['auth', 'webui'].includes(bundle.module) ? ['cloudflare:sockets'] : [];
      expect(['node:buffer', 'node:crypto', ...ldap, ...tcp]).toEqual(expect.arrayContaining(builtins));
    }
  });

  it('have no descriptions of schemas', async () => {
    const { components } = documentOf(createPortal({ portalType: 'universal' } as PortalDeps).modules);
    const schemas: Record<string, { properties?: Record<string, { description?: string }> }> = JSON.parse(
      JSON.stringify(components?.schemas),
    );
    const texts = ['Site', 'User', 'Workplace', 'Audit', 'Connection', 'AgentLogBody', 'SsaMessages'].flatMap(
      (name) => Object.values(schemas[name]?.properties ?? {}).map(({ description = '' }) => description),
    );
    expect(texts.length).toBeGreaterThan(100);
    for (const { file } of [...workers, ...lambda]) {
      const bundle = await readFile(file, 'utf8');
      expect(texts.filter((text) => bundle.includes(text))).toEqual([]);
    }
  });

  it('have the English locale of zod and no other', () => {
    for (const bundle of [...workers, ...lambda]) {
      const files = inputsOf(bundle).flatMap((path) => /\/locales\/([\w-]+)\.js$/.exec(path)?.slice(1) ?? []);
      expect(files.filter((name) => name !== 'index')).toEqual(['en']);
    }
  });

  it('of sign-in have no lists and orders of dispatchers', () => {
    const adapters = inputsOf(of(workers, 'auth')).filter((path) => path.includes('remotes/dispatcher/'));
    expect(adapters.filter((path) => /lists\.ts$|actions|orders/.test(path))).toEqual([]);
    expect(adapters).toContain('shared/remotes/dispatcher/openuds/keys.ts');
  });

  it('have only the dependencies of their module', () => {
    const discover = of(workers, 'discover');
    expect([...packagesOf(discover)].sort()).toEqual([
      '@neondatabase/serverless',
      'drizzle-orm',
      'hono',
      'ipaddr.js',
      'uuid',
      'zod',
    ]);
    expect(inputsOf(discover).filter((path) => /passwords|signing-keys|remotes\//.test(path))).toEqual([]);
    const withLdap = workers.filter((bundle) => packagesOf(bundle).has('ldapts'));
    expect(withLdap.map(({ module }) => module)).toEqual(['auth', 'userinfo', 'webui']);
    const withJose = workers.filter((bundle) => packagesOf(bundle).has('jose'));
    expect(withJose.map(({ module }) => module)).toEqual([
      'aggregator',
      'auth',
      'client',
      'federation',
      'webui',
    ]);
  });
});

describe('the bundles for Lambda', () => {
  it('export a handler and connect to the database with pg', async () => {
    for (const bundle of lambda) {
      expect(await readFile(bundle.file, 'utf8')).toMatch(/export\s*\{\s*[\w$]+ as handler\s*\}/);
      expect(packagesOf(bundle)).toContain('pg');
    }
  });
});

describe('wrangler.toml', () => {
  it('has a cron trigger of one minute for the module that reports the portal', () => {
    const crons = edgeModules.map((name) => {
      const { triggers } = readConfig({ config: join(root, 'wrangler.toml'), env: name });
      return [name, triggers.crons ?? []] as const;
    });
    expect(crons.filter(([, when]) => when.length > 0)).toEqual([['aggregator', ['* * * * *']]]);
  });

  it.each([...edgeModules])('deploys %s as the generated bundle, on the paths of its module', (name) => {
    const config = readConfig({ config: join(root, 'wrangler.toml'), env: name });
    const paths = modules.find((module) => module.name === name)?.paths ?? [];
    const routes: { pattern: string }[] = config.routes;
    const rest = name === 'discover' ? ['portal.example.com/*'] : [];
    expect(routes.map(({ pattern }) => pattern)).toEqual([
      ...paths.map((path) => `portal.example.com${path}*`),
      ...rest,
    ]);
    expect(config).toMatchObject({
      name: `aggregator-${name}`,
      main: join(root, 'dist/workers', `${name}.js`),
      no_bundle: true,
      compatibility_date: '2026-10-01',
      compatibility_flags: ['nodejs_compat'],
      vars: { BASE_URL: 'https://portal.example.com', PORTAL_TYPE: 'universal' },
    });
  });
});
