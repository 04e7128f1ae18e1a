import { and, asc, desc, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { prebuilt } from '../../prebuilt.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { passwordHistory, users } from '../../schema/identity/users.ts';
import { sites } from '../../schema/sites/sites.ts';
import { type Scope, within } from '../records/scope.ts';
import { type EntitledUser, groupsOf, maySeeSite } from '../sites/user-sites.ts';
import { hasPasskey } from './passkeys/state.ts';
import { hasDevice, skips } from './second-factors.ts';

type SiteName = { id: string; uri: string; name: string };

/** The sites that the user may use, by name, as one JSON array. */
const sitesOf = (who: EntitledUser): SQL<SiteName[]> =>
  sql<SiteName[]>`${sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', ${sites.id}, 'uri', ${sites.uri}, 'name', ${sites.name}) order by ${sites.name_key}), '[]')
  from ${sites} where ${maySeeSite(who)})`}`;

/** Returns the account data of a user that the session does not contain. */
export async function findOwnAccount(db: Db, who: EntitledUser) {
  const [row] = await ownAccount(db, who);
  return row;
}

const ownAccount = prebuilt((db, who: EntitledUser) =>
  db
    .select({
      email: users.email,
      domainType: authenticators.type,
      lastLoginAt: users.last_login_at,
      hasPassword: sql<boolean>`${users.password_hash} is not null`,
      hasDevice: sql<boolean>`${hasDevice(users.id)}`,
      hasPasskey: sql<boolean>`${hasPasskey(users.id)}`,
      needsFactor: sql<boolean>`${authenticators.two_factor} and not ${skips(who.userId)}`,
      groups: groupsOf(who.userId),
      sites: sitesOf(who),
    })
    .from(users)
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(eq(users.id, who.userId)),
);

/** Returns the sites that the user may use or may see as an administrator, by name. */
export const listReachableSites = (
  db: Db,
  who: EntitledUser | undefined,
  scope: Scope,
): Promise<SiteName[]> =>
  db
    .select({ id: sites.id, uri: sites.uri, name: sites.name })
    .from(sites)
    .where(scope === '*' ? undefined : or(who && maySeeSite(who), within(sites.id, scope)))
    .orderBy(asc(sites.name_key));

/** Number of former passwords that may not be reused. */
const maxFormerPasswords = 5;

export type FormerPassword = { id: string; sealed_hash: string };

/** Returns the hash of the current password, and the sealed hashes of the last five former ones. */
export async function findPasswords(
  db: Db,
  userId: string,
): Promise<{ hash: string | null; former: FormerPassword[] }> {
  const rows = await db
    .select({ hash: users.password_hash, id: passwordHistory.id, sealed_hash: passwordHistory.sealed_hash })
    .from(users)
    .leftJoin(passwordHistory, eq(passwordHistory.user_id, users.id))
    .where(eq(users.id, userId))
    .orderBy(desc(passwordHistory.at), desc(passwordHistory.id))
    .limit(maxFormerPasswords);
  return {
    hash: rows[0]?.hash ?? null,
    former: rows.flatMap(({ id, sealed_hash }) => (id && sealed_hash ? [{ id, sealed_hash }] : [])),
  };
}

/** Stores a replaced password and deletes all but the last five. */
export const keepFormerPassword = (h: Db, row: typeof passwordHistory.$inferInsert): Statement[] => [
  h.insert(passwordHistory).values(row),
  h.delete(passwordHistory).where(
    sql`${passwordHistory.id} in (select id from ${passwordHistory} where ${passwordHistory.user_id} = ${row.user_id}
        order by at desc, id desc offset ${maxFormerPasswords})`,
  ),
];

/** Replaces the password that was just verified; matches no row if it was changed meanwhile. */
export const setOwnPassword = (h: Db, userId: string, from: string, to: string, at: Date): Statement =>
  h
    .update(users)
    .set({
      password_hash: to,
      password_changed_at: at,
      must_change_password: false,
      updated_at: at,
      revision: sql`${users.revision} + 1`,
    })
    .where(and(eq(users.id, userId), eq(users.password_hash, from)));

/**
 * Stores the language chosen by the user. The revision does not change, because administrators do not see the
 * language.
 */
export const setOwnLanguage = (h: Db, userId: string, language: string | null): Statement =>
  h.update(users).set({ language }).where(eq(users.id, userId));

/** The condition, for `must`, that the stored hash is this one. */
export const hasHash = (userId: string, hash: string): SQL =>
  sql`exists(select 1 from ${users} where ${users.id} = ${userId} and ${users.password_hash} = ${hash})`;
