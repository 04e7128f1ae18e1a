import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import type { z } from 'zod';
import { ConfigError } from '../../kernel/config-error.ts';
import { type Config, type Env, lineOf, parseConfig } from '../../runtime/config/config.ts';
import { names, namesThatHold, variables } from '../../runtime/config/variables.ts';
import { appendToConfigFile, readConfigFile } from './config-file.ts';
import { preparePrivateFolder, replaceFile, tryLock } from './data-folder.ts';
import { fileReason, inDataFolder } from './file-faults.ts';
import { misspeltNames } from './misspelt-names.ts';

export type Settings = {
  config: Config;
  /** The settings as variables for child processes, with PEM as text and absolute paths. */
  env: Record<string, string>;
  /** True if no database URL is set and the embedded database is used. */
  embedded: boolean;
  /** Warnings about environment variables that are probably misspelt settings. */
  misspelt: string[];
};

type Places = { dataDir: string; configFile: string };

/**
 * Reads the settings of a Node process: the environment, then `CONFIG_FILE`. For the embedded database missing keys
 * are generated once, into `DATA_DIR` and `CONFIG_FILE`.
 * @param makesAccessKeys generate the access keys of health and metrics with any database, for `npm start`; a
 * separate sidecar rejects all requests without them
 * @param replacesLostKey generate a `SECRET_KEY` although the embedded database was sealed with another one
 * @throws ConfigError with each invalid variable
 */
export async function loadSettings(
  environment: Env = process.env,
  { makesAccessKeys = false, replacesLostKey = false } = {},
): Promise<Settings> {
  const places = placesOf(environment);
  const values = merge(environment, places);
  const embedded = values.DATABASE_URL === undefined && values.DATABASE_SIDECAR_URL === undefined;
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
 * The settings of a migration, from the same sources; other settings are not validated.
 * @throws ConfigError with each invalid variable
 */
export function loadMigrationSettings(environment: Env = process.env): MigrationSettings {
  const values = merge(environment, placesOf(environment), migrationVariables.keyof().options);
  const parsed = migrationVariables.safeParse(values);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(lineOf));
  return parsed.data;
}

/**
 * The settings of a file, overridden by the environment, with PEM files read.
 * @throws ConfigError for unknown names and unreadable PEM files
 */
export function readSettings(environment: Env, path: string, named: string): Record<string, string> {
  readConfigFile(path, named);
  const { DATA_DIR: _, CONFIG_FILE: __, ...values } = merge(environment, { configFile: path, dataDir: '' });
  return values;
}

function placesOf(environment: Env): Places {
  const named = environment.CONFIG_FILE ? resolve(environment.CONFIG_FILE) : undefined;
  const inFile = named ? readConfigFile(named).DATA_DIR : undefined;
  const dataDir = environment.DATA_DIR
    ? resolve(environment.DATA_DIR)
    : resolve(named && inFile ? dirname(named) : '.', inFile || '.data');
  return { dataDir, configFile: named ?? join(dataDir, 'aggregator.conf') };
}

/** Relative paths in the environment start from the working directory, those in the file from its folder. */
function merge(
  environment: Env,
  { dataDir, configFile }: Places,
  selected: readonly string[] = names,
): Record<string, string> {
  const file = readConfigFile(configFile);
  const merged: Record<string, string> = {};
  const faults: string[] = [];
  for (const name of selected) {
    const own = environment[name] || undefined;
    const value = own ?? (file[name] || undefined);
    if (value === undefined) continue;
    try {
      merged[name] = readValue(name, value, own === undefined ? dirname(configFile) : '.');
    } catch (error) {
      // The value is not shown, because it may be a key without its first line.
      faults.push(
        `${name}: must be PEM text or the path of a readable file (${fileReason(error) ?? 'bad path'})`,
      );
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...merged, DATA_DIR: dataDir, CONFIG_FILE: configFile };
}

const pemOrFile = namesThatHold('pem');
const files = namesThatHold('path');

function readValue(name: string, value: string, base: string): string {
  if (files.includes(name)) return resolve(base, value);
  if (!pemOrFile.includes(name) || value.includes('-----BEGIN')) return value;
  return readFileSync(resolve(base, value), 'utf8');
}

/** Locked, so that two concurrent first starts use the same keys. */
function generateMissing(environment: Env, places: Places, generators: Generators): void {
  const lock = inDataFolder(places.dataDir, () => {
    preparePrivateFolder(places.dataDir);
    return tryLock(join(places.dataDir, 'settings.lock'), 10_000);
  });
  if (!lock)
    throw new ConfigError([
      `DATA_DIR: another start is in progress in ${places.dataDir}; wait for it, or set another folder`,
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
 * All processes of one database must share `SECRET_KEY` and the signing key. With `DATABASE_URL` only an operator can
 * distribute them.
 */
const signingKey: Generators = { AGGREGATOR_JWT_SSL_KEY: signingKeyFile };
const newSecretKey = (): string => randomBytes(32).toString('base64');

/** A new key cannot open the secrets of an existing database. */
function firstSecretKey({ dataDir, configFile }: Places): string {
  const database = join(dataDir, 'database');
  if (!existsSync(join(database, 'cluster.complete'))) return newSecretKey();
  throw new ConfigError([
    `SECRET_KEY: missing in ${configFile}, and the database in ${database} was sealed with one; restore the file from a backup, or, if the key is lost for good, run npm run admin -- replace-lost-key`,
  ]);
}

const accessKeys: Generators = { HEALTH_CHECK_ACCESS_KEY: accessKey, METRICS_ACCESS_KEY: accessKey };

/** An existing key file is reused, because dispatchers trust it. */
function signingKeyFile({ dataDir, configFile }: Places): string {
  const path = join(dataDir, 'keys', 'aggregator-jwt.pem');
  preparePrivateFolder(dirname(path));
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    replaceFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600);
  }
  return relative(dirname(configFile), path);
}
