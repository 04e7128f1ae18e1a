import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { groupMembers } from '../../../schema/identity/groups.ts';
import { userRoles } from '../../../schema/identity/roles.ts';
import { users } from '../../../schema/identity/users.ts';
import { derived, must } from '../../records/statements.ts';
import { presentAuthority } from '../directory/authority.ts';

type UserRow = typeof users.$inferSelect;

/** Users that the identity provider of a domain can see: persons that it has not deleted. */
export const provisionedIn = (domainId: string): SQL =>
  sql`(${and(eq(users.authenticator_id, domainId), eq(users.kind, 'person'), isNull(users.deprovisioned_at))})`;

export const userColumns = {
  id: users.id,
  revision: users.revision,
  name: users.name,
  real_name: users.real_name,
  given_name: users.given_name,
  family_name: users.family_name,
  email: users.email,
  state: users.state,
  directory_id: users.directory_id,
  created_at: users.created_at,
  updated_at: users.updated_at,
};

/** What a write depends on: an account with roles, or one that has been used. */
const facts = {
  hasRoles: derived<boolean>(
    sql`select exists(select 1 from ${userRoles} where ${userRoles.user_id} = ${users.id})`,
  ),
  last_login_at: users.last_login_at,
  deprovisioned_at: users.deprovisioned_at,
  deactivated_by: users.deactivated_by,
};

/** @returns the user with this id in the domain */
export async function findProvisionedUser(db: Db, domainId: string, id: string) {
  const [row] = await db
    .select({ ...userColumns, ...facts })
    .from(users)
    .where(and(provisionedIn(domainId), eq(users.id, id)));
  return row;
}

/**
 * The user that a client means when it creates one: the person with the identifier, or else the one with the name who has no
 * identifier yet.
 */
export async function findFormerUser(db: Db, domainId: string, { subject, nameKey }: Meant) {
  const isSubject = sql`(${users.directory_id} = ${subject}
    and ${users.directory_authority} in ('', ${presentAuthority(sql`${domainId}::uuid`)}))`;
  const isNamed = sql`(${users.name_key} = ${nameKey} and ${users.directory_id} is null)`;
  const [row] = await db
    .select({ ...userColumns, ...facts })
    .from(users)
    .where(
      and(eq(users.authenticator_id, domainId), eq(users.kind, 'person'), sql`(${isSubject} or ${isNamed})`),
    )
    .orderBy(sql`${isSubject} is true desc`)
    .limit(1);
  return row;
}

/** `subject` is the identifier at the provider, if the client sends one. */
type Meant = { subject: string | null; nameKey: string };

type Written = Partial<
  Pick<
    UserRow,
    | 'name'
    | 'name_key'
    | 'real_name'
    | 'given_name'
    | 'family_name'
    | 'email'
    | 'state'
    | 'directory_id'
    | 'deprovisioned_at'
    | 'deactivated_by'
  >
>;

export type NewUser = Required<Omit<Written, 'deprovisioned_at' | 'deactivated_by'>> &
  Pick<UserRow, 'id' | 'authenticator_id'>;

export const addProvisionedUser = (h: Db, user: NewUser): Statement =>
  h
    .insert(users)
    .values({
      ...user,
      directory_authority: authorityOf(user.directory_id, sql`${user.authenticator_id}::uuid`),
    })
    .returning(userColumns);

/** A row without an identifier has no authority either. */
const authorityOf = (directoryId: string | null, domainId: SQL): SQL =>
  directoryId === null ? sql`''` : presentAuthority(domainId);

/**
 * Fails the batch with `precondition_failed` unless the user is at this revision and has the same roles as when it was read,
 * and locks the row.
 */
export const mustBeAsRead = (
  h: Db,
  { id, revision, hasRoles }: { id: string; revision: number; hasRoles: boolean },
): Statement =>
  must(
    h,
    sql`(select ${users.revision} from ${users} where ${users.id} = ${id} for update) = ${revision}
      and exists(select 1 from ${userRoles} where ${userRoles.user_id} = ${id}) = ${hasRoles}`,
    'precondition_failed',
  );

export const changeProvisionedUser = (h: Db, id: string, written: Written): Statement =>
  h
    .update(users)
    .set({
      ...written,
      ...(written.directory_id && {
        directory_authority: sql`case when ${users.directory_id} is null
          then ${presentAuthority(sql`${users.authenticator_id}`)} else ${users.directory_authority} end`,
      }),
      revision: sql`${users.revision} + 1`,
      updated_at: sql`now()`,
    })
    .where(eq(users.id, id))
    .returning(userColumns);

export const leaveGroups = (h: Db, userId: string): Statement =>
  h.delete(groupMembers).where(eq(groupMembers.user_id, userId));
