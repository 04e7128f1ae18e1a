import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { connectPg } from '../../../db/pg.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { createSealer } from '../../kernel/crypto/sealing.ts';
import { type Env, lineOf } from '../../runtime/config/config.ts';
import { isSealed, isSecretKeyChecked } from '../../runtime/config/secret-key.ts';
import { variables } from '../../runtime/config/variables.ts';
import { databaseFault } from '../../runtime/database-faults.ts';
import type { EdgeModule } from '../build/bundles.ts';
import { appendToConfigFile, replaceInConfigFile } from '../start/config-file.ts';
import { fileReason } from '../start/file-faults.ts';
import { readSettings } from '../start/settings.ts';
import { missingSecrets, secretsOf, variablesIn } from './module-secrets.ts';

const option = '--secrets';

/** Keys that can be generated at deployment. The last two are for the sidecar, which reads the same file. */
const generators: Readonly<Record<string, () => string>> = {
  SECRET_KEY: () => randomBytes(32).toString('base64'),
  AGGREGATOR_JWT_SSL_KEY: () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
      .trim()
      // A settings file has one line per variable.
      .replaceAll('\n', '\\n'),
  HEALTH_CHECK_ACCESS_KEY: () => randomBytes(24).toString('base64url'),
  METRICS_ACCESS_KEY: () => randomBytes(24).toString('base64url'),
};

/** Keys that belong to an installation: another key opens none of its secrets, and is unknown to dispatchers. */
const lasting = ['SECRET_KEY', 'AGGREGATOR_JWT_SSL_KEY'];

export type SecretsFile = {
  /** Settings of the file, overridden by the environment. */
  settings: Record<string, string>;
  /** Names of the keys that are missing in the file. */
  absent: string[];
};

/**
 * Reads the secrets file: `KEY=value` lines, readable by the owner only. A missing file counts as empty.
 * @throws ConfigError with one line per error
 */
export function readSecretsFile(path: string, environment: Env): SecretsFile {
  assertPrivate(path);
  const settings = readSettings(environment, path, option);
  const parsed = variables.safeParse(settings);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(lineOf));
  return { settings, absent: Object.keys(generators).filter((name) => !settings[name]) };
}

/** @throws ConfigError for a file that other users can read, or that is not a regular file */
function assertPrivate(path: string): void {
  if (!existsSync(path)) return;
  const found = statSync(path);
  if (!found.isFile()) throw new ConfigError([`${option}: ${path} is not a file`]);
  const mode = found.mode & 0o777;
  if ((mode & 0o077) === 0) return;
  const shown = mode.toString(8).padStart(4, '0');
  throw new ConfigError([
    `${option}: ${path} can be read by other users (mode ${shown}); run chmod 600 ${path}`,
  ]);
}

/**
 * Generates missing keys and writes them to the file before they are used. If the database already has a key, keys
 * are not generated, and the key of the file is checked.
 * @returns the settings with the generated keys, and their names
 * @throws ConfigError for keys that the installation has but the file lacks, and for a `SECRET_KEY` of another
 * database
 */
export async function completeSecrets(
  path: string,
  environment: Env,
  { settings, absent }: SecretsFile,
): Promise<{ settings: Record<string, string>; generated: string[] }> {
  const { DATABASE_URL: url } = settings;
  if (!url) throw new ConfigError(['DATABASE_URL: required to deploy']);
  if (await hasKey(url, settings.SECRET_KEY)) {
    const lost = lasting.filter((name) => absent.includes(name));
    if (lost.length > 0)
      throw new ConfigError(
        lost.map(
          (name) => `${name}: missing in ${path}, and the database has one in use; add that key to the file`,
        ),
      );
  }
  if (absent.length === 0) return { settings, generated: [] };
  const made = Object.fromEntries(absent.map((name) => [name, generators[name]?.() ?? '']));
  write(path, made);
  return { settings: readSettings(environment, path, option), generated: absent };
}

/** @throws ConfigError if the keys are not those of the database, or the database is unreachable */
async function hasKey(url: string, secretKey: string | undefined): Promise<boolean> {
  const { db, close } = connectPg({ url, applicationName: 'aggregator-deploy', maxConnections: 1 });
  try {
    if (!(await isSealed(db))) return false;
    if (secretKey)
      await isSecretKeyChecked(db, await createSealer(secretKey.split(',').map((key) => key.trim())));
    return true;
  } catch (error) {
    throw databaseFault('DATABASE_URL', url, error);
  } finally {
    await close();
  }
}

function write(path: string, made: Record<string, string>): void {
  try {
    if (existsSync(path)) replaceInConfigFile(path, made);
    else appendToConfigFile(path, made);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError([`${option}: ${path} cannot be written (${fileReason(error) ?? String(error)})`]);
  }
}

/**
 * The secrets of a module that are in the settings; variables that it does not use are omitted.
 * @throws ConfigError for a missing required secret
 */
export function secretsFor(
  module: EdgeModule,
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const { required, groups } = secretsOf(module);
  const values = [...required, ...groups.flatMap(variablesIn)].flatMap((name) => {
    const value = settings[name];
    return value ? [[name, value] as const] : [];
  });
  const missing = missingSecrets(module, new Set(values.map(([name]) => name)));
  if (missing.length > 0) throw new ConfigError(missing.map((name) => `${name}: required by ${module}`));
  return Object.fromEntries(values);
}
