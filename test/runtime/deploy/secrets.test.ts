import { spawn } from 'node:child_process';
import { createPrivateKey, randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { root } from '../../../shared/tooling/build/bundles.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { databaseUrl, query } from '../../support/database/database.ts';
import { newSecretKey } from '../../support/identity/signing-keys.ts';
import { startPortal } from '../../support/portal.ts';
import { endOf, outputOf } from '../../support/processes/output.ts';
import { programFile } from '../../support/processes/programs.ts';
import { programVariables } from '../../support/program-variables.ts';
import { requireService } from '../../support/services.ts';
import { type CloudflareApi, startCloudflareApi } from '../../support/workers/cloudflare-api.ts';

/** Wrangler runs twice per module, and each run bundles all of them. */
const slow = { timeout: 300_000 };

let folder: string;
let name: string;
let url: string;
let api: CloudflareApi;
/** Called before secrets are stored. */
let onSecrets: (worker: string) => Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aggregator-deploy-secrets-'));
  name = `deploy_${randomUUID().replaceAll('-', '')}`;
  await query(inject('postgresUrl'), `create database ${name}`);
  url = databaseUrl(inject('postgresUrl'), name);
  onSecrets = async () => undefined;
  api = await startCloudflareApi(undefined, (worker) => onSecrets(worker));
});
afterEach(async () => {
  await api.close();
  await query(inject('postgresUrl'), `drop database ${name} with (force)`);
  rmSync(folder, { recursive: true, force: true });
});

const file = () => join(folder, 'portal.conf');
const write = (lines: Record<string, string>, mode = 0o600): void => {
  const text = Object.entries(lines).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(file(), text.join(''), { mode });
  chmodSync(file(), mode);
};
const settingIn = (key: string): string =>
  new RegExp(`^${key}=(.*)$`, 'm').exec(readFileSync(file(), 'utf8'))?.[1] ?? '';

function start(args: readonly string[]) {
  const child = spawn(
    process.execPath,
    [programFile('shared/tooling/deploy/deploy.ts'), ...args, '--secrets', file()],
    {
      cwd: root,
      env: {
        ...programVariables,
        HOME: folder,
        XDG_CONFIG_HOME: folder,
        CLOUDFLARE_API_BASE_URL: api.url,
        CLOUDFLARE_API_TOKEN: 'token',
        CLOUDFLARE_ACCOUNT_ID: 'account-1',
      },
    },
  );
  const output = outputOf(child);
  return { child, output, end: endOf(child, output) };
}
const deploy = (...args: string[]) => start(args).end;
const own = () => ({ BASE_URL: 'https://portal.example.org', DATABASE_URL: url });
const signing = 'AGGREGATOR_JWT_SSL_KEY';

