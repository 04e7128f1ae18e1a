import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { sites } from '../../../db/schema/sites/sites.ts';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { runAdmin } from '../../support/admin-command.ts';
import { newSecretKey, newSigningKey } from '../../support/identity/signing-keys.ts';
import { installations } from '../../support/installations.ts';
import { startPortal, type TestPortal } from '../../support/portal.ts';
import { programFile } from '../../support/processes/programs.ts';
import { programVariables } from '../../support/program-variables.ts';

let portal: TestPortal;
let env: NodeJS.ProcessEnv;
const folder = mkdtempSync(join(tmpdir(), 'aggregator-configuration-'));
const at = (name: string, text?: string): string => {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return path;
};

beforeAll(async () => {
  const secretKey = newSecretKey();
  portal = await startPortal({ secretKeys: [secretKey] });
  env = {
    DATABASE_URL: portal.databaseUrl,
    SECRET_KEY: secretKey,
    AGGREGATOR_JWT_SSL_KEY: newSigningKey(),
  };
});
afterAll(() => portal.close());

type Validate = ((value: unknown) => boolean) & { errors: unknown };

/** Each starts processes. */
const slow = { timeout: 300_000 };
const siteCount = async (): Promise<number> =>
  (await portal.db.select({ all: count() }).from(sites))[0]?.all ?? 0;

describe('npm run admin', slow, () => {
  it('an interrupted apply leaves complete objects, and the same command continues', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `  - { name: Site ${n}, uri: site-${n} }\n`);
    const path = at('many.yaml', `sites:\n${many.join('')}`);
    const child = spawn(process.execPath, [programFile('shared/tooling/admin/admin.ts'), 'apply', path], {
      cwd: root,
      env: { ...programVariables, HOME: process.env.HOME, ...env },
      stdio: 'ignore',
    });
    await vi.waitFor(async () => expect(await siteCount()).toBeGreaterThan(5), {
      timeout: 200_000,
      interval: 5,
    });
    child.kill('SIGKILL');
    await once(child, 'close');
    const done = await siteCount();
    expect(done).toBeLessThan(300);
    const { code, stdout, stderr } = await runAdmin(env, ['apply', path]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      new RegExp(`Plan: ${300 - done} to create, 0 to change, 0 to delete, ${done} unchanged\\.`),
    );
    expect(await siteCount()).toBe(300);
    expect((await runAdmin(env, ['apply', path])).stdout).toBe('No changes. 300 unchanged.\n');
  });

  it('export writes what apply reads, and --dry-run and --tokens-file work as documented', async () => {
    const gateway = at('gateway.yaml', 'gateways: [{ name: gw1, host: gw1.example.com }]\n');
    const dry = await runAdmin(env, ['apply', gateway, '--dry-run']);
    expect([dry.code, dry.stdout.split('\n').at(-2)]).toEqual([0, 'Dry run: nothing was changed.']);
    expect(existsSync(join(folder, 'gateway.tokens.yaml'))).toBe(false);
    const tokens = join(folder, 'own-tokens.yaml');
    const applied = await runAdmin(env, ['apply', gateway, '--tokens-file', tokens]);
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    const { gw1 } = parse(readFileSync(tokens, 'utf8')).gateways;
    expect(statSync(tokens).mode & 0o777).toBe(0o600);
    expect(applied.stdout + applied.stderr).not.toContain(gw1);
    const heartbeat = await portal.send(`POST /api/wsproxy/v7.0/heartbeat`, {
      headers: { authorization: `Bearer ${gw1}` },
      body: {},
    });
    expect(heartbeat.status).not.toBe(401);
    const some = await runAdmin(env, ['export', '--kinds', 'gateways']);
    expect(some.stdout).toBe(`# yaml-language-server: $schema=aggregator.schema.json
# Where the API has the id of an object, this file has its name. Secrets are placeholders.
gateways:
  - name: gw1
    host: gw1.example.com
`);
    const all = at('all.yaml');
    expect((await runAdmin(env, ['export', '--output', all])).stdout).toBe('');
    expect((await runAdmin(env, ['apply', all, '--prune'])).stdout).toMatch(
      /No changes\. 301 unchanged\.\n$/,
    );
  });

  it('an error ends with code 1 and its position, and wrong arguments with the usage', async () => {
    const path = at('fault.yaml', 'sites:\n  - { name: A, uri: A }\n');
    expect(await runAdmin(env, ['apply', path])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'sites/A/uri (line 2): Must contain only lower-case letters, digits and single hyphens\n',
    });
    const absent = await runAdmin(env, ['apply', join(folder, 'absent.yaml')]);
    expect(absent.stderr).toBe(`${join(folder, 'absent.yaml')}: the file or folder does not exist\n`);
    expect((await runAdmin(env, ['unlock', 'a/b', '--prune'])).stderr).toMatch(/^usage: npm run admin/);
    expect((await runAdmin(env, ['export', '--kinds', 'site'])).stderr).toMatch(
      /^--kinds: site: must be of tags, /,
    );
  });

  it('the JSON Schema accepts what apply accepts, and marks the same errors in an editor', async () => {
    const { code, stdout } = await runAdmin({}, ['schema']);
    expect(code).toBe(0);
    // The validator that linters of the OpenAPI document use.
    const { default: Validator } = createRequire(import.meta.url)('ajv/dist/2020.js') as {
      default: new (options: object) => { compile(schema: unknown): Validate };
    };
    const validate = new Validator({ strict: false, validateFormats: false }).compile(JSON.parse(stdout));
    fc.assert(
      fc.property(installations, (installation) => {
        expect([validate(JSON.parse(JSON.stringify(installation))), validate.errors]).toEqual([true, null]);
      }),
      { numRuns: 100 },
    );
    const key = { name: 'd', farm_id: 'F', url: 'https://d.example.com', health_key: 'as itself' };
    for (const wrong of [
      { site: [] },
      { sites: [{ name: 'A' }] },
      { sites: [{ name: 'A', uri: 'a', prioritty: 1 }] },
      { dispatchers: [key] },
      { authenticators: [{ name: 'A', small_name: 'a', type: 'ldap', params: { host: [] } }] },
    ])
      expect(validate(wrong)).toBe(false);
  });
});
