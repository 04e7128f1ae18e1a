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
 * Prepares a database at every start: the built-in roles follow this version; an empty one gets the domain
 * `Built-in` and the user `admin`.
 * @param wanted `ADMIN_PASSWORD`; a password is generated without it
 * @returns the generated password, the only time it is known
 * @throws ConfigError when `wanted` breaks the password policy
 */
export async function prepareInstallation(
  db: Db,
  hasher: Hasher,
  wanted: string | undefined,
): Promise<string | undefined> {
  await atomically(db, (h) => [setBuiltinRoles(h, builtinRoles)]);
  if (await hasDomains(db)) return undefined;
  const password = wanted ?? randomToken().slice(0, 24);
  assertWanted(password);
  const hash = await hasher.hash(password);
  try {
    await atomically(db, (h) => addFirstAdministrator(h, builtinType, hash));
  } catch (error) {
    // Another process has prepared the same database in this moment.
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
  return wanted === undefined ? password : undefined;
}

const administrator = { name: 'admin', domain: { twoFactor: false } };

/** The policy speaks to people in forms; whoever starts a process reads names of variables. */
function assertWanted(password: string): void {
  const parameters = parametersFrom(null);
  try {
    assertPassword(password, administrator, parameters, 'ADMIN_PASSWORD');
  } catch (cause) {
    const shortest = shortestPassword(parameters, administrator.domain);
    const expected = `a password of ${shortest} to ${longestPassword} characters, not a common one, without "admin" in it`;
    throw new ConfigError([`ADMIN_PASSWORD: must be ${expected}`], { cause });
  }
}
