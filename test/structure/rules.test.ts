import { describe, expect, it } from 'vitest';
import { importViolations, type Violation } from './rules.ts';
import { quantile, sizeViolations } from './sizes.ts';
import { parseSource } from './sources.ts';
import { nameViolations, textViolations, topLevelViolations } from './text-rules.ts';

const importing = (path: string, ...targets: string[]) =>
  parseSource(path, targets.map((target) => `import { x } from '${target}';\n`).join(''));
const rulesOf = (violations: readonly Violation[]) => violations.map(({ rule }) => rule);
const importRules = (path: string, ...targets: string[]) =>
  rulesOf(importViolations([importing(path, ...targets)]));

const stairs = 'stairs: only down, never up or across';
const modules = 'no module imports another';
const siblings = 'no resource imports a sibling';
const database = 'the database is spoken to below db/ only';
const kinds = 'a kind of dispatcher is imported by the registries only; the port is for all others';
const hono = 'hono stays in shared/http, shared/runtime and functions, out of use cases';
const node = 'what a Worker lacks of node:* stays in files that only Node runs';
const environment = 'the environment is read in shared/runtime and shared/tooling only';
const kept = 'no promise is kept for another request';
const domainType = 'a domain type is named in shared/identity/domains only';
const permissive = 'a condition on kinds is never true by default';
const judged = 'addresses and hosts from outside are judged in shared/kernel/addresses only';
const single = 'no test is skipped or singled out, but by requireService';

const areas = [
  ...['identity', 'sites', 'routing', 'snapshot', 'maintenance', 'gateways'],
  ...['agents', 'services', 'portals', 'audit', 'exports'],
];

