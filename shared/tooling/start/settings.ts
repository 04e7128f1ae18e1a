import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import type { z } from 'zod';
import { ConfigError } from '../../kernel/config-error.ts';
import { type Config, type Env, lineOf, names, parseConfig, variables } from '../../runtime/config/config.ts';
import { appendToConfigFile, readConfigFile } from './config-file.ts';
import { preparePrivateFolder, replaceFile, tryLock } from './data-folder.ts';
import { fileReason, inDataFolder } from './file-faults.ts';
import { misspeltNames } from './misspelt-names.ts';

export type Settings = {
  config: Config;
  /** The same as variables, for child processes; PEM is text here, paths are absolute. */
  env: Record<string, string>;
  /** No URL of a database is set: the embedded database is used. */
  embedded: boolean;
  /** Lines about variables of the environment that are probably misspelt settings. */
  misspelt: string[];
};

type Places = { dataDir: string; configFile: string };

/**
 * The settings of a Node process: the environment, then `CONFIG_FILE`. For the embedded database what is missing of
 * keys is generated once, into `DATA_DIR` and `CONFIG_FILE`.
 * @param makesAccessKeys generate the keys of health and metrics with any database: `npm start` does, the sidecar
 *   alone refuses everything without them
 * @param replacesLostKey generate a `SECRET_KEY` although the embedded database was sealed with another one
 * @throws ConfigError naming each bad variable
 */
export async function loadSettings(
  environment: Env = process.env,
  { makesAccessKeys = false, replacesLostKey = false } = {},
): Promise<Settings> {
  const places = placesOf(environment);
  const given = merge(environment, places);
  const embedded = given.DATABASE_URL === undefined && given.DATABASE_SIDECAR_URL === undefined;
  const secretKey = replacesLostKey ? newSecretKey : firstSecretKey;
  if (embedded) generateMissing(environment, places, { SECRET_KEY: secretKey, ...signingKey, ...accessKeys });
  else if (makesAccessKeys) generateMissing(environment, places, accessKeys);
  const env = { PORTAL_NAME: hostname(), ...merge(environment, places) };
  return { config: parseConfig(env), env, embedded, misspelt: misspeltNames(environment) };
}

const migrationVariables = variables
  .pick({ DATABASE_URL: true, DATABASE_OWNER_URL: true, DATABASE_SIDECAR_URL: true, ADMIN_PASSWORD: true })
  .partial();

export type MigrationSettings = z.infer<typeof migrationVariables>;

/**
 * What a migration needs, from the same places, whatever else is set or missing there.
 * @throws ConfigError naming each bad variable
 */
export function loadMigrationSettings(environment: Env = process.env): MigrationSettings {
  const given = merge(environment, placesOf(environment), migrationVariables.keyof().options);
  const parsed = migrationVariables.safeParse(given);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(lineOf));
  return parsed.data;
}

/**
 * The settings of a file under those of the environment, PEM files read.
 * @throws ConfigError for names that are not ours, and PEM files that cannot be read
 */
export function readSettings(environment: Env, path: string, named: string): Record<string, string> {
  readConfigFile(path, named);
  const { DATA_DIR: _, CONFIG_FILE: __, ...given } = merge(environment, { configFile: path, dataDir: '' });
  return given;
}

function placesOf(environment: Env): Places {
  const named = environment.CONFIG_FILE ? resolve(environment.CONFIG_FILE) : undefined;
  const inFile = named ? readConfigFile(named).DATA_DIR : undefined;
  const dataDir = environment.DATA_DIR
    ? resolve(environment.DATA_DIR)
    : resolve(named && inFile ? dirname(named) : '.', inFile || '.data');
  return { dataDir, configFile: named ?? join(dataDir, 'aggregator.conf') };
}

/** Paths in the environment start from the working directory, those in the file from its folder. */
function merge(
  environment: Env,
  { dataDir, configFile }: Places,
  wanted: readonly string[] = names,
): Record<string, string> {
  const file = readConfigFile(configFile);
  const merged: Record<string, string> = {};
  const faults: string[] = [];
  for (const name of wanted) {
    const own = environment[name] || undefined;
    const value = own ?? (file[name] || undefined);
    if (value === undefined) continue;
    try {
      merged[name] = readValue(name, value, own === undefined ? dirname(configFile) : '.');
    } catch (error) {
      // The value may be a key that lost its first line: it is not shown.
      faults.push(
        `${name}: must be PEM text, or name a file that can be read (${fileReason(error) ?? 'bad path'})`,
      );
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...merged, DATA_DIR: dataDir, CONFIG_FILE: configFile };
}

const pemOrFile = [
  'AGGREGATOR_JWT_SSL_KEY',
  'AGGREGATOR_JWT_SSL_KEY_SECOND',
  'RDP_SIGNING_CERT',
  'RDP_SIGNING_KEY',
];
const files = ['TLS_CERT_FILE', 'TLS_KEY_FILE'];

function readValue(name: string, value: string, base: string): string {
  if (files.includes(name)) return resolve(base, value);
  if (!pemOrFile.includes(name) || value.includes('-----BEGIN')) return value;
  return readFileSync(resolve(base, value), 'utf8');
}

/** Locked, so that two first starts at once end with the same keys. */
function generateMissing(environment: Env, places: Places, generators: Generators): void {
  const lock = inDataFolder(places.dataDir, () => {
    preparePrivateFolder(places.dataDir);
    return tryLock(join(places.dataDir, 'settings.lock'), 10_000);
  });
  if (!lock)
    throw new ConfigError([
      `DATA_DIR: another start is working on ${places.dataDir}; wait for it, or name another folder`,
    ]);
  try {
    const present = merge(environment, places);
    const missing = Object.entries(generators).filter(([name]) => present[name] === undefined);
    const made = inDataFolder(places.dataDir, () =>
      missing.map(([name, generate]) => [name, generate(places)]),
    );
    appendToConfigFile(places.configFile, Object.fromEntries(made));
  } finally {
    lock.release();
  }
}

const accessKey = (): string => randomBytes(24).toString('base64url');

type Generators = Readonly<Record<string, (places: Places) => string>>;

/**
 * Every process on one database must have `SECRET_KEY` and the signing key; with `DATABASE_URL` only an operator can hand
 * them to all.
 */
const signingKey: Generators = { AGGREGATOR_JWT_SSL_KEY: signingKeyFile };
const newSecretKey = (): string => randomBytes(32).toString('base64');

/** A new key would open nothing of a database that exists. */
function firstSecretKey({ dataDir, configFile }: Places): string {
  const database = join(dataDir, 'database');
  if (!existsSync(join(database, 'cluster.complete'))) return newSecretKey();
  throw new ConfigError([
    `SECRET_KEY: missing in ${configFile}, and the database in ${database} was sealed with one; restore the file from a backup, or, if the key is lost for good, run npm run admin -- replace-lost-key`,
  ]);
}

const accessKeys: Generators = { HEALTH_CHECK_ACCESS_KEY: accessKey, METRICS_ACCESS_KEY: accessKey };

/** A key file that is there already is used again: dispatchers trust it. */
function signingKeyFile({ dataDir, configFile }: Places): string {
  const path = join(dataDir, 'keys', 'aggregator-jwt.pem');
  preparePrivateFolder(dirname(path));
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    replaceFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600);
  }
  return relative(dirname(configFile), path);
}
