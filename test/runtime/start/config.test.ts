import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DrizzleQueryError } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../shared/kernel/config-error.ts';
import { parseConfig } from '../../../shared/runtime/config/config.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { loadSettings } from '../../../shared/tooling/start/settings.ts';
import { newSecretKey } from '../../support/identity/signing-keys.ts';
import { programVariables } from '../../support/program-variables.ts';

const run = promisify(execFile);
const pem = '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----';

/** The lines of a configuration error. */
function faultsOf(env: Record<string, string>): string[] {
  try {
    parseConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n');
  }
}

describe('the configuration', () => {
  it('returns the documented defaults, and an empty variable counts as unset', () => {
    expect(parseConfig({ PORT: '', TLS: '' })).toMatchObject({
      host: '127.0.0.1',
      port: 8443,
      healthPort: 8100,
      portalType: 'universal',
      baseUrl: 'https://localhost:8443',
      tls: true,
      trustProxy: 0,
      allowedPrivateNetworks: [],
      allowInsecureDispatchers: false,
      logLevel: 'info',
    });
  });

  it('splits lists and removes the slash at the end of the base URL', () => {
    const keys = [newSecretKey(), newSecretKey()];
    const config = parseConfig({
      SECRET_KEY: keys.join(', '),
      ALLOWED_PRIVATE_NETWORKS: '10.0.0.0/8,fd00::/8',
      BASE_URL: 'https://portal.test/',
      HOST: '0.0.0.0',
    });
    expect(config.secretKey).toEqual(keys);
    expect(config.allowedPrivateNetworks).toEqual(['10.0.0.0/8', 'fd00::/8']);
    expect(config.baseUrl).toBe('https://portal.test');
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['HEALTH_PORT', '-1'],
    ['TLS', 'yes'],
    ['PORTAL_TYPE', 'both'],
    ['LOG_LEVEL', 'trace'],
    ['TRUST_PROXY', 'true'],
    ['SECRET_KEY', 'c2hvcnQ='],
    ['ALLOWED_PRIVATE_NETWORKS', '10.0.0.0/33'],
    ['ALLOWED_PRIVATE_NETWORKS', 'somewhere'],
    ['BASE_URL', 'http://portal.test'],
    ['BASE_URL', 'https://user@portal.test'],
    ['BASE_URL', 'http://localhost:8443'],
    ['DATABASE_URL', 'mysql://db.test'],
    ['AGGREGATOR_JWT_SSL_KEY', 'not-pem-at-all'],
    ['HEALTH_CHECK_ACCESS_KEY', 'x'.repeat(65)],
    ['HEALTH_CHECK_URL_KEY', 'x'.repeat(31)],
    ['HEALTH_CHECK_URL_KEY', `${'x'.repeat(40)}/`],
    ['HEALTH_CHECK_URL_KEY', `${'x'.repeat(40)}é`],
    ['HEALTH_CHECK_URL_KEY', 'x'.repeat(257)],
    ['ALLOW_INSECURE_DISPATCHERS', 'yes'],
  ])('rejects %s=%s with its name and without its value', (name, value) => {
    const faults = faultsOf({ [name]: value });
    expect(faults[0]).toMatch(new RegExp(`^${name}: .{5,}`));
    if (value.length > 3) expect(faults.join('\n')).not.toContain(value);
  });

  it('reports every invalid variable in a separate line', () => {
    expect(faultsOf({ PORT: 'x', TLS: 'x', LOG_LEVEL: 'x' }).map((line) => line.split(':')[0])).toEqual([
      'PORT',
      'TLS',
      'LOG_LEVEL',
    ]);
  });

  it('requires variables that belong together', () => {
    const required = (env: Record<string, string>) => faultsOf(env).map((line) => line.split(':')[0]);
    expect(required({ DATABASE_URL: 'postgres://db.test/x' })).toEqual([
      'SECRET_KEY',
      'AGGREGATOR_JWT_SSL_KEY',
    ]);
    expect(
      required({
        DATABASE_URL: 'postgresql://db/x',
        SECRET_KEY: newSecretKey(),
        AGGREGATOR_JWT_SSL_KEY: pem,
      }),
    ).toEqual([]);
    expect(required({ HOST: '0.0.0.0' })).toEqual(['BASE_URL']);
    expect(required({ HOST: '0.0.0.0', BASE_URL: 'https://a.test', TLS: 'off' })).toEqual(['TLS']);
    expect(required({ TLS: 'off', BASE_URL: 'http://localhost:1' })).toEqual([]);
    expect(required({ TLS_CERT_FILE: 'cert.pem' })).toEqual(['TLS_KEY_FILE']);
    expect(required({ S3_BUCKET: 'b' })).toHaveLength(4);
    expect(required({ RDP_SIGNING_KEY: pem })).toEqual(['RDP_SIGNING_CERT']);
    expect(required({ RDP_SIGNING_CERT: pem.replaceAll('PRIVATE KEY', 'CERTIFICATE') })).toEqual([
      'RDP_SIGNING_KEY',
    ]);
    expect(required({ FLUENTD_SHARED_KEY: 'k' })).toEqual(['FLUENTD_URL']);
  });
});