describe('the import rules', () => {
  it.each([
    ['shared/kernel/ids.ts', '../../db/client.ts', stairs],
    ['shared/kernel/ids.ts', '../http/app.ts', stairs],
    ['db/schema/sites/sites.ts', '../../repositories/sites/sites.ts', stairs],
    ['db/repositories/sites/sites.ts', '../../../shared/context/principal.ts', stairs],
    ['db/repositories/sites/sites.ts', '../../../shared/remotes/kdc/port.ts', stairs],
    ['shared/remotes/kdc/port.ts', '../../../db/repositories/sites/sites.ts', stairs],
    ['shared/remotes/kdc/port.ts', '../../../db/client.ts', 'a remote never sees the database'],
    ['shared/access/guard.ts', '../http/serve/app.ts', stairs],
    ['shared/context/context.ts', '../http/context.ts', stairs],
    ['shared/context/context.ts', '../access/guard.ts', stairs],
    ['shared/shapes/fields.ts', '../context/context.ts', stairs],
    ['shared/http/serve/app.ts', '../../runtime/config/config.ts', stairs],
    ['shared/http/serve/app.ts', '../../tooling/build/build.ts', stairs],
    ['shared/sites/calls/circuit.ts', '../../audit/checkpoints.ts', stairs],
    ['shared/sites/user-site.ts', '../routing/routing.ts', stairs],
    ['shared/snapshot/sync.ts', '../routing/routing.ts', stairs],
    ['shared/runtime/node/server.ts', '../../tooling/start/fatal.ts', stairs],
    ['shared/identity/login.ts', '../../functions/auth/login/usecases.ts', stairs],
    ['functions/auth/login/usecases.ts', './routes.ts', stairs],
    ['functions/auth/deps.ts', './login/usecases.ts', stairs],
    ['functions/auth/login/schema.ts', './routes.ts', stairs],
    ['functions/auth/login/routes.ts', '../app.ts', stairs],
    ['functions/auth/app.ts', '../all.ts', stairs],
    ['functions/auth/app.ts', '../client/deps.ts', modules],
    ['functions/auth/login/routes.ts', '../../client/login/usecases.ts', modules],
    ['functions/auth/login/routes.ts', '../logout/usecases.ts', siblings],
    ['shared/tooling/demo.ts', '../../test/simulator/demo/demo.ts', 'the product never imports its tests'],
    ['test/e2e/login.test.ts', '../../shared/kernel/ids.ts', 'e2e tests import nothing of the source'],
    ['shared/sites/calls/circuit.ts', '../../remotes/dispatcher/termidesk/statuses.ts', kinds],
    ['shared/remotes/dispatcher/port.ts', './termidesk/list-shapes.ts', kinds],
    ['shared/remotes/dispatcher/openuds/kind.ts', '../termidesk/exchange.ts', kinds],
    ['test/unit/remotes/dispatcher.test.ts', '../../../shared/remotes/dispatcher/termidesk/kind.ts', kinds],
    ['shared/http/pages/read-branding.ts', '../../web/client/facts.ts', 'servers import nothing of browsers'],
    ['functions/home/app.ts', './app/facts.ts', 'servers import nothing of browsers'],
    ['shared/web/client/session.ts', '../../../functions/home/app/facts.ts', stairs],
    ['shared/http/pages/read-branding.ts', 'preact', 'what draws pages stays in the code of browsers'],
    ['functions/auth/login/usecases.ts', 'drizzle-orm', database],
    ['shared/http/declare/list.ts', 'drizzle-orm/pg-core', database],
    ['shared/audit/checkpoints.ts', '@neondatabase/serverless', database],
    ['db/client.ts', '@electric-sql/pglite', 'the embedded database is started by the tooling only'],
    ['shared/access/guard.ts', 'hono', hono],
    ['functions/auth/login/usecases.ts', 'hono/cookie', hono],
    ['shared/identity/login.ts', 'jose', 'jose stays in shared/access, shared/remotes and shared/audit'],
    ['shared/remotes/kdc/port.ts', 'aws4fetch', 'aws4fetch stays in the object store'],
    ['shared/remotes/kdc/port.ts', 'undici', 'undici stays in the Node form of a remote'],
    [
      'shared/remotes/kdc/port.ts',
      'cloudflare:sockets',
      'what only a Worker has stays in its form of a remote',
    ],
    ['shared/identity/login.ts', 'node:fs', node],
    ['shared/identity/login.ts', 'net', node],
    ['shared/remotes/http/fetch.ts', 'node:tls', node],
    ['shared/sites/calls/fan-out.ts', 'node:http', node],
    ['functions/client/deps.ts', 'fs/promises', node],
    ['db/neon.ts', 'node:net', node],
    ['shared/runtime/edge/workers.ts', 'node:worker_threads', node],
    ['shared/kernel/clock.ts', 'node:perf_hooks', node],
    ['shared/runtime/config/config.ts', 'node:process', node],
    ['shared/toolbox/x.ts', '../kernel/ids.ts', 'every file stands on a floor'],
  ])('%s may not import %s', (path, target, rule) => {
    expect(importRules(path, target)).toEqual([rule]);
  });

  it.each([
    ['functions/auth/login/routes.ts', '../../../db/repositories/identity/users.ts'],
    ['functions/auth/login/routes.ts', './schema.ts'],
    ['functions/auth/login/routes.ts', '../deps.ts'],
    ['functions/auth/login/usecases.ts', './schema.ts'],
    ['functions/auth/deps.ts', '../../shared/identity/login.ts'],
    ['functions/auth/login/routes.ts', './usecases.ts'],
    ['functions/auth/app.ts', './login/routes.ts'],
    ['functions/auth/app.ts', './deps.ts'],
    ['functions/all.ts', './auth/app.ts'],
    ['functions/all.ts', '../shared/tooling/embedded/database.ts'],
    ['shared/tooling/document/openapi.ts', '../../../functions/auth/app.ts'],
    ['shared/http/serve/app.ts', '../../access/guard.ts'],
    ['shared/remotes/dispatcher/kinds.ts', './termidesk/kind.ts'],
    ['shared/remotes/dispatcher/termidesk/kind.ts', './exchange.ts'],
    ['shared/remotes/dispatcher/termidesk/kind.ts', '../port.ts'],
    ['shared/http/context.ts', '../context/context.ts'],
    ['shared/identity/login.ts', '../context/context.ts'],
    ['shared/services/shapes.ts', '../shapes/fields.ts'],
    ['shared/runtime/node/server.ts', '../../http/serve/app.ts'],
    ['shared/http/serve/app.ts', '../../modules.ts'],
    ['shared/agents/sessions.ts', '../snapshot/rows.ts'],
    ['shared/remotes/object-store/s3.ts', 'aws4fetch'],
    ['shared/remotes/http/node.ts', 'node:tls'],
    ['shared/kernel/crypto/digests.ts', 'node:crypto'],
    ['functions/auth/login/routes.ts', 'hono'],
    ['db/client.ts', 'pg'],
    ['test/api/sites/sites.test.ts', '../../../functions/webui/app.ts'],
  ])('%s may import %s', (path, target) => {
    expect(importRules(path, target)).toEqual([]);
  });

  it.each(areas)('shared/%s imports nothing of shared/http', (area) => {
    expect(importRules(`shared/${area}/x.ts`, '../http/context.ts')).toEqual([stairs]);
    expect(importRules(`shared/${area}/x/y.ts`, '../../http/serve/answer.ts')).toEqual([stairs]);
  });

  it('detect every form of an import, with its line', () => {
    const text = [
      "import type { A } from 'pg';",
      'import {',
      '  b,',
      "} from 'pg';",
      "export * from 'pg';",
      "import 'pg';",
      "const c = await import('pg');",
      "type D = import('pg').Client;",
      "// import { e } from 'pg';",
      `const text = "import('pg')";`,
    ].join('\n');
    const lines = importViolations([parseSource('shared/http/a.ts', text)]).map(({ line }) => line);
    expect(lines.sort((a, b) => a - b)).toEqual([1, 4, 5, 6, 7, 8]);
  });

  it('detect a cycle, and no cycle where two paths lead to one file', () => {
    const a = importing('shared/http/a.ts', './b.ts', './c.ts');
    const c = importing('shared/http/c.ts');
    expect(importViolations([a, importing('shared/http/b.ts', './c.ts'), c])).toEqual([]);
    const [circle, ...others] = importViolations([a, importing('shared/http/b.ts', './c.ts', './a.ts'), c]);
    expect(others).toEqual([]);
    expect(circle).toMatchObject({ path: 'shared/http/b.ts', line: 2, rule: 'no import circles' });
    expect(circle?.detail).toBe('shared/http/a.ts -> shared/http/b.ts -> shared/http/a.ts');
  });
});

