import { foldName } from '../../kernel/text.ts';
import type { Filter } from '../../remotes/directory/filters.ts';
import type { DirectorySession, Entry } from '../../remotes/directory/port.ts';
import type { DirectoryParams } from '../domains/catalogue.ts';
import { stateAttributes } from './account-state.ts';
import type { WantedName } from './login-domains.ts';

/**
 * A person in a directory. `id` is the immutable identifier of the entry, absent if the directory does not show one;
 * `values` are those that were requested, by lower-case attribute.
 */
export type Person = { dn: string; id: string | undefined; name: string; values: Entry['values'] };

/** Immutable identifiers of entries: Active Directory, FreeIPA, 389 Directory Server, RFC 4530. The first present one counts. */
const identifiers = ['objectGUID', 'ipaUniqueID', 'nsUniqueId', 'entryUUID'];

const always = [
  ...identifiers,
  'mail',
  'userPrincipalName',
  ...stateAttributes,
  'objectSid',
  'primaryGroupID',
];
/** Where FreeIPA keeps entries of people who are gone, or not there yet. */
const provisioning = /,\s*cn\s*=\s*provisioning\s*,/i;
/** The relative identifier of krbtgt, the account of the key distribution centre. */
const krbtgt = /-502$/;

/**
 * Finds the one person of a name.
 * @param wanted `typed` is the whole text, by which a principal name of Active Directory is found; without `name` that is the
 * only way
 * @param attributes further attributes to read
 * @returns undefined for no person, and for more than one
 */
export async function findPerson(
  session: DirectorySession,
  params: DirectoryParams,
  { name, typed }: WantedName,
  attributes: readonly string[] = [],
): Promise<Person | undefined> {
  const { base_dn, user_id_attribute, user_name_attribute } = params;
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
        ...(params.type === 'freeipa' ? ['memberOf'] : []),
      ]),
    ],
    most: 4,
  });
  const found = all.filter((entry) => isPerson(entry, params));
  // A directory compares more loosely than we count failures: whoever is not exactly meant is not found.
  const principals = found.filter(({ values }) => isPrincipal && holds(values.userprincipalname, typed));
  const named = found.filter(
    ({ values }) => name !== undefined && holds(values[user_id_attribute.toLowerCase()], name),
  );
  const [entry, ...others] = principals.length > 0 ? principals : named;
  return entry && others.length === 0 ? personOf(entry, params) : undefined;
}

/** The person with an immutable identifier, whether the user filter admits them or not. */
export async function findPersonById(
  session: DirectorySession,
  params: DirectoryParams,
  id: string,
): Promise<Person | undefined> {
  const { base_dn, user_class, user_id_attribute } = params;
  const byId = identifiers.map(
    (name): Filter => (name === 'objectGUID' ? { octets: [name, id] } : { equals: [name, id] }),
  );
  const [entry] = await session.search({
    base: base_dn,
    filter: { all: [{ equals: ['objectClass', user_class] }, { any: byId }] },
    attributes: [user_id_attribute, ...identifiers],
    most: 1,
  });
  return entry && personOf(entry, params);
}

/** People whose login name or name contains a text, or all of them. */
export async function findPeople(
  session: DirectorySession,
  params: DirectoryParams,
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

/** False for computers and krbtgt, which are users to Active Directory, and for entries that FreeIPA has put away. */
function isPerson({ dn, values }: Entry, { type, user_id_attribute }: DirectoryParams): boolean {
  const [sid] = values.objectsid ?? [];
  if (sid === undefined) return type !== 'freeipa' || !provisioning.test(dn);
  const [name = ''] = values[user_id_attribute.toLowerCase()] ?? [];
  return !name.endsWith('$') && !krbtgt.test(sid);
}

/** @returns undefined for an entry without a name */
function personOf({ dn, values }: Entry, { user_id_attribute }: DirectoryParams): Person | undefined {
  const [name = ''] = values[user_id_attribute.toLowerCase()] ?? [];
  return name.trim() === '' ? undefined : { dn, id: identifierOf(values), name: name.trim(), values };
}

const identifierOf = (values: Entry['values']): string | undefined =>
  identifiers
    .flatMap((name) => values[name.toLowerCase()] ?? [])
    .map((value) => value.toLowerCase())
    .find((value) => /^[0-9a-f-]{8,64}$/.test(value));

const holds = (values: readonly string[] = [], wanted: string): boolean =>
  values.some((value) => foldName(value) === foldName(wanted));
