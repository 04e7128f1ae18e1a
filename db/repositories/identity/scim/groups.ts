import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { groupParts } from '../../../schema/identity/group-parts.ts';
import { groupMembers, groups } from '../../../schema/identity/groups.ts';
import { users } from '../../../schema/identity/users.ts';
import { arrayOf, must } from '../../records/statements.ts';
import { provisionedIn } from './users.ts';

/** Groups of a domain that have members of their own. */
export const groupsIn = (domainId: string): SQL =>
  sql`(${and(eq(groups.authenticator_id, domainId), eq(groups.type, 'group'))})`;

export const groupColumns = {
  id: groups.id,
  revision: groups.revision,
  name: groups.name,
  external_id: groups.external_id,
  created_at: groups.created_at,
  updated_at: groups.updated_at,
};

/** @returns the group with this id in the domain */
export async function findProvisionedGroup(db: Db, domainId: string, id: string) {
  const [row] = await db
    .select({ ...groupColumns, skip_two_factor: groups.skip_two_factor })
    .from(groups)
    .where(and(groupsIn(domainId), eq(groups.id, id)));
  return row;
}

export type NewGroup = Pick<
  typeof groups.$inferInsert,
  'id' | 'authenticator_id' | 'name' | 'name_key' | 'external_id' | 'directory_id'
>;

export const addProvisionedGroup = (h: Db, group: NewGroup): Statement =>
  h.insert(groups).values(group).returning(groupColumns);

/**
 * Locks the group. Fails the batch with `not_found` unless it is one of the domain, with `precondition_failed` unless it is at
 * this revision, and with `forbidden` if it, or a meta group that contains it, waives the second factor.
 * @param revision undefined if the write depends on nothing that was read
 */
export const mustChangeGroup = (
  h: Db,
  { domainId, id, revision }: { domainId: string; id: string; revision?: number },
): Statement[] => [
  must(
    h,
    sql`(select ${groups.id} from ${groups} where ${groupsIn(domainId)} and ${groups.id} = ${id} for update) is not null`,
    'not_found',
  ),
  ...(revision === undefined
    ? []
    : [
        must(
          h,
          sql`(select ${groups.revision} from ${groups} where ${groups.id} = ${id}) = ${revision}`,
          'precondition_failed',
        ),
      ]),
  must(
    h,
    sql`not exists(select 1 from ${groups} as skipping where skipping.skip_two_factor and (skipping.id = ${id}
      or skipping.id in (select ${groupParts.group_id} from ${groupParts} where ${groupParts.part_id} = ${id})))`,
    'forbidden:skip_two_factor',
  ),
];

export const changeProvisionedGroup = (
  h: Db,
  id: string,
  written: Partial<Pick<NewGroup, 'name' | 'name_key' | 'external_id' | 'directory_id'>>,
): Statement =>
  h
    .update(groups)
    .set({ ...written, revision: sql`${groups.revision} + 1`, updated_at: sql`now()` })
    .where(eq(groups.id, id))
    .returning(groupColumns);

export const removeProvisionedGroup = (h: Db, id: string): Statement =>
  h.delete(groups).where(eq(groups.id, id));

type Members = { group: string; domainId: string; ids: readonly string[] };

/** Fails the batch unless all identifiers are those of users that the identity provider can see, and locks them. */
export const mustBeUsers = (h: Db, { domainId, ids }: Omit<Members, 'group'>): Statement =>
  must(
    h,
    sql`(select count(*) from (select ${users.id} from ${users}
      where ${provisionedIn(domainId)} and ${users.id} = any(${arrayOf(ids)}) for key share) as locked) = ${ids.length}`,
    'invalid_request:unknown_member',
  );

export const addMembers = (h: Db, { group, ids }: Omit<Members, 'domainId'>): Statement =>
  h
    .insert(groupMembers)
    .select(sql`select ${group}::uuid, one from unnest(${arrayOf(ids)}) as one`)
    .onConflictDoNothing();

export const removeMembers = (h: Db, { group, ids }: Omit<Members, 'domainId'>): Statement =>
  h
    .delete(groupMembers)
    .where(and(eq(groupMembers.group_id, group), sql`${groupMembers.user_id} = any(${arrayOf(ids)})`));

export const keepMembers = (h: Db, { group, ids }: Omit<Members, 'domainId'>): Statement =>
  h
    .delete(groupMembers)
    .where(and(eq(groupMembers.group_id, group), sql`${groupMembers.user_id} <> all(${arrayOf(ids)})`));

/** Name and revision of a group after the change, for its audit event. */
export const changedGroup = (id: string) => ({
  name: sql`(select ${groups.name} from ${groups} where ${groups.id} = ${id})`,
  details: sql`jsonb_build_object('revision', (select ${groups.revision} from ${groups} where ${groups.id} = ${id}))`,
});

/** The groups that have the users as members, at most `limit` memberships. */
export const groupsOfUsers = (db: Db, domainId: string, ids: readonly string[], limit: number) =>
  db
    .select({ user: groupMembers.user_id, id: groups.id, name: groups.name })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.group_id))
    .where(and(inArray(groupMembers.user_id, [...ids]), groupsIn(domainId)))
    .orderBy(groupMembers.user_id, groups.id)
    .limit(limit);

export type Membership = { group: string; id: string; name: string };

/** The members of groups after one of them, at most `limit`. */
export const membersOfGroups = (
  db: Db,
  domainId: string,
  ids: readonly string[],
  { limit, after }: { limit: number; after: Membership | undefined },
): PromiseLike<Membership[]> =>
  db
    .select({ group: groupMembers.group_id, id: users.id, name: users.name })
    .from(groupMembers)
    .innerJoin(users, eq(users.id, groupMembers.user_id))
    .where(
      and(
        inArray(groupMembers.group_id, [...ids]),
        provisionedIn(domainId),
        after &&
          sql`(${groupMembers.group_id}, ${groupMembers.user_id}) > (${after.group}::uuid, ${after.id}::uuid)`,
      ),
    )
    .orderBy(groupMembers.group_id, groupMembers.user_id)
    .limit(limit);
