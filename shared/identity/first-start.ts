import { atomically, type Db } from '../../db/client.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import {
  addFirstAdministrator,
  hasDomains,
  setBuiltinRoles,
} from '../../db/repositories/settings/first-start.ts';
import { builtinRoles } from '../context/permissions.ts';
import { ConfigError } from '../kernel/config-error.ts';
import { randomToken } from '../kernel/crypto/digests.ts';
import { parametersFrom } from '../kernel/system-parameters.ts';
import { builtinType } from './domains/registry.ts';
import { assertPassword, longestPassword, shortestPassword } from './password-policy.ts';
import type { Hasher } from './passwords.ts';

/**
 * Prepares the database at every start. Updates the built-in roles to this version. An empty database receives the
 * domain `Built-in` and the user `admin`.
 * @param configuredPassword `ADMIN_PASSWORD`; without it a password is generated
 * @returns the generated password, which is stored only as a hash
 * @throws ConfigError if `wanted` violates the password policy
 */
export async function prepareInstallation(
  db: Db,
  hasher: Hasher,
  configuredPassword: string | undefined,
): Promise<string | undefined> {
  await atomically(db, (h) => [setBuiltinRoles(h, builtinRoles)]);
  if (await hasDomains(db)) return undefined;
  const password = configuredPassword ?? randomToken().slice(0, 24);
  assertPasswordPolicy(password);
  const hash = await hasher.hash(password);
  try {
    await atomically(db, (h) => addFirstAdministrator(h, builtinType, hash));
  } catch (error) {
    // Another process has prepared the same database in the meantime.
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
  return configuredPassword === undefined ? password : undefined;
}

const administrator = { name: 'admin', domain: { twoFactor: false } };

/** Converts the policy error, which refers to a form field, to an error that names the variable. */
function assertPasswordPolicy(password: string): void {
  const parameters = parametersFrom(null);
  try {
    assertPassword(password, administrator, parameters, 'ADMIN_PASSWORD');
  } catch (cause) {
    const shortest = shortestPassword(parameters, administrator.domain);
    const expected = `a password of ${shortest} to ${longestPassword} characters, not a common one, without "admin" in it`;
    throw new ConfigError([`ADMIN_PASSWORD: must be ${expected}`], { cause });
  }
}
