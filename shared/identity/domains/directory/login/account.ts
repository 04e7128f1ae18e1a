import type { Db, Statement } from '../../../../../db/client.ts';
import {
  type DirectoryPerson,
  findDirectoryAccount,
  noteDirectoryLogin,
  setMemberships,
} from '../../../../../db/repositories/identity/directory/accounts.ts';
import { AppError } from '../../../../kernel/errors.ts';
import type { Parameters } from '../../../../kernel/system-parameters.ts';
import { foldName, isStorable, startOf } from '../../../../kernel/text.ts';
import type { DirectorySession } from '../../../../remotes/directory/port.ts';
import { longestPersonName } from '../../../../shapes/fields.ts';
import type { Account, Candidate, LoginCtx, OpenAttempt } from '../../../login/account.ts';
import { noteUnadmitted } from '../../../login/failures.ts';
import type { ExternalGroup } from '../../domain-type.ts';
import { withinDirectory } from '../connection.ts';
import { findPersonById, type IdentifiedPerson, type Person } from '../entries/people.ts';
import { groupKeys, registeredAmong } from '../groups/registered-groups.ts';
import { isReadable } from '../settings/readable-attributes.ts';
import type { DirectoryVariant, TypedParams } from '../variant.ts';
import { identify, type PersonWithId } from './identity.ts';

/** The domain of a login, with the variant of its directory. */
export type Domain = Candidate['domain'] & { variant: DirectoryVariant };

/** The account of a person, and the statements that the login writes. */
export type DirectoryProof = {
  account: Account;
  /**
   * Statements that create or update the row of the user. A batch that writes about the user before the session exists
   * runs them first.
   */
  settle(h: Db): Statement[];
  statements(h: Db): Statement[];
};

/** The result of a directory for a person. `card` is the fingerprint of the smart card if the login used one. */
export type DirectoryAnswer = { person: IdentifiedPerson; groups: readonly ExternalGroup[]; card?: string };

/**
 * The account step of every login: finds the row of a person, checks it and its groups, and collects the statements for
 * the batch that opens the session.
 * @returns undefined for a user that an administrator has deactivated
 * @throws AppError `no_registered_group`; `forbidden` for a row that must be bound first; errors of the directory.
 *   Audited.
 */
export const accountOf = (
  ctx: LoginCtx,
  attempt: OpenAttempt,
  domain: Domain,
  answer: DirectoryAnswer,
): Promise<DirectoryProof | undefined> => audited(ctx, attempt, () => accountStep(ctx, domain, answer));

async function accountStep(
  ctx: LoginCtx,
  domain: Domain,
  { person, groups, card }: DirectoryAnswer,
): Promise<DirectoryProof | undefined> {
  const identified = withIdentifier(person);
  const key = { directoryIds: identified.ids, nameKey: foldName(person.name) };
  const found = await findDirectoryAccount(ctx.deps.db, domain.id, key, groupKeys(groups));
  if (!found) return undefined;
  const { user, settle } = await identify(found, identified, ctx.now, (id) =>
    withinDomain(ctx, domain, (session, params) => findPersonById(session, params, id)),
  );
  if (!mayAct(user)) return undefined;
  const own = registeredAmong(found.groups, groups);
  if (!own.some(({ state }) => state === 'active')) throw new AppError('no_registered_group');
  const groupIds = own.map(({ id }) => id);
  const facts = factsOf(person, domain);
  const directoryId = user.directory_id ?? identified.ids[0];
  const authority = found.domain.directory_authority ?? '';
  const known = { ...facts, id: user.id, directoryId, authority, card: card ?? null };
  return {
    account: {
      domain: found.domain,
      user: { ...user, real_name: known.realName || user.real_name, email: known.email || user.email },
      roles: found.roles,
    },
    settle,
    statements: (h) => [
      ...settle(h),
      ...noteDirectoryLogin(h, known, ctx.now),
      // Most drivers send each statement in a separate round trip, and most logins change no membership.
      ...(isSame(found.memberOf, groupIds) ? [] : setMemberships(h, user.id, groupIds)),
    ],
  };
}

/**
 * @throws AppError `upstream_failed` without an identifier: a person is identified by the identifier, never by the name
 */
export function withIdentifier(person: IdentifiedPerson): PersonWithId {
  const [id, ...others] = person.ids;
  if (id !== undefined) return { ...person, ids: [id, ...others] };
  const detail = 'The search account cannot read an immutable identifier of the user';
  throw new AppError('upstream_failed', detail, { reason: 'no_identifier' });
}

/**
 * The domain without attributes that must not be read. Attributes stored before the introduction of that list are kept,
 * but not used.
 */
export function readableDomain(
  variant: DirectoryVariant,
  domain: Candidate['domain'],
  parameters: Parameters,
): Domain {
  const { params, attributes } = domain;
  const may = (attribute: string): boolean => isReadable(variant, attribute, parameters);
  return {
    ...domain,
    variant,
    attributes: attributes.filter(({ source }) => may(source)),
    params: may(String(params.user_name_attribute)) ? params : { ...params, user_name_attribute: 'cn' },
  };
}

/**
 * Runs `work` in the directory of the domain of a login.
 * @throws AppError errors of the directory
 */
export function withinDomain<T>(
  { deps }: Pick<LoginCtx, 'deps'>,
  domain: Domain,
  work: (session: DirectorySession, params: TypedParams) => Promise<T>,
): Promise<T> {
  const sealed = domain.params.bind_password;
  const secrets = { bind_password: typeof sealed === 'string' ? sealed : null };
  return withinDirectory(deps, domain.variant, { ...domain, secrets }, work);
}

/** Runs a step of a login and audits its refusal. */
export async function audited<T>(
  ctx: LoginCtx,
  { key, failed }: Pick<OpenAttempt, 'key' | 'failed'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await noteUnadmitted(ctx, key, failed, error);
    throw error;
  }
}

const isSame = (present: readonly string[], next: readonly string[]): boolean =>
  present.length === next.length && next.every((id) => present.includes(id));

const mayAct = ({ state, kind }: Account['user']): boolean => state === 'active' && kind === 'person';

/**
 * True if the directory is called. The name of an inactive user with an identifier may now belong to another person.
 * Only the directory contains that fact.
 */
export const mayTry = ({ domain, user }: Candidate): boolean =>
  domain.state !== 'disabled' && (user === null || mayAct(user) || user.directory_id !== null);

/** True if an administrator has deactivated the user of this person. The password is then not checked. */
export const isKeptOut = ({ user }: Candidate, { ids }: IdentifiedPerson): boolean =>
  user !== null && user.directory_id !== null && ids.includes(user.directory_id) && !mayAct(user);

export const isNameable = ({ name }: Person): boolean =>
  name !== '' && name.length <= longestPersonName && isStorable(name);

type Facts = Pick<DirectoryPerson, 'realName' | 'email' | 'attributes'>;

function factsOf({ values }: Person, { params, attributes }: Domain): Facts {
  const text = (attribute: string, most: number): string =>
    startOf((values[attribute.toLowerCase()] ?? []).filter(isStorable).join(', '), most);
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