describe('the text rules', () => {
  it.each([
    ['functions/webui/users/bind.ts', "if (domain.type === 'internal') return;", domainType],
    ['functions/webui/users/bind.ts', "const isExternal = row.domain_type !== 'internal';", domainType],
    ['functions/webui/users/bind.ts', "if ('internal' === domain?.type) return;", domainType],
    ['shared/identity/login/password.ts', "switch (type) {\n  case 'ldap':", domainType],
    ['shared/identity/pkinit/realm.ts', "isActiveDirectory: type === 'active_directory',", domainType],
    ['shared/tooling/demo.ts', "const names = ['ldap', other];", domainType],
    ['db/repositories/records/privileges.ts', "eq(authenticators.type, 'internal')", domainType],
    ['db/repositories/identity/users.ts', "where auth.type <> 'internal'", domainType],
    ['db/repositories/identity/users.ts', "inArray(authenticators.type, ['internal'])", domainType],
    ['db/schema/identity/authenticators.ts', 'type: text().$type<"internal">()', domainType],
    ['functions/all.ts', 'const port = process.env.PORT;', environment],
    ['db/client.ts', 'const { env } = process;', environment],
    ['shared/http/serve/app.ts', "const port = process['env'];", environment],
    ['shared/runtime/edge/workers.ts', 'const apps = new WeakMap<Env, Promise<App>>();', kept],
    [
      'shared/sites/calls/circuit.ts',
      'const calls: Map<string, Promise<Answer> | undefined> = make();',
      kept,
    ],
    ['shared/access/session.ts', 'let keys: Promise<Keys> | undefined;', kept],
    ['shared/access/session.ts', 'export const keys = importKeys().then(first);', kept],
    ['functions/auth/deps.ts', '  keys ??= importKeys(pem);', kept],
    ['shared/identity/login.ts', '  flight ??= new Promise(f);', kept],
    [
      'db/repositories/records/scope.ts',
      "const ids = entries.find(([sited]) => sited === type)?.[1];\nreturn scope === '*' || !ids ? undefined : inArray(id, ids(scope));",
      permissive,
    ],
    ['db/repositories/records/scope.ts', "if (scope === '*' || !ids) return undefined;", permissive],
    ['db/repositories/records/scope.ts', 'sql`(case type when a then b else true end)`', permissive],
    ['shared/context/rights.ts', 'switch (type) {\n  default:\n    return true;', permissive],
    ['shared/context/rights.ts', 'switch (type) {\n  default: {\n    return undefined;', permissive],
    ['db/repositories/records/scope.ts', 'return idsWithin[type]?.(scope);', permissive],
    ['db/repositories/records/scope.ts', 'return idsWithin[spec.type](scope) ?? sql`true`;', permissive],
    ['db/repositories/records/scope.ts', 'return conditions.get(kind) ?? undefined;', permissive],
    ['db/repositories/records/scope.ts', "return type === 'site' ? inScope(id) : sql`true`;", permissive],
    ['functions/webui/sites/schema.ts', 'const Link = z.url().max(2048);', judged],
    ['functions/webui/sites/schema.ts', 'z.string().regex(/^https?:\\/\\/\\S+$/)', judged],
    ['shared/sites/user-site.ts', 'if (!URL.canParse(link)) return false;', judged],
    ['shared/remotes/kdc/node.ts', "connect(hostname.replace(/^\\[|\\]$/g, ''));", judged],
    ['db/client.ts', 'try { f() } catch {}', 'no empty catch'],
    ['test/api/a.test.ts', 'try {\n} catch (error) {\n}', 'no empty catch'],
    ['db/client.ts', 'f().catch(() => {});', 'no empty catch'],
    ['db/client.ts', '// TODO later', 'nothing is left to do'],
    ['test/api/a.test.ts', "it.skip('a', f)", single],
    ['test/api/a.test.ts', "describe.concurrent.only('a', f)", single],
    ['test/api/a.test.ts', "it.skipIf(x)('a', f)", single],
  ])('%s may not contain %j', (path, text, rule) => {
    expect(rulesOf(textViolations([parseSource(path, text)]))).toEqual([rule]);
  });

  it.each([
    ['shared/runtime/config/config.ts', 'const port = process.env.PORT;'],
    ['test/support/a.ts', 'const port = process.env.PORT;'],
    ['db/client.ts', '// never process.env here'],
    ['db/repositories/records/scope.ts', "if (scope === '*') return undefined;"],
    ['db/repositories/records/scope.ts', 'sql`(case type when a then b else false end)`'],
    ['db/repositories/records/scope.ts', 'return idsWithin[type](scope);'],
    ['db/repositories/records/scope.ts', "return type === 'site' ? inScope(id) : sql`false`;"],
    [
      'db/repositories/identity/second-factors.ts',
      'const condition = isImposed ? skips(userId) : sql`true`;',
    ],
    ['shared/context/rights.ts', 'switch (type) {\n  default:\n    return false;'],
    ['shared/runtime/config/values.ts', 'if (!URL.canParse(value)) return false;'],
    ['shared/kernel/addresses/hosts.ts', 'if (!URL.canParse(url)) return undefined;'],
    ['functions/auth/deps.ts', 'const { origin } = new URL(deps.baseUrl);'],
    ['db/client.ts', 'try { f() } catch { return null; }'],
    ['shared/runtime/edge/workers.ts', 'const apps = new WeakMap<Env, App>();'],
    ['shared/runtime/edge/lambda.ts', '  app ??= build();'],
    ['shared/identity/common-passwords.ts', '  words ??= new Set(list);'],
    ['shared/access/session.ts', '  keys ??= settle(await importKeys(pem));'],
    ['shared/access/session.ts', 'const find = (id: string): Promise<Row> => read(id);'],
    ['functions/health/cached-reader.ts', '    flight ??= fly();'],
    ['test/api/a.test.ts', "it.each([1])('a', f)"],
    ['shared/identity/domains/registry.ts', "export const builtinType: DomainTypeName = 'internal';"],
    ['shared/http/problem.ts', "if (problem.code === 'internal') log.error('internal', { error });"],
    ['functions/webui/users/bind.ts', 'if (!domainTypeOf(domain.type).directory) return;'],
    ['shared/remotes/directory/session.ts', "new Client({ url: 'ldap://directory' });"],
    ['test/support/factories.ts', "return { name, type: 'internal' };"],
  ])('%s may contain %j', (path, text) => {
    expect(textViolations([parseSource(path, text)])).toEqual([]);
  });

  it('reject meaningless names and names that are not kebab-case', () => {
    const named = (path: string) => rulesOf(nameViolations([parseSource(path, '')]));
    expect(named('shared/http/utils.ts')).toEqual(['a name says what a file gives']);
    expect(named('shared/helpers/dates.ts')).toEqual(['a name says what a file gives']);
    expect(named('shared/http/requestIds.ts')).toEqual(['names are kebab-case']);
    expect(named('functions/webui/Sites/routes.ts')).toEqual(['names are kebab-case']);
    expect(named('test/api/request-ids.test.ts')).toEqual([]);
  });

  it('reject an extra or missing entry on the top level', () => {
    const folders = ['functions', 'shared', 'db', 'test', 'node_modules', '.git'];
    const files = [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'biome.json',
      'wrangler.toml',
      'README.md',
    ];
    expect(topLevelViolations([...folders, ...files])).toEqual([]);
    expect(topLevelViolations([...folders, ...files, 'src'])).toHaveLength(1);
    expect(topLevelViolations([...folders, ...files.slice(1)])).toHaveLength(1);
  });
});

