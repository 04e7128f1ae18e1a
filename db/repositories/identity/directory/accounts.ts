import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { alias, type PgColumn } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { groupMembers, groups } from '../../../schema/identity/groups.ts';
import { userRoles } from '../../../schema/identity/roles.ts';
import { users } from '../../../schema/identity/users.ts';
import { arrayOf, derived, must } from '../../records/statements.ts';
import { rolesOf } from '../login/sessions.ts';

/** Identifiers of directory groups, in the forms that registered groups are compared with. */
export type GroupKeys = { names: readonly string[]; sids: readonly string[] };
/** A registered group. `dn` is the distinguished name as registered; null for a group that is identified by name. */
export type RegisteredGroup = {
  id: string;
  name_key: string;
  dn: string | null;
  directory_id: string | null;
  state: 'active' | 'inactive';
};

/**
 * A person in a directory or at a provider: the immutable identifiers (at least one), the issuer of a provider that vouches for them,
 * and the folded name. Without an issuer, they are those of the directory of the domain.
 */
export type PersonKey = { directoryIds: readonly string[]; authority?: string; nameKey: string };

type Identified = { directory_id: PgColumn; directory_authority: PgColumn };

/** A row without an authority was written before its first sign-in, and belongs to the authority that the domain has now. */
const isPerson = (
  row: Identified,
  { directoryIds, authority = ofDirectory }: { directoryIds: readonly string[]; authority?: string | SQL },
): SQL =>
  sql`(${inArray(row.directory_id, [...directoryIds])} and ${row.directory_authority} in ('', ${authority}))`;

const ofDirectory = sql`coalesce(${authenticators.directory_authority}, '')`;

const namesakes = alias(users, 'namesake');
const isNamesake = (key: PersonKey): SQL | undefined =>
  and(
    eq(namesakes.authenticator_id, authenticators.id),
    eq(namesakes.name_key, key.nameKey),
    sql`${isPerson(namesakes, key)} is not true`,
  );

/**
 * Returns the domain with the user who has one of these identifiers, another user with the same name, the roles and
 * memberships, and the registered groups that may match the person's groups: see `registered`. `isAmbiguous` is true
 * if several users have the identifiers.
 */
export async function findDirectoryAccount(db: Db, domainId: string, key: PersonKey, keys: GroupKeys) {
  const [row, ...others] = await db
    .select({
      domain: authenticators,
      user: users,
      namesake: namesakes,
      isNamesakeInUse: sql<boolean>`${sql`(${namesakes.last_login_at} is not null or exists(select 1 from ${userRoles} where ${userRoles.user_id} = ${namesakes.id}))`}`,
      roles: rolesOf(users.id),
      memberOf: derived<string[]>(
        sql`select coalesce(jsonb_agg(${groupMembers.group_id}), '[]') from ${groupMembers} where ${groupMembers.user_id} = coalesce(${users.id}, ${namesakes.id})`,
      ),
      groups: registered(eq(groups.authenticator_id, authenticators.id), keys),
    })
    .from(authenticators)
    .leftJoin(users, and(eq(users.authenticator_id, authenticators.id), isPerson(users, key)))
    .leftJoin(namesakes, isNamesake(key))
    .where(eq(authenticators.id, domainId))
    // The row of this authority before one that has none yet.
    .orderBy(desc(users.directory_authority));
  return row && { ...row, isAmbiguous: others.length > 0 };
}

/** Returns the registered groups of the domain that may match the groups: see `registered`. */
export async function findRegisteredGroups(
  db: Db,
  domainId: string,
  keys: GroupKeys,
): Promise<RegisteredGroup[]> {
  const [row] = await db
    .select({ groups: registered(eq(groups.authenticator_id, domainId), keys) })
    .from(sql`(values (1)) as once`);
  return row?.groups ?? [];
}

/**
 * Returns which of the folded names are users of the domain, and the registered groups that may match: see
 * `registered`.
 */
