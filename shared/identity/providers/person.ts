import { randomBytes } from 'node:crypto';
import type { Db, Statement } from '../../../db/client.ts';
import type { findDirectoryAccount } from '../../../db/repositories/identity/directory/accounts.ts';
import {
  addDirectoryUser,
  type Fallbacks,
  renameUser,
} from '../../../db/repositories/identity/directory/users.ts';
import { AppError } from '../../kernel/errors.ts';
import { foldName, isNameOfWork, isStorable, startOf } from '../../kernel/text.ts';
import { message } from '../../messages/message.ts';
import { longestPersonName } from '../../shapes/fields.ts';
import type { Account } from '../login/account.ts';
import { nameInUse, newUser } from '../login/new-user.ts';

type User = Account['user'];
export type ProviderAccount = NonNullable<Awaited<ReturnType<typeof findDirectoryAccount>>>;

/** A person at a provider: the immutable identifier, the issuer that vouches for it, and the login name that may change. */
export type Person = { subject: string; issuer: string; name: string };

/** The row of a person, and the statements that create or rename it. */
export type PersonRow = { user: User; settle(h: Db): Statement[] };

/**
 * Finds the row of a person by issuer and subject alone (OpenID Connect Core, 5.7): a name or an e-mail address never identifies anyone. A new person
 * receives a row if the domain creates users, and a known one receives the new name if it is free.
 * @throws AppError `forbidden` without a row, or if another user has the name of a new person
 */
export function rowOf(
  { domain, user, namesake }: ProviderAccount,
  person: Person,
  now: Date,
  createsUsers: boolean,
): PersonRow {
  const name_key = foldName(person.name);
  if (user) {
    if (user.name_key === name_key || namesake || isNameOfWork(person.name))
      return { user, settle: () => [] };
    const next = { name: person.name, nameKey: name_key, fallbacks: withSuffix(name_key) };
    return {
      user: { ...user, name: person.name, name_key },
      settle: (h) => renameUser(h, user, next, renamed(user, person.name, now)),
    };
  }
  if (!createsUsers) throw withoutAccount();
  if (isNameOfWork(person.name)) throw nameReserved(person.name);
  if (namesake && namesake.state === 'active') throw nameInUse(person.name);
  // The other person has left, but the row keeps the name for its records.
  const name = namesake ? withSuffix(name_key)[0] : person.name;
  const added = newUser(domain.id, { directoryId: person.subject, authority: person.issuer, name }, now);
  return { user: added, settle: (h) => [addDirectoryUser(h, added)] };
}

/** True for a login name that a row can have. */
export const isNameable = (name: string): boolean =>
  name.trim() !== '' && name.length <= longestPersonName && isStorable(name);

/** An identifier of a person. OpenID Connect Core 1.0, section 2: at most 255 characters of ASCII. */
export const subjectPattern = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;

/** The random digits prevent that someone registers the name in advance. */
const withSuffix = (key: string): Fallbacks => {
  const digits = randomBytes(16).toString('hex');
  return [`${startOf(key, 119)}~${digits.slice(0, 8)}`, `${startOf(key, 95)}~${digits}`];
};

const withoutAccount = (): AppError =>
  new AppError('forbidden', 'The portal has no account for this person, and the domain does not create any', {
    reason: 'no_account',
  });

const nameReserved = (name: string): AppError =>
  new AppError('forbidden', message('The name {name} is reserved', { name }), { reason: 'name_reserved' });

const renamed = (user: User, name: string, at: Date) => ({
  at,
  level: 'info' as const,
  object_type: 'user' as const,
  object_id: user.id,
  object_name: name,
  code: 'directory_user_renamed',
  message: `The user ${user.name} was renamed at the identity provider: ${name}`,
  details: { before: user.name, after: name },
});
