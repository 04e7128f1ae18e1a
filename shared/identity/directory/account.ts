import type { Db, Statement } from '../../../db/client.ts';
import {
  findDirectoryAccount,
  type GroupKeys,
  type KnownPerson,
  noteDirectoryLogin,
  type RegisteredGroup,
  setMemberships,
} from '../../../db/repositories/directory-accounts.ts';
import { AppError } from '../../kernel/errors.ts';
import { idOf } from '../../kernel/ids.ts';
import { foldName, isStorable } from '../../kernel/text.ts';
import type { Account, Candidate, LoginCtx, OpenAttempt } from '../login/attempt.ts';
import { noteUnadmitted } from '../login/failures.ts';
import type { DirectoryGroup } from './group-search.ts';
import { dnKeys } from './names.ts';
import { isDisabled, type Person } from './people.ts';

type Domain = Candidate['domain'];

/** Who somebody is here, and what his login writes; the groups that it will make him a member of. */
export type DirectoryProof = {
  account: Account;
  groupIds: readonly string[];
  statements(h: Db): Statement[];
};

/**
 * The account here of a person who has proved to be him: his user, made at the first login, with what the directory says.
 * @returns undefined for whom an administrator keeps out
 * @throws AppError `no_registered_group`, audited
 */
export async function accountOf(
  ctx: LoginCtx,
  { key, failed }: Pick<OpenAttempt, 'key' | 'failed'>,
  domain: Domain,
  { person, groups }: { person: Person; groups: readonly DirectoryGroup[] },
): Promise<DirectoryProof | undefined> {
  const nameKey = foldName(person.name);
  const found = await findDirectoryAccount(ctx.deps.db, domain.id, nameKey, groupKeys(groups));
  if (!found || !mayBeUser(found.user, person)) return undefined;
  if (!found.groups.some(({ state }) => state === 'active')) {
    const error = new AppError('no_registered_group');
    await noteUnadmitted(ctx, key, failed, error);
    throw error;
  }
  const groupIds = found.groups.map(({ id }) => id);
  const user = found.user ?? newUser(ctx, domain.id, person);
  const known = { ...factsOf(person, domain), id: user.id, name: user.name, nameKey };
  return {
    account: {
      domain: found.domain,
      user: { ...user, real_name: known.realName || user.real_name, email: known.email || user.email },
      roles: found.roles,
    },
    groupIds,
    statements: (h) => [
      ...noteDirectoryLogin(h, domain.id, known, found.user === null, ctx.now),
      // Each statement is a round trip of its own on most drivers, and most logins change nothing here.
      ...(isSame(found.memberOf, groupIds) ? [] : setMemberships(h, user.id, groupIds)),
    ],
  };
}

const isSame = (present: readonly string[], wanted: readonly string[]): boolean =>
  present.length === wanted.length && wanted.every((id) => present.includes(id));

/** Whom neither the portal nor the directory keeps out. */
export const mayTry = ({ domain, user }: Candidate): boolean =>
  domain.state !== 'disabled' && (user === null || (user.state === 'active' && user.kind === 'person'));

export const isOut = (person: Person, now: Date): boolean =>
  isDisabled(person, now) || person.name.length > 128 || !isStorable(person.name);

export const groupKeys = (groups: readonly DirectoryGroup[]): GroupKeys => ({
  // Of a group that is known by its SID only, the other texts are empty.
  dns: groups.flatMap(({ dn }) => (dn === '' ? [] : dnKeys(dn))),
  names: groups.flatMap(({ name }) => (name === '' ? [] : [foldName(name)])),
  sids: groups.flatMap(({ sid }) => sid ?? []),
});

/** True when one of the registered groups is this one. */
export const isRegistered = (registered: readonly RegisteredGroup[], group: DirectoryGroup): boolean =>
  registered.some(({ dn, name_key, directory_id }) => {
    if (directory_id !== null) return directory_id === group.sid;
    return dn === null ? name_key === foldName(group.name) : dnKeys(group.dn).includes(dn);
  });

const mayBeUser = (user: Candidate['user'], { name }: Person): boolean =>
  name !== '' && (user === null || (user.state === 'active' && user.kind === 'person'));

/** Two first logins at once make one user: his id follows from his name. */
const newUser = ({ now }: LoginCtx, domainId: string, { name }: Person): Account['user'] => ({
  id: idOf(foldName(name), domainId),
  created_at: now,
  updated_at: now,
  revision: 1,
  authenticator_id: domainId,
  name,
  name_key: foldName(name),
  real_name: '',
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
  directory_id: null,
  directory_checked_at: null,
  card_fingerprint: null,
});

type Facts = Pick<KnownPerson, 'realName' | 'email' | 'attributes'>;

function factsOf({ values }: Person, { params, attributes }: Domain): Facts {
  const text = (attribute: string, most: number): string =>
    (values[attribute.toLowerCase()] ?? []).filter(isStorable).join(', ').slice(0, most).toWellFormed();
  const first = (attribute: string, most: number): string =>
    (values[attribute.toLowerCase()] ?? []).find((value) => isStorable(value) && value.length <= most) ?? '';
  const copied = attributes.flatMap(({ name, source }) => {
    const value = text(source, 4_096);
    return value === '' ? [] : [[name, value] as const];
  });
  return {
    realName: first(String(params.user_name_attribute), 256).trim(),
    email: first('mail', 256).trim(),
    attributes: Object.fromEntries(copied),
  };
}