describe('the size rules', () => {
  const linesOf = (count: number) => 'x();\n'.repeat(count);
  const sizes = (path: string, text: string) =>
    sizeViolations([parseSource(path, text)]).map(({ detail }) => detail);
  const body = (count: number) => '  x();\n'.repeat(count);

  it('limit source files to 250 lines and tests to 400', () => {
    expect(sizes('db/client.ts', linesOf(251))[0]).toBe('251 lines');
    expect(sizes('test/api/a.test.ts', linesOf(400))).toEqual([]);
    expect(sizes('test/api/a.test.ts', linesOf(401))).toEqual(['401 lines']);
    expect(sizes('shared/identity/common-passwords.ts', linesOf(3000))).toEqual([]);
  });

  it('limit the median and p90, and report them', () => {
    expect(sizes('db/client.ts', linesOf(90))).toEqual([]);
    expect(sizes('db/client.ts', linesOf(91))).toEqual(['the median is 91, p90 is 91; this is the longest']);
    expect([
      quantile([], 0.9),
      quantile([5, 1, 3], 0.5),
      quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9),
    ]).toEqual([0, 3, 9]);
  });

  it.each([
    ['export async function f() {\n', '}\n'],
    ['function f({\n  a,\n}: A): B {\n', '}\n', 2],
    ['export const f = async (a: A): Promise<B> => {\n', '};\n'],
    ['const f = (\n  a: A,\n): B => {\n', '};\n', 2],
    ['class A {\n  async f(a: A): Promise<B> {\n', '  }\n}\n'],
  ])('limit a function to 40 lines: %j', (head, end, extra = 0) => {
    const inner = head.startsWith('class') ? '  ' : '';
    const text = (count: number) =>
      head + body(count).replaceAll(/^/gm, inner).trimEnd().concat('\n', end, linesOf(9));
    expect(sizes('db/client.ts', text(38 - extra))).toEqual([]);
    expect(sizes('db/client.ts', text(39 - extra))).toEqual(['41 lines']);
  });
});