export async function findKnownNames(db: Db, domainId: string, names: readonly string[], keys: GroupKeys) {
  const known = sql<string[]>`${sql`(
    select coalesce(jsonb_agg(${users.name_key}), '[]') from ${users}
    where ${users.authenticator_id} = ${domainId} and ${users.name_key} in (${textsOf(names)}))`}`;
  const [row] = await db
    .select({ users: known, groups: registered(eq(groups.authenticator_id, domainId), keys) })
    .from(sql`(values (1)) as once`);
  return row ?? { users: [], groups: [] };
}

/**
 * Registered groups by directory identifier if it is known, otherwise by name. All groups registered with a
 * distinguished name are included: SQL cannot compare distinguished names, so the caller compares them.
 */
const registered = (ofDomain: SQL, { names, sids }: GroupKeys): SQL<RegisteredGroup[]> =>
  sql<RegisteredGroup[]>`${sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', ${groups.id}, 'name_key', ${groups.name_key}, 'state', ${groups.state},
           'directory_id', ${groups.directory_id}, 'dn', nullif(${groups.external_id}, '')) order by ${groups.name_key}), '[]')
  from ${groups} where ${ofDomain} and ${groups.type} = 'group' and case
    when ${groups.directory_id} is not null then ${groups.directory_id} in (${textsOf(sids)})
    else nullif(${groups.external_id}, '') is not null or ${groups.name_key} in (${textsOf(names)}) end)`}`;

/** Texts as one bind parameter. */
const textsOf = (texts: readonly string[]): SQL =>
  sql`select jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb)`;

/** Data of a directory about a person at login. An empty text means that the directory has no value. */
export type DirectoryPerson = {
  id: string;
  directoryId: string;
  /** The issuer of a provider, or the identity of a directory; empty if it is not known. */
  authority: string;
  realName: string;
  email: string;
  attributes: Record<string, string>;
  /** Fingerprint of the smart-card key, if the login used a card. */
  card: string | null;
};

/**
 * Stores the data of the directory about a user. Fails the batch if the user may no longer log in. The row stays
 * locked until the session is stored.
 */
export function noteDirectoryLogin(
  h: Db,
  { id, directoryId, authority, realName, email, attributes, card }: DirectoryPerson,
  now: Date,
): Statement[] {
  const mayLogIn = and(
    eq(users.id, id),
    isPerson(users, { directoryIds: [directoryId], authority }),
    eq(users.state, 'active'),
    eq(users.kind, 'person'),
  );
  const next = (column: typeof users.real_name | typeof users.email, value: string): SQL =>
    value === '' ? sql`${column}` : sql`${value}`;
  const changed = sql`(${users.real_name}, ${users.email}) is distinct from (${next(users.real_name, realName)}, ${next(users.email, email)})`;
  return [
    h
      .update(users)
      .set({
        last_login_at: now,
        directory_checked_at: now,
        directory_authority: authority,
        card_fingerprint: card,
        attributes,
        real_name: next(users.real_name, realName),
        email: next(users.email, email),
        revision: sql`case when ${changed} then ${users.revision} + 1 else ${users.revision} end`,
        updated_at: sql`case when ${changed} then ${now.toISOString()}::timestamptz else ${users.updated_at} end`,
      })
      .where(mayLogIn),
    must(h, sql`exists(select 1 from ${users} where ${mayLogIn})`, 'invalid_credentials'),
  ];
}

/**
 * Sets the memberships of a user. Unchanged memberships are not written, because each write changes the version of
 * the access rights of all users.
 */
export const setMemberships = (h: Db, userId: string, groupIds: readonly string[]): Statement[] => [
  h
    .delete(groupMembers)
    .where(and(eq(groupMembers.user_id, userId), sql`${groupMembers.group_id} <> all(${arrayOf(groupIds)})`)),
  h
    .insert(groupMembers)
    .select(
      sql`select ${groups.id}, ${userId}::uuid from ${groups} where ${groups.id} = any(${arrayOf(groupIds)})`,
    )
    .onConflictDoNothing(),
];