describe('the stored settings', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'settings-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const modeOf = (path: string) => statSync(path).mode & 0o777;

  it('generates the missing keys once, readable by their owner only', async () => {
    const dataDir = join(folder, 'first');
    const first = await loadSettings({ DATA_DIR: dataDir });
    const second = await loadSettings({ DATA_DIR: dataDir });
    expect(first.embedded).toBe(true);
    expect(first.config.aggregatorJwtSslKey).toContain('BEGIN PRIVATE KEY');
    expect(first.config.healthCheckAccessKey).toMatch(/^[\w-]{32}$/);
    expect(first.config.metricsAccessKey).not.toBe(first.config.healthCheckAccessKey);
    expect(second).toEqual(first);
    expect(modeOf(dataDir)).toBe(0o700);
    expect(modeOf(join(dataDir, 'aggregator.conf'))).toBe(0o600);
    expect(modeOf(join(dataDir, 'keys/aggregator-jwt.pem'))).toBe(0o600);
  });

  it('keeps the values of the user, and the environment takes precedence', async () => {
    const file = join(folder, 'mine.conf');
    const mine = `# mine\nPORT=9000\nLOG_LEVEL="debug"\n\nDATA_DIR='data'\nSECRET_KEY=${newSecretKey()}`;
    writeFileSync(file, mine);
    const { config } = await loadSettings({ CONFIG_FILE: file, PORT: '9001' });
    expect(config).toMatchObject({ port: 9001, logLevel: 'debug', dataDir: join(folder, 'data') });
    const written = readFileSync(file, 'utf8');
    expect(written.startsWith(`${mine}\n`)).toBe(true);
    expect(written.match(/SECRET_KEY/g)).toHaveLength(1);
    expect(written).not.toMatch(/9001|ADMIN_PASSWORD/);
  });

  it('generates nothing for a configured database', async () => {
    const dataDir = join(folder, 'given');
    const load = loadSettings({ DATA_DIR: dataDir, DATABASE_URL: 'postgres://db.test/x' });
    await expect(load).rejects.toThrow(/^SECRET_KEY: .*\nAGGREGATOR_JWT_SSL_KEY: /);
    expect(statSync(dataDir, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('reads keys from files and names an unreadable one', async () => {
    const file = join(folder, 'key.pem');
    writeFileSync(file, pem);
    const given = {
      DATA_DIR: join(folder, 'given'),
      DATABASE_URL: 'postgres://db.test/x',
      SECRET_KEY: newSecretKey(),
    };
    const { config, env } = await loadSettings({ ...given, AGGREGATOR_JWT_SSL_KEY: file });
    expect(config.aggregatorJwtSslKey).toBe(pem);
    expect(env.AGGREGATOR_JWT_SSL_KEY).toBe(pem);
    const absent = loadSettings({ ...given, AGGREGATOR_JWT_SSL_KEY: join(folder, 'absent.pem') });
    await expect(absent).rejects.toThrow(/^AGGREGATOR_JWT_SSL_KEY: /);
  });

  it('rejects malformed lines', async () => {
    const file = join(folder, 'odd.conf');
    writeFileSync(file, 'PORT=1\nwhat is this\nPROT=2\n');
    await expect(loadSettings({ CONFIG_FILE: file })).rejects.toThrow(/line 2 .*\nPROT: /);
  });

  it('returns the same keys to concurrent first starts', async () => {
    const module = new URL('../../../shared/tooling/start/settings.ts', import.meta.url).href;
    const script = `const { loadSettings } = await import('${module}');
      console.log((await loadSettings()).config.secretKey[0])`;
    const env = { ...programVariables, DATA_DIR: join(folder, 'race') };
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
    const starts = await Promise.all([1, 2, 3, 4].map(() => run(process.execPath, args, { env })));
    expect(new Set(starts.map(({ stdout }) => stdout)).size).toBe(1);
    expect(readFileSync(join(folder, 'race/aggregator.conf'), 'utf8').match(/SECRET_KEY/g)).toHaveLength(1);
  });
});

describe('the log', () => {
  it('writes one JSON line that no field can forge, with errors and their causes', () => {
    const lines: string[] = [];
    const log = createLog({ level: 'info', write: (line) => lines.push(line) });
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    log.debug('dropped');
    log.error('failed\n\u001b[2J\u009b', {
      level: 'info',
      module: 'auth',
      error: new TypeError('outer', { cause }),
      count: 1n,
    });
    expect(lines).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    const line = JSON.parse(lines[0] ?? '');
    expect(line).toMatchObject({
      level: 'error',
      module: 'auth',
      count: '1',
      error: { name: 'TypeError', message: 'outer', cause: { code: 'ECONNREFUSED', message: 'refused' } },
    });
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('omits the parameters of a failed statement at every level of the error', () => {
    const lines: string[] = [];
    const failed = new DrizzleQueryError(
      'insert into "users" values ($1, $2)',
      ['anna', 'scrypt$hash'],
      new Error('refused'),
    );
    const error = new Error(`The login failed: ${failed.message}`, { cause: failed });
    createLog({ write: (line) => lines.push(line) }).error('internal', { error });
    expect(lines[0]).not.toMatch(/anna|scrypt|params/);
    const { cause } = JSON.parse(lines[0] ?? '').error;
    expect(cause.message).toBe('Failed query: insert into "users" values ($1, $2)');
    expect(cause.stack).toMatch(/^Error: Failed query: .*\n {4}at .*config\.test/);
    expect(cause.cause.message).toBe('refused');
  });

  it('accepts values that JSON cannot represent', () => {
    const lines: string[] = [];
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    createLog({ write: (line) => lines.push(line) }).info('odd', {
      circle,
      broken: { toJSON: () => BigInt(1) },
    });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'odd' });
  });
});
