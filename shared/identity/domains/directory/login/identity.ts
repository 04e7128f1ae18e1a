import { randomBytes } from 'node:crypto';
import type { Db, Statement } from '../../../../../db/client.ts';
import type { findDirectoryAccount } from '../../../../../db/repositories/identity/directory/accounts.ts';
import {
  addDirectoryUser,
  bindUnusedUser,
  type Fallbacks,
  renameUser,
  retireUser,
} from '../../../../../db/repositories/identity/directory/users.ts';
import type { MonitoringEntry } from '../../../../../db/repositories/monitoring/records.ts';
import { AppError } from '../../../../kernel/errors.ts';
import { foldName, startOf } from '../../../../kernel/text.ts';
import { message } from '../../../../messages/message.ts';
import type { Account } from '../../../login/account.ts';
import { nameInUse, newUser } from '../../../login/new-user.ts';
import { ambiguousIdentifier, type IdentifiedPerson } from '../entries/people.ts';

type User = Account['user'];
export type DirectoryAccount = NonNullable<Awaited<ReturnType<typeof findDirectoryAccount>>>;
export type PersonWithId = IdentifiedPerson & { ids: readonly [string, ...string[]] };

/**
 * The row of a person, and the statements that create or update it. `settle` belongs to the first batch that writes
 * about the person.
 */
export type Identity = { user: User; settle(h: Db): Statement[] };

/** Reads the person with an immutable identifier from the same directory. */
type LookUp = (directoryId: string) => Promise<IdentifiedPerson | undefined>;

/**
 * Finds the row of a person: by an identifier of the entry, else an unused row with the name, else a new row. A row of
 * another entry with the name is renamed, or deactivated if its entry was deleted.
 * @throws AppError `forbidden` for a row in use without an identifier, and for the name of a person of another directory; `upstream_failed` for an identifier of several
 *   entries; errors of the directory
 */
export async function identify(
  { domain, user, namesake, isNamesakeInUse, isAmbiguous }: DirectoryAccount,
  person: PersonWithId,
  now: Date,
  lookUp: LookUp,
): Promise<Identity> {
  if (isAmbiguous) throw ambiguousIdentifier();
  const nameKey = foldName(person.name);
  if (namesake && !isOfDirectory(namesake, domain)) throw nameInUse(person.name);
  // A different name may mean a different person, if another entry has a copy of the identifier.
  if (user?.directory_id && user.name_key !== nameKey) await lookUp(user.directory_id);
  if (user && (user.name_key === nameKey || namesake?.directory_id === null))
    return { user, settle: () => [] };
  if (namesake?.directory_id === null) {
    if (isNamesakeInUse) throw unbound(domain.small_name, namesake.name);
    return {
      user: { ...namesake, directory_id: person.ids[0] },
      settle: (h) => [bindUnusedUser(h, namesake, person.ids[0])],
    };
  }
  const vacate = namesake ? await vacating(namesake, now, lookUp) : () => [];
  if (!user) {
    const authority = domain.directory_authority ?? '';
    const added = newUser(domain.id, { directoryId: person.ids[0], authority, name: person.name }, now);
    return { user: added, settle: (h) => [...vacate(h), addDirectoryUser(h, added)] };
  }
  const next = { name: person.name, nameKey, fallbacks: withSuffix(person.name) };
  const record = renamed(user, person.name, now);
  return {
    user: { ...user, name: person.name, name_key: nameKey },
    settle: (h) => [...vacate(h), ...renameUser(h, user, next, record)],
  };
}

/** True unless the row belongs to a person of a directory that the domain had before. */
export const isOfDirectory = (
  { directory_authority }: Pick<User, 'directory_authority'>,
  domain: Pick<Account['domain'], 'directory_authority'>,
): boolean => directory_authority === '' || directory_authority === domain.directory_authority;

/** Frees the name of a row whose entry was renamed or deleted. */
async function vacating(namesake: User, now: Date, lookUp: LookUp): Promise<(h: Db) => Statement[]> {
  const former = namesake.directory_id ?? '';
  const entry = await lookUp(former);
  const fallbacks = withSuffix(entry?.name ?? namesake.name);
  if (!entry) return (h) => retireUser(h, namesake, fallbacks, (name) => gone(namesake, name, now));
  const nameKey = foldName(entry.name);
  if (nameKey === namesake.name_key)
    throw new AppError('upstream_failed', 'The directory has several users with this name', {
      reason: 'ambiguous_name',
    });
  const record = renamed(namesake, entry.name, now);
  return (h) => renameUser(h, namesake, { name: entry.name, nameKey, fallbacks }, record);
}

/**
 * `<name>~<8 hexadecimal digits>`, and the same with 32 digits if that name is taken. The digits are random, because an
 * attacker could register a predictable name in advance.
 */
const withSuffix = (name: string): Fallbacks => {
  const digits = randomBytes(16).toString('hex');
  const key = foldName(name);
  return [`${startOf(key, 119)}~${digits.slice(0, 8)}`, `${startOf(key, 95)}~${digits}`];
};

const unbound = (domain: string, name: string): AppError =>
  new AppError(
    'forbidden',
    message('An administrator must bind the user {name} of {domain} to the directory entry', {
      name,
      domain,
    }),
    { reason: 'user_not_bound' },
  );

const entryOf = (user: User, now: Date) => ({
  at: now,
  level: 'warning' as const,
  object_type: 'user' as const,
  object_id: user.id,
});

const renamed = (user: User, name: string, now: Date): MonitoringEntry => ({
  ...entryOf(user, now),
  level: 'info',
  object_name: name,
  code: 'directory_user_renamed',
  message: `The user ${user.name} was renamed in the directory: ${name}`,
  details: { before: user.name, after: name },
});

const gone = (user: User, name: string, now: Date): MonitoringEntry => ({
  ...entryOf(user, now),
  object_name: name,
  code: 'directory_user_gone',
  message: `The directory entry of the user ${user.name} was deleted, and another entry has the name now`,
  details: { before: user.name, after: name },
});
