import { z } from 'zod';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { canonicalJson } from '../../kernel/json/json.ts';
import { isNameOfWork, isReservedUserName, startOf } from '../../kernel/text.ts';
import { message } from '../../messages/message.ts';
import { EmailAddress, PlainPersonName } from '../../shapes/fields.ts';
import { externalId, userFacts } from './attributes.ts';
import { canonical, type Json } from './canonical.ts';
import { scimError } from './errors.ts';
import { memberOf } from './evaluate.ts';
import { type Patched, readOnly } from './patch.ts';
import { userSchema } from './urns.ts';
import { metaOf } from './versions.ts';

/** What a client writes of a user, by the columns of the portal. */
export type UserFields = {
  name: string;
  real_name: string;
  given_name: string;
  family_name: string;
  email: string;
  state: 'active' | 'inactive';
  directory_id: string | null;
};

export type ProvisionedUser = UserFields & {
  id: string;
  revision: number;
  created_at: Date;
  updated_at: Date;
};

/** A group that has the user as a member. */
export type UserGroup = { id: string; name: string };

export const writableUser: Patched = {
  urn: userSchema,
  facts: [...userFacts.filter(({ mutability }) => mutability !== 'readOnly'), externalId],
  readOnly: [...readOnly, 'groups'],
};

/**
 * The user as a resource.
 * @param groups empty also if the response does not contain them
 * @param base address of SCIM for the domain
 */
export const userResource = (row: ProvisionedUser, groups: readonly UserGroup[], base: string): Json => ({
  schemas: [userSchema],
  id: row.id,
  ...attributesOf(row),
  ...(groups.length > 0 && { groups: groups.map((group) => groupReference(group, base)) }),
  meta: metaOf('User', row, `${base}/Users/${row.id}`, digestOf(groups)),
});

const digestOf = (groups: readonly UserGroup[]): string =>
  groups.length === 0 ? '' : sha256(canonicalJson(groups)).slice(0, 16);

const groupReference = ({ id, name }: UserGroup, base: string) => ({
  value: id,
  $ref: `${base}/Groups/${id}`,
  display: name,
  type: 'direct',
});

/** The attributes of a user that a client writes. */
export const attributesOf = (row: UserFields): Json => ({
  ...(row.directory_id !== null && { externalId: row.directory_id }),
  userName: row.name,
  ...nameOf(row),
  ...(row.real_name && { displayName: row.real_name }),
  ...(row.email && { emails: [{ value: row.email, type: 'work', primary: true }] }),
  active: row.state === 'active',
});

function nameOf({ real_name, given_name, family_name }: UserFields): Json {
  const name = {
    ...(real_name && { formatted: real_name }),
    ...(family_name && { familyName: family_name }),
    ...(given_name && { givenName: given_name }),
  };
  return Object.keys(name).length === 0 ? {} : { name };
}

/**
 * The fields of a new user, or of a user after a change.
 * @param present the stored user
 * @throws AppError `invalid_request`
 */
export function fieldsOf(source: Json, present?: UserFields): UserFields {
  const resource = canonical(source, writableUser.facts);
  const [given_name, family_name] = [textIn(resource.name, 'givenName'), textIn(resource.name, 'familyName')];
  return {
    name: loginName(resource.userName, present),
    real_name: realName(resource, { given_name, family_name }, present),
    given_name,
    family_name,
    email: emailIn(resource.emails, present),
    state: resource.active === undefined ? (present?.state ?? 'active') : stateOf(resource.active),
    directory_id: subjectOf(resource.externalId, present),
  };
}

const stateOf = (active: unknown): UserFields['state'] => (active === false ? 'inactive' : 'active');

const Text = z.string().trim().max(256);

function textIn(value: unknown, name: string): string {
  const found = memberOf(value, name);
  if (found === undefined) return '';
  const { data, success } = Text.safeParse(found);
  if (!success) throw invalidAttribute(name);
  return data;
}

const invalidAttribute = (name: string) =>
  scimError('invalidValue', message('The attribute {name} has no valid value', { name }));

/** A stored name stays valid, whatever the present rules for new names are. */
function loginName(value: unknown, present: UserFields | undefined): string {
  if (present && value === present.name) return present.name;
  if (value === undefined)
    throw scimError('invalidValue', message('{name} is required', { name: 'userName' }));
  const { data, success } = PlainPersonName.safeParse(value);
  if (!success || isReservedUserName(data) || isNameOfWork(data)) throw invalidAttribute('userName');
  return data;
}

type NameParts = Pick<UserFields, 'given_name' | 'family_name'>;

/**
 * `displayName` and `name.formatted` are the same field here. The one that the client changes counts. If it changes only a
 * part of the name, a full name that consists of the former parts follows.
 */
function realName(resource: Json, parts: NameParts, present: UserFields | undefined): string {
  const [shown, formatted] = [textIn(resource, 'displayName'), textIn(resource.name, 'formatted')];
  const former = present?.real_name ?? '';
  if (shown !== '' && shown !== former) return shown;
  if (formatted !== '' && formatted !== former) return formatted;
  if (shown === '' && formatted === '') return startOf(joinedName(parts), 256);
  const isJoined = present === undefined || former === '' || former === joinedName(present);
  if (isJoined && joinedName(parts) !== joinedName(present)) return startOf(joinedName(parts), 256);
  return shown || formatted;
}

const joinedName = (parts: NameParts | undefined): string =>
  [parts?.given_name, parts?.family_name].filter(Boolean).join(' ');

/** One address is stored: the primary one, or else that of work, or else the first one. */
function emailIn(values: unknown, present: UserFields | undefined): string {
  const given = Array.isArray(values) ? values.filter((one) => textIn(one, 'value') !== '') : [];
  const isWork = (one: unknown) => textIn(one, 'type').toLowerCase() === 'work';
  const chosen = given.find((one) => memberOf(one, 'primary') === true) ?? given.find(isWork) ?? given[0];
  if (chosen === undefined) return '';
  const address = textIn(chosen, 'value');
  if (address === present?.email) return address;
  // A provider whose directory has an unusable address would otherwise not be able to send the person at all.
  return EmailAddress.safeParse(address).data ?? '';
}

/** The identifier of the user at the identity provider. It never changes, because the user is found by it at sign-in. */
function subjectOf(value: unknown, present: UserFields | undefined): string | null {
  const former = present?.directory_id ?? null;
  if (value === undefined || value === '') return former;
  if (former !== null && value !== former)
    throw scimError('mutability', message('The attribute {name} cannot be changed', { name: 'externalId' }));
  const { data, success } = Text.safeParse(value);
  if (!success || data === '') throw invalidAttribute('externalId');
  return data;
}
