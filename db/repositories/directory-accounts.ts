import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../client.ts';
import { authenticators } from '../schema/authenticators.ts';
import { groupMembers, groups } from '../schema/groups.ts';
import { users } from '../schema/users.ts';
import { rolesOf } from './login-sessions.ts';
import { arrayOf, derived, must } from './statements.ts';

/** Groups of a directory in the forms that registered ones are compared in. */
export type GroupKeys = { dns: readonly string[]; names: readonly string[]; sids: readonly string[] };
/** A registered group; `dn` is null for one that goes by its name. */
export type RegisteredGroup = {
  id: string;
  name_key: string;
  dn: string | null;
  directory_id: string | null;
  state: 'active' | 'inactive';
};

/** The domain with its user of this name, his roles and memberships as they are, and those of the groups that are registered. */
export async function findDirectoryAccount(db: Db, domainId: string, nameKey: string, keys: GroupKeys) {
  const [row] = await db
    .select({
      domain: authenticators,
      user: users,
      roles: rolesOf(users.id),
      memberOf: derived<string[]>(
        sql`select coalesce(jsonb_agg(${groupMembers.group_id}), '[]') from ${groupMembers} where ${groupMembers.user_id} = ${users.id}`,
      ),
      groups: registered(eq(groups.authenticator_id, authenticators.id), keys),
    })
    .from(authenticators)
    .leftJoin(users, and(eq(users.authenticator_id, authenticators.id), eq(users.name_key, nameKey)))
    .where(eq(authenticators.id, domainId));
  return row;
}

/** Those of the groups that are registered in the domain. */
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

/** Which of the folded names are users of the domain, and which of the groups are registered. */
export async function findKnownNames(db: Db, domainId: string, names: readonly string[], keys: GroupKeys) {
  const known = sql<string[]>`${sql`(
    select coalesce(jsonb_agg(${users.name_key}), '[]') from ${users}
    where ${users.authenticator_id} = ${domainId} and ${users.name_key} in (${textsOf(names)}))`}`;
  const [row] = await db
    .select({ users: known, groups: registered(eq(groups.authenticator_id, domainId), keys) })
    .from(sql`(values (1)) as once`);
  return row ?? { users: [], groups: [] };
}

/** As `dnKeys` spells it. */
const comparedDn = sql`regexp_replace(trim(lower(nullif(${groups.external_id}, '') collate "C")), ' *([,=+]) *', '\\1', 'g')`;

/** By the identifier of the directory where it is known, then by distinguished name where one was given, else by name. */
const registered = (ofDomain: SQL, { dns, names, sids }: GroupKeys): SQL<RegisteredGroup[]> =>
  sql<RegisteredGroup[]>`${sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', ${groups.id}, 'name_key', ${groups.name_key}, 'state', ${groups.state},
           'directory_id', ${groups.directory_id}, 'dn', ${comparedDn}) order by ${groups.name_key}), '[]')
  from ${groups} where ${ofDomain} and ${groups.type} = 'group' and case
    when ${groups.directory_id} is not null then ${groups.directory_id} in (${textsOf(sids)})
    when nullif(${groups.external_id}, '') is null
    then ${groups.name_key} in (${textsOf(names)}) else ${comparedDn} in (${textsOf(dns)}) end)`}`;

/** One parameter, whatever the texts hold and however many there are. */
const textsOf = (texts: readonly string[]): SQL =>
  sql`select jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb)`;

/** What a directory says of somebody at his login; an empty text says nothing. */
export type KnownPerson = {
  id: string;
  name: string;
  nameKey: string;
  realName: string;
  email: string;
  attributes: Record<string, string>;
};

/**
 * Makes the user what the directory says, and himself if he is new. Ends its batch when he may not log in any more; he
 * is held until the session stands.
 */
export function noteDirectoryLogin(
  h: Db,
  domainId: string,
  { id, name, nameKey, realName, email, attributes }: KnownPerson,
  isNew: boolean,
  now: Date,
): Statement[] {
  const mayLogIn = and(eq(users.id, id), eq(users.state, 'active'), eq(users.kind, 'person'));
  const next = (column: typeof users.real_name | typeof users.email, value: string): SQL =>
    value === '' ? sql`${column}` : sql`${value}`;
  const changed = sql`(${users.real_name}, ${users.email}) is distinct from (${next(users.real_name, realName)}, ${next(users.email, email)})`;
  return [
    ...(isNew
      ? [
          h
            .insert(users)
            .values({ id, authenticator_id: domainId, name, name_key: nameKey })
            .onConflictDoNothing(),
        ]
      : []),
    h
      .update(users)
      .set({
        last_login_at: now,
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
