import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { connectPg } from '../../../db/pg.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { createSealer } from '../../kernel/crypto/sealing.ts';
import { type Env, lineOf, variables } from '../../runtime/config/config.ts';
import { isSealed, isSecretKeyChecked } from '../../runtime/config/secret-key.ts';
import { databaseFault } from '../../runtime/database-faults.ts';
import type { EdgeModule } from '../build/bundles.ts';
import { appendToConfigFile, replaceInConfigFile } from '../start/config-file.ts';
import { fileReason } from '../start/file-faults.ts';
import { readSettings } from '../start/settings.ts';
import { missingSecrets, secretsOf, variablesIn } from './module-secrets.ts';

const option = '--secrets';

/** Keys that a deployment can make for itself; the last two are for the sidecar, which reads the same file. */
const generators: Readonly<Record<string, () => string>> = {
  SECRET_KEY: () => randomBytes(32).toString('base64'),
  AGGREGATOR_JWT_SSL_KEY: () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
      .trim()
      // A file of settings has one line for each.
      .replaceAll('\n', '\\n'),
  HEALTH_CHECK_ACCESS_KEY: () => randomBytes(24).toString('base64url'),
  METRICS_ACCESS_KEY: () => randomBytes(24).toString('base64url'),
};

/** Keys that belong to an installation: another one opens nothing of its database, and dispatchers do not know it. */
const lasting = ['SECRET_KEY', 'AGGREGATOR_JWT_SSL_KEY'];

export type SecretsFile = {
  /** The settings of the file under those of the environment. */
  settings: Record<string, string>;
  /** Names of the keys that the file lacks. */
  absent: string[];
};

/**
 * Reads the file of secrets: `KEY=value` lines that only its owner may read. An absent file is an empty one.
 * @throws ConfigError with one line for each fault
 */
export function readSecretsFile(path: string, environment: Env): SecretsFile {
  assertPrivate(path);
  const settings = readSettings(environment, path, option);
  const parsed = variables.safeParse(settings);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(lineOf));
  return { settings, absent: Object.keys(generators).filter((name) => !settings[name]) };
}

/** @throws ConfigError for a file that others can read, and for one that is no file */
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
 * Generates the keys that the file lacks and writes them into it, before anything uses them. The database is asked whether it
 * has a key already: then the keys are not generated, and that of the file is checked.
 * @returns the settings with the generated keys, and their names
 * @throws ConfigError for keys that the installation has and the file lacks, and for a `SECRET_KEY` of another database
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

/** @throws ConfigError when the keys are not those of the database, or it does not answer */
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
 * The secrets of a module, as far as the settings have them; a variable that it does not use is not among them.
 * @throws ConfigError for a secret that it needs
 */
export function secretsFor(
  module: EdgeModule,
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const { required, groups } = secretsOf(module);
  const given = [...required, ...groups.flatMap(variablesIn)].flatMap((name) => {
    const value = settings[name];
    return value ? [[name, value] as const] : [];
  });
  const missing = missingSecrets(module, new Set(given.map(([name]) => name)));
  if (missing.length > 0) throw new ConfigError(missing.map((name) => `${name}: required by ${module}`));
  return Object.fromEntries(given);
}
