import { AppError } from '../../kernel/errors.ts';
import { idOf } from '../../kernel/ids.ts';
import { foldName } from '../../kernel/text.ts';
import { message } from '../../messages/message.ts';
import type { Account } from './account.ts';

type User = Account['user'];

/**
 * A person of a directory or an identity provider. The identifier is immutable, and unique with the issuer of a provider or the
 * identity of the directory.
 */
export type ExternalPerson = { directoryId: string; authority: string; name: string };

/**
 * The row of a person at the first login. The id is derived from the identifier, so that two concurrent first logins create
 * one user.
 */
export const newUser = (
  domainId: string,
  { directoryId, authority, name }: ExternalPerson,
  now: Date,
): User => ({
  id: idOf(authority === '' ? directoryId : `${authority} ${directoryId}`, domainId),
  created_at: now,
  updated_at: now,
  revision: 1,
  authenticator_id: domainId,
  name,
  name_key: foldName(name),
  real_name: '',
  given_name: '',
  family_name: '',
  email: '',
  comments: '',
  state: 'active',
  kind: 'person',
  language: null,
  password_hash: null,
  password_changed_at: null,
  must_change_password: false,
  attributes: {},
  last_login_at: null,
  directory_id: directoryId,
  directory_authority: authority,
  directory_checked_at: null,
  card_fingerprint: null,
  access_ended_at: null,
  deprovisioned_at: null,
  deactivated_by: null,
});

export const nameInUse = (name: string): AppError =>
  new AppError('forbidden', message('Another user of the domain has the name {name}', { name }), {
    reason: 'name_in_use',
  });
