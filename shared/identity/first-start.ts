import { atomically, type Db } from '../../db/client.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { addFirstAdministrator, hasDomains, setBuiltinRoles } from '../../db/repositories/first-start.ts';
import { builtinRoles } from '../access/permissions.ts';
import { randomToken } from '../kernel/digests.ts';
import { parametersFrom } from '../kernel/system-parameters.ts';
import { assertPassword } from './password-policy.ts';
import type { Hasher } from './passwords.ts';

/**
 * Prepares a database at every start: the built-in roles follow this version; an empty one gets the domain
 * `Built-in` and the user `admin`.
 * @param wanted `ADMIN_PASSWORD`; a password is generated without it
 * @returns the generated password, the only time it is known
 * @throws AppError `invalid_request` when `wanted` breaks the password policy
 */
export async function prepareInstallation(
  db: Db,
  hasher: Hasher,
  wanted: string | undefined,
): Promise<string | undefined> {
  await atomically(db, (h) => [setBuiltinRoles(h, builtinRoles)]);
  if (await hasDomains(db)) return undefined;
  const password = wanted ?? randomToken().slice(0, 24);
  assertPassword(
    password,
    { name: 'admin', domain: { twoFactor: false } },
    parametersFrom(null),
    'ADMIN_PASSWORD',
  );
  const hash = await hasher.hash(password);
  try {
    await atomically(db, (h) => addFirstAdministrator(h, hash));
  } catch (error) {
    // Another process has prepared the same database in this moment.
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
  return wanted === undefined ? password : undefined;
}