requireService('postgresql', findBinaries() !== undefined)('npm run deploy --secrets', () => {
  it(
    'generates missing secrets into the file, and gives each module its own secrets only',
    slow,
    async () => {
      write(own());
      const { code, stdout, stderr } = await deploy('auth', 'discover');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(
        /^generated SECRET_KEY, AGGREGATOR_JWT_SSL_KEY, HEALTH_CHECK_ACCESS_KEY, METRICS_ACCESS_KEY in \S+\n/,
      );
      expect(stdout).toContain(`set DATABASE_URL, SECRET_KEY, ${signing} of auth\ndeployed auth\n`);
      expect(stdout).toContain('set DATABASE_URL, SECRET_KEY of discover\ndeployed discover\n');
      expect(statSync(file()).mode & 0o777).toBe(0o600);
      expect(settingIn('DATABASE_URL')).toBe(url);
      const [auth, discover] = ['auth', 'discover'].map((module) => api.workers.get(`aggregator-${module}`));
      expect(discover?.values).toEqual({ DATABASE_URL: url, SECRET_KEY: settingIn('SECRET_KEY') });
      expect(auth?.values).toEqual({ ...discover?.values, [signing]: settingIn(signing) });
      expect(auth?.variables).toMatchObject({ BASE_URL: 'https://portal.example.org' });
      const values = [settingIn('SECRET_KEY'), settingIn(signing), url];
      for (const value of values) expect(stdout + stderr).not.toContain(value);
      const made = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      for (const entry of made.filter((one) => one.name !== 'portal.conf'))
        for (const value of values)
          expect(readFileSync(join(entry.parentPath, entry.name), 'utf8')).not.toContain(value);
    },
  );

  it('continues an interrupted deployment with the keys that it had generated', slow, async () => {
    write(own());
    const first = start(['auth', 'discover']);
    const reached = new Promise<void>((resolve) => {
      onSecrets = async (worker) => {
        if (worker !== 'aggregator-discover') return;
        resolve();
        first.child.kill('SIGKILL');
        await first.end;
        throw new Error('the client has gone');
      };
    });
    await Promise.race([reached, first.end]);
    await first.end;
    expect(first.output.stdout).toContain('deployed auth\n');
    const keys = [settingIn('SECRET_KEY'), settingIn(signing)];
    expect(keys[0]).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    onSecrets = async () => undefined;
    const { code, stdout, stderr } = await deploy('auth', 'discover');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('generated');
    expect([settingIn('SECRET_KEY'), settingIn(signing)]).toEqual(keys);
    for (const module of ['auth', 'discover'])
      expect(api.workers.get(`aggregator-${module}`)?.values.SECRET_KEY).toBe(keys[0]);
  });

  it('removes the secrets from an error message that repeats them', slow, async () => {
    write(own());
    onSecrets = () => Promise.reject(new Error('refused'));
    const { code, stdout, stderr } = await deploy('auth');
    expect(code).toBe(1);
    expect(stderr).toContain('wrangler secret bulk --env auth');
    expect(stderr).toContain('***');
    for (const value of [
      settingIn('SECRET_KEY'),
      settingIn(signing),
      url,
      JSON.stringify(settingIn(signing)),
    ])
      expect(stdout + stderr).not.toContain(value);
    expect(api.workers.get('aggregator-auth')?.values).toEqual({});
  });

  it(
    'rejects a file readable by others, a misspelt name and an incomplete group, without an API call',
    slow,
    async () => {
      write(own(), 0o644);
      expect((await deploy('auth')).stderr).toBe(
        `--secrets: ${file()} can be read by other users (mode 0644); run chmod 600 ${file()}\n`,
      );
      write({ ...own(), SECRET_KEYS: 'x' });
      expect((await deploy('auth')).stderr).toBe(
        'SECRET_KEYS: not a setting; did you mean SECRET_KEY? (--secrets, line 3)\n',
      );
      write({ ...own(), SECRET_KEY: randomBytes(8).toString('base64') });
      expect((await deploy('auth')).stderr).toMatch(/^SECRET_KEY: must be base64 of 32 bytes/);
      write({ ...own(), S3_BUCKET: 'exports' });
      expect((await deploy('webui')).stderr.split('\n')).toContain('S3_ENDPOINT: required by webui');
      expect(api.calls).toEqual([]);
    },
  );

  it('never generates a key for a database that has one, and rejects a different one', slow, async () => {
    const portal = await startPortal();
    const { assertSecretKey } = await import('../../../shared/runtime/config/secret-key.ts');
    try {
      await assertSecretKey(portal.deps.db, portal.deps.sealer);
      url = portal.databaseUrl;
      write(own());
      const before = readFileSync(file(), 'utf8');
      const { code, stderr } = await deploy('auth');
      expect([code, stderr.trimEnd().split('\n')]).toEqual([
        1,
        ['SECRET_KEY', signing].map(
          (key) => `${key}: missing in ${file()}, and the database has one in use; add that key to the file`,
        ),
      ]);
      expect(readFileSync(file(), 'utf8')).toBe(before);
      write({ ...own(), SECRET_KEY: newSecretKey() });
      expect((await deploy('auth')).stderr).toMatch(/^SECRET_KEY: the database was sealed with the key /);
      expect(api.calls).toEqual([]);
    } finally {
      await portal.close();
    }
  });
});

requireService('postgresql', findBinaries() !== undefined)('npm run deploy -- lambda', () => {
  it('writes the JSON object that lambda.yaml reads from Secrets Manager', slow, async () => {
    write({ ...own(), RDP_SIGNING_CERT: 'cert.pem' });
    const output = join(folder, 'secrets.json');
    expect((await deploy('lambda', '--output', output)).stderr).toMatch(
      /^RDP_SIGNING_CERT: must be PEM text or the path of a readable file/,
    );
    write(own());
    const { code, stdout, stderr } = await deploy('lambda', '--output', output);
    expect([code, stderr, stdout.includes(settingIn('SECRET_KEY'))]).toEqual([0, '', false]);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const secret = JSON.parse(readFileSync(output, 'utf8'));
    expect(createPrivateKey(secret[signing]).asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    const template = readFileSync(join(root, 'functions/deploy/lambda.yaml'), 'utf8');
    const read = new Set([...template.matchAll(/:SecretString:(\w+)/g)].map(([, key]) => key));
    for (const key of Object.keys(secret)) expect(read).toContain(key);
    expect(secret).toMatchObject({ DATABASE_URL: url, SECRET_KEY: settingIn('SECRET_KEY') });
  });
});

describe('npm run deploy --secrets --dry-run', () => {
  it('writes nothing and makes no API call', slow, async () => {
    write(own());
    const before = readFileSync(file(), 'utf8');
    const { code, stdout } = await deploy('auth', '--dry-run');
    expect([code, stdout.split('\n')[0]]).toEqual([
      0,
      `would generate SECRET_KEY, ${signing}, HEALTH_CHECK_ACCESS_KEY, METRICS_ACCESS_KEY`,
    ]);
    expect(readFileSync(file(), 'utf8')).toBe(before);
    expect(api.calls).toEqual([]);
  });
});
