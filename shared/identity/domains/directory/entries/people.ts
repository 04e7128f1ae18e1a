import { AppError } from '../../../../kernel/errors.ts';
import { foldName } from '../../../../kernel/text.ts';
import type { Filter } from '../../../../remotes/directory/filters.ts';
import type { DirectorySession, Entry } from '../../../../remotes/directory/port.ts';
import { stateAttributes } from '../login/account-state.ts';
import type { DirectoryName } from '../login/login-domains.ts';
import type { DirectoryParams, TypedParams } from '../variant.ts';
import { filterOf, identifiersOf } from './identifiers.ts';

/** A person in a directory. `values` contains the requested attributes by lower-case name. */
export type Person = { dn: string; name: string; values: Entry['values'] };

/**
 * `ids` contains the immutable identifiers of the entry in stored form, the preferred one first. Empty if the search
 * account cannot read an identifier.
 */
export type IdentifiedPerson = Person & { ids: readonly string[] };

const always = ['mail', 'userPrincipalName', ...stateAttributes, 'objectSid', 'primaryGroupID'];
/** The relative identifier of krbtgt, the account of the key distribution centre. */
const krbtgt = /-502$/;

/**
 * Finds the person of a name.
 * @param searchedName `typed` is the whole text, which may be a user principal name of Active Directory; without `name`, only
 *   `typed` is searched
 * @param attributes further attributes to read
 * @returns undefined for no person or for more than one
 */
export async function findPerson(
  session: DirectorySession,
  params: TypedParams,
  { name, typed }: DirectoryName,
  attributes: readonly string[] = [],
): Promise<IdentifiedPerson | undefined> {
  const { base_dn, user_id_attribute, user_name_attribute, variant } = params;
  const isPrincipal = typed.includes('@');
  const ways: Filter[] = [
    ...(name === undefined ? [] : [{ equals: [user_id_attribute, name] } as const]),
    ...(isPrincipal ? [{ equals: ['userPrincipalName', typed] } as const] : []),
  ];
  if (ways.length === 0) return undefined;
  const all = await session.search({
    base: base_dn,
    filter: peopleWho(params, { any: ways }),
    attributes: [
      ...new Set([
        ...[user_id_attribute, user_name_attribute, ...always, ...attributes],
        ...variant.identifiers,
        ...(variant.listsAllGroups ? ['memberOf'] : []),
      ]),
    ],
    most: 4,
  });
  const found = all.filter((entry) => isPerson(entry, params));
  // Comparisons of a directory are less strict than the keys of the failure count. Entries without an exact match are
  // ignored.
  const principals = found.filter(({ values }) => isPrincipal && holds(values.userprincipalname, typed));
  const named = found.filter(
    ({ values }) => name !== undefined && holds(values[user_id_attribute.toLowerCase()], name),
  );
  const [entry, ...others] = principals.length > 0 ? principals : named;
  return entry && others.length === 0 ? identified(session, params, entry) : undefined;
}

/**
 * The person with an immutable identifier. The user filter does not apply.
 * @param id in stored form
 * @throws AppError `upstream_failed` with the reason `ambiguous_identifier` if several entries have it
 */
export async function findPersonById(
  session: DirectorySession,
  params: TypedParams,
  id: string,
): Promise<IdentifiedPerson | undefined> {
  const { base_dn, user_class, user_id_attribute, variant } = params;
  const byId = filterOf(variant, id);
  if (!byId) return undefined;
  const entries = await session.search({
    base: base_dn,
    filter: { all: [{ equals: ['objectClass', user_class] }, byId] },
    attributes: [user_id_attribute, 'objectSid', ...variant.identifiers],
    most: 4,
  });
  const people: IdentifiedPerson[] = [];
  for (const entry of entries.filter((one) => isPerson(one, params))) {
    const person = await identified(session, params, entry);
    if (person?.ids.includes(id)) people.push(person);
  }
  if (people.length > 1) throw ambiguousIdentifier();
  return people[0];
}

export const ambiguousIdentifier = (): AppError =>
  new AppError('upstream_failed', 'The identifier of the entry belongs to several users', {
    reason: 'ambiguous_identifier',
  });

/** People whose login name or full name contains a text. All people for an empty text. */
export async function findPeople(
  session: DirectorySession,
  params: TypedParams,
  part: string,
  most: number,
): Promise<Person[]> {
  const { base_dn, user_id_attribute, user_name_attribute } = params;
  const filter: Filter =
    part === ''
      ? { present: user_id_attribute }
      : { any: [{ contains: [user_id_attribute, part] }, { contains: [user_name_attribute, part] }] };
  const found = await session.search({
    base: base_dn,
    filter: peopleWho(params, filter),
    attributes: [user_id_attribute, 'objectSid'],
    most,
  });
  return found.filter((entry) => isPerson(entry, params)).flatMap((entry) => personOf(entry, params) ?? []);
}

const peopleWho = ({ user_class, user_filter }: DirectoryParams, filter: Filter): Filter => ({
  all: [
    { equals: ['objectClass', user_class] },
    ...(user_filter === '' ? [] : [{ text: user_filter }]),
    filter,
  ],
});

/**
 * False for computers and krbtgt, which are users in Active Directory, and for staged or deleted entries of FreeIPA.
 */
function isPerson({ dn, values }: Entry, { variant, user_id_attribute }: TypedParams): boolean {
  const [sid] = values.objectsid ?? [];
  if (sid === undefined) return !variant.provisioning?.test(dn);
  const [name = ''] = values[user_id_attribute.toLowerCase()] ?? [];
  return !name.endsWith('$') && !krbtgt.test(sid);
}

/** @returns undefined for an entry without a name */
function personOf({ dn, values }: Entry, { user_id_attribute }: DirectoryParams): Person | undefined {
  const [name = ''] = values[user_id_attribute.toLowerCase()] ?? [];
  return name.trim() === '' ? undefined : { dn, name: name.trim(), values };
}

async function identified(
  session: DirectorySession,
  params: TypedParams,
  entry: Entry,
): Promise<IdentifiedPerson | undefined> {
  const person = personOf(entry, params);
  return person && { ...person, ids: await identifiersOf(session, params.variant, entry) };
}

const holds = (values: readonly string[] = [], searchedName: string): boolean =>
  values.some((value) => foldName(value) === foldName(searchedName));
