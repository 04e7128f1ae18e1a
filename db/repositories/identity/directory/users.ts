import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { userRoles } from '../../../schema/identity/roles.ts';
import { users } from '../../../schema/identity/users.ts';
import { appendMonitoring, type MonitoringEntry } from '../../monitoring/records.ts';
import { must } from '../../records/statements.ts';
import { revokeAccessOfUser } from '../access-revocation.ts';
import { presentAuthority } from './authority.ts';

type UserRow = typeof users.$inferSelect;
type UserKey = Pick<UserRow, 'id' | 'authenticator_id' | 'name' | 'name_key'>;
/** Alternative folded names for a user whose name is taken. The second one is used if the first one is also taken. */
export type Fallbacks = readonly [short: string, long: string];

/** Inserts a user of a directory, unless the row exists. */
export const addDirectoryUser = (h: Db, user: UserRow): Statement =>
  h.insert(users).values(user).onConflictDoNothing();

/** Binds a user without roles who has never logged in to an entry of the directory. */
export const bindUnusedUser = (h: Db, { id }: Pick<UserKey, 'id'>, directoryId: string): Statement =>
  h
    .update(users)
    .set({ directory_id: directoryId, ...revised })
    .where(
      and(
        eq(users.id, id),
        isNull(users.directory_id),
        isNull(users.last_login_at),
        sql`not exists(select 1 from ${userRoles} where ${userRoles.user_id} = ${users.id})`,
      ),
    );

/**
 * Renames a user to the name of the directory entry, or to a fallback if another user has that name, and writes a
 * monitoring record. Does nothing if the user was renamed meanwhile.
 */
export const renameUser = (
  h: Db,
  user: UserKey,
  next: { name: string; nameKey: string; fallbacks: Fallbacks },
  record: MonitoringEntry,
): Statement[] => {
  const isFree = sql`not ${isTaken(user, next.nameKey)}`;
  const fallback = freeOf(user, next.fallbacks);
  return [
    ...recordRename(h, user, record),
    h
      .update(users)
      .set({
        name: sql`case when ${isFree} then ${next.name} else ${fallback} end`,
        name_key: sql`case when ${isFree} then ${next.nameKey} else ${fallback} end`,
        ...revised,
      })
      .where(isUnchanged(user)),
  ];
};

/**
 * Deactivates a user whose directory entry is gone, ends all access of the user, and frees the name.
 * @param recordOf monitoring record for the new name of the user
 */
export const retireUser = (
  h: Db,
  user: UserKey,
  fallbacks: Fallbacks,
  recordOf: (name: string) => MonitoringEntry,
): Statement[] => {
  const name = freeOf(user, fallbacks);
  return [
    ...fallbacks.flatMap((fallback) => recordRename(h, user, recordOf(fallback), sql`${name} = ${fallback}`)),
    h
      .update(users)
      .set({ state: 'inactive', name, name_key: name, ...revised })
      .where(isUnchanged(user)),
    ...revokeAccessOfUser(h, user.id),
  ];
};

const isTaken = ({ id, authenticator_id }: UserKey, nameKey: string): SQL =>
  sql`exists(select 1 from ${users} other where other.authenticator_id = ${authenticator_id}::uuid
    and other.name_key = ${nameKey} and other.id <> ${id}::uuid)`;

const freeOf = (user: UserKey, [short, long]: Fallbacks): SQL =>
  sql`case when ${isTaken(user, short)} then ${long} else ${short} end`;

/** Of two concurrent batches only one writes the record, because the other finds a changed name. */
const recordRename = (h: Db, user: UserKey, record: MonitoringEntry, when = sql`true`): Statement[] => [
  h.select({ id: users.id }).from(users).where(isUnchanged(user)).for('update'),
  appendMonitoring(h, record, sql`${when} and exists(select 1 from ${users} where ${isUnchanged(user)})`),
];

const isUnchanged = ({ id, name_key }: UserKey): SQL | undefined =>
  and(eq(users.id, id), eq(users.name_key, name_key));

const revised = { revision: sql`${users.revision} + 1`, updated_at: sql`now()` };

/**
 * Conditions for binding a user to a person by an administrator.
 * @param authority the issuer that vouches for the identifiers; empty for the directory of the domain
 */
export const mustBeUnbound = (
  h: Db,
  { id, authenticator_id }: Pick<UserKey, 'id' | 'authenticator_id'>,
  { directoryIds, authority }: { directoryIds: readonly string[]; authority: string },
): Statement[] => [
  must(
    h,
    sql`(select ${users.id} from ${users} where ${users.id} = ${id} and ${users.directory_id} is null for update) is not null`,
    'invalid_state:bound',
  ),
  must(
    h,
    sql`not exists(select 1 from ${users} where ${users.authenticator_id} = ${authenticator_id}
      and ${inArray(users.directory_id, [...directoryIds])} and ${users.directory_authority} in ('', ${authority}, ${presentAuthority(sql`${authenticator_id}::uuid`)}))`,
    'invalid_state:entry_in_use',
  ),
];
