import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { groups } from '../../schema/identity/groups.ts';
import { users } from '../../schema/identity/users.ts';
import { dispatchers, type NodeDomain } from '../../schema/sites/dispatchers.ts';
import { siteAuthenticators, siteGroups, sites, siteUsers } from '../../schema/sites/sites.ts';
import { type Destination, isStillAt } from './destinations.ts';

/** A user and the user's domain, for access checks. */
export type EntitledUser = { userId: string; domainId: string };

export type StoredFarm = {
  id: string;
  name: string;
  enabled: boolean;
  maintenance: boolean;
  /** Maintenance message for users. */
  maintenance_message?: string | null;
  balancing: 'priority' | 'round_robin' | 'least_loaded';
};

/** A farm in maintenance. Templates begin and end by time, without a write. */
export type MaintainedFarm = { id: string; message: string | null };

export type LocalDomain = { id: string; name: string; label: string };

/** The groups that apply to a user, including meta groups, by name. */
export const groupsOf = (userId: string): SQL<{ id: string; name: string }[]> =>
  sql`${sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', ${groups.id}, 'name', ${groups.name}) order by ${groups.name_key}), '[]')
  from ${groups} where ${groups.id} in (${effectiveGroups(userId)}))`}`;

export const effectiveGroups = (userId: string): SQL =>
  sql`select group_id from effective_groups(${userId}::uuid)`;

/**
 * The condition that the user may use the site, by domain, name or group; only enabled sites.
 * @param own a select of the user's groups, if the statement has one already
 */
export const maySeeSite = (who: EntitledUser, own?: SQL): SQL | undefined =>
  and(sites.enabled, isSiteFor(who, own));

/** The same, also for a disabled site. */
export const isSiteFor = (
  { userId, domainId }: EntitledUser,
  own: SQL = effectiveGroups(userId),
): SQL | undefined =>
  or(
    sql`exists(select 1 from ${siteAuthenticators} where ${siteAuthenticators.site_id} = ${sites.id}
            and ${siteAuthenticators.authenticator_id} = ${domainId})`,
    sql`exists(select 1 from ${siteUsers} where ${siteUsers.site_id} = ${sites.id} and ${siteUsers.user_id} = ${userId})`,
    sql`exists(select 1 from ${siteGroups} where ${siteGroups.site_id} = ${sites.id}
            and ${siteGroups.group_id} in (${own}))`,
  );

/** Returns the user's name and domain, as used for sites and dispatchers. */
export async function findPerson(db: Db, id: string) {
  const [row] = await db
    .select({
      id: users.id,
      name: users.name,
      domain: { id: authenticators.id, label: authenticators.small_name },
    })
    .from(users)
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(eq(users.id, id));
  return row;
}

/** Stores the list of domains reported by a node, unless its destination has changed. */
export async function storeNodeDomains(
  db: Db,
  node: Destination,
  domains: NodeDomain[],
  at: Date,
): Promise<void> {
  await db.update(dispatchers).set({ domains, domains_at: at }).where(isStillAt(node));
}
