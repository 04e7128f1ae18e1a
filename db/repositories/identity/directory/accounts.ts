import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { groupMembers, groups } from '../../../schema/identity/groups.ts';
import { userRoles } from '../../../schema/identity/roles.ts';
import { users } from '../../../schema/identity/users.ts';
import { arrayOf, derived, must } from '../../records/statements.ts';
import { rolesOf } from '../login/sessions.ts';

/** Groups of a directory in the forms that registered ones are compared in. */
export type GroupKeys = { names: readonly string[]; sids: readonly string[] };
/** A registered group; `dn` is as it was registered, null for one that goes by its name. */
export type RegisteredGroup = {
  id: string;
  name_key: string;
  dn: string | null;
  directory_id: string | null;
  state: 'active' | 'inactive';
};

/** A person of a directory: the immutable identifiers of the entry, at least one, and the folded name. */
export type PersonKey = { directoryIds: readonly string[]; nameKey: string };

const namesakes = alias(users, 'namesake');
const isNamesake = ({ directoryIds, nameKey }: PersonKey): SQL | undefined =>
  and(
    eq(namesakes.authenticator_id, authenticators.id),
    eq(namesakes.name_key, nameKey),
    sql`(${inArray(namesakes.directory_id, [...directoryIds])}) is not true`,
  );

/**
 * The domain with the user of one of these identifiers, another user of the same name, roles and memberships as they are, and the
 * registered groups that those of the person may be: see `registered`. `isAmbiguous` if several users have the identifiers.
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
    .leftJoin(
      users,
      and(eq(users.authenticator_id, authenticators.id), inArray(users.directory_id, [...key.directoryIds])),
    )
    .leftJoin(namesakes, isNamesake(key))
    .where(eq(authenticators.id, domainId));
  return row && { ...row, isAmbiguous: others.length > 0 };
}

/** Registered groups of the domain that the groups may be: see `registered`. */
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

/** Which of the folded names are users of the domain, and the registered groups that the groups may be: see `registered`. */
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
 * Registered groups by the identifier of the directory where it is known, else by name. All that were registered with a
 * distinguished name are among them: SQL cannot compare distinguished names, so the caller does.
 */
const registered = (ofDomain: SQL, { names, sids }: GroupKeys): SQL<RegisteredGroup[]> =>
  sql<RegisteredGroup[]>`${sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', ${groups.id}, 'name_key', ${groups.name_key}, 'state', ${groups.state},
           'directory_id', ${groups.directory_id}, 'dn', nullif(${groups.external_id}, '')) order by ${groups.name_key}), '[]')
  from ${groups} where ${ofDomain} and ${groups.type} = 'group' and case
    when ${groups.directory_id} is not null then ${groups.directory_id} in (${textsOf(sids)})
    else nullif(${groups.external_id}, '') is not null or ${groups.name_key} in (${textsOf(names)}) end)`}`;

/** One parameter, whatever the texts hold and however many there are. */
const textsOf = (texts: readonly string[]): SQL =>
  sql`select jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb)`;

/** What a directory says of a person at a login; an empty text says nothing. */
export type KnownPerson = {
  id: string;
  directoryId: string;
  realName: string;
  email: string;
  attributes: Record<string, string>;
  /** The fingerprint of the key of the smart card, if that was the proof. */
  card: string | null;
};

/**
 * Writes what the directory says of a user. Ends its batch if the user may not log in any more; the row is locked until
 * the session stands.
 */
export function noteDirectoryLogin(
  h: Db,
  { id, directoryId, realName, email, attributes, card }: KnownPerson,
  now: Date,
): Statement[] {
  const mayLogIn = and(
    eq(users.id, id),
    eq(users.directory_id, directoryId),
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

/** Makes the memberships of a user these. What stays is not written: it would move the version of everybody's rights. */
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
