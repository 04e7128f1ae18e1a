import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { authenticators } from '../schema/authenticators.ts';
import { dispatcherSessions } from '../schema/dispatcher-sessions.ts';
import { dispatchers, type NodeDomain } from '../schema/dispatchers.ts';
import { farms } from '../schema/farms.ts';
import { groups } from '../schema/groups.ts';
import { siteAuthenticators, siteGroups, sites, siteUsers } from '../schema/sites.ts';
import { users } from '../schema/users.ts';
import { type Destination, isStillAt } from './destinations.ts';
import { isInMaintenance, maintenanceMessage } from './maintenance-state.ts';
import type { RoutingRows } from './routing-facts.ts';
import { storedNodes } from './stored-nodes.ts';

/** A user as entitlement sees him. */
export type Entitled = { userId: string; domainId: string };

export type StoredFarm = {
  id: string;
  name: string;
  enabled: boolean;
  maintenance: boolean;
  /** What users are told of its maintenance. */
  maintenance_message?: string | null;
  balancing: 'priority' | 'round_robin' | 'least_loaded';
};

export type LocalDomain = { id: string; name: string; label: string };

/** The groups that count for a user, meta groups among them, by name. */
export const groupsOf = (userId: string): SQL<{ id: string; name: string }[]> =>
  sql`${sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', ${groups.id}, 'name', ${groups.name}) order by ${groups.name_key}), '[]')
  from ${groups} where ${groups.id} in (select group_id from effective_groups(${userId}::uuid)))`}`;

/** The condition that the user may use the site: by domain, by name or by group; an enabled site only. */
export const maySeeSite = ({ userId, domainId }: Entitled): SQL | undefined =>
  and(
    sites.enabled,
    or(
      sql`exists(select 1 from ${siteAuthenticators} where ${siteAuthenticators.site_id} = ${sites.id}
            and ${siteAuthenticators.authenticator_id} = ${domainId})`,
      sql`exists(select 1 from ${siteUsers} where ${siteUsers.site_id} = ${sites.id} and ${siteUsers.user_id} = ${userId})`,
      sql`exists(select 1 from ${siteGroups} where ${siteGroups.site_id} = ${sites.id}
            and ${siteGroups.group_id} in (select group_id from effective_groups(${userId}::uuid)))`,
    ),
  );

/**
 * A site that the user may use, with all that a call of its dispatchers needs, in one statement.
 * @param routing what else is to be known of the site for the user
 * @returns undefined for a site that is not his, disabled, or does not exist
 */
export async function findUserSite(
  db: Db,
  uri: string,
  who: Entitled,
  routing: SQL<RoutingRows | null> = sql`null`,
) {
  const [row] = await db
    .select({
      site: {
        id: sites.id,
        uri: sites.uri,
        name: sites.name,
        maintenance: isInMaintenance(sites),
        maintenance_message: maintenanceMessage(sites),
      },
      groups: groupsOf(who.userId),
      routing,
      farms: sql<StoredFarm[]>`${sql`(
        select coalesce(jsonb_agg(jsonb_build_object('id', ${farms.id}, 'name', ${farms.name}, 'enabled', ${farms.enabled},
          'maintenance', ${isInMaintenance(farms)}, 'maintenance_message', ${maintenanceMessage(farms)},
          'balancing', ${farms.balancing}) order by ${farms.name_key}), '[]')
        from ${farms} where ${farms.site_id} = ${sites.id})`}`,
      nodes: storedNodes(
        sql`${farms.site_id} = ${sites.id}`,
        sql`${dispatcherSessions.user_id} = ${who.userId}::uuid`,
      ),
      domains: sql<LocalDomain[]>`${sql`(
        select coalesce(jsonb_agg(jsonb_build_object('id', ${authenticators.id}, 'name', ${authenticators.name},
          'label', ${authenticators.small_name}) order by ${authenticators.priority}, ${authenticators.name_key}), '[]')
        from ${authenticators} where ${authenticators.state} = 'visible' or ${authenticators.id} = ${who.domainId})`}`,
    })
    .from(sites)
    .where(and(eq(sites.uri, uri), maySeeSite(who)));
  return row;
}

/** Who somebody is for sites and dispatchers. */
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

/** Keeps the list of domains that a node told, unless the node has moved meanwhile. */
export async function keepNodeDomains(
  db: Db,
  node: Destination,
  domains: NodeDomain[],
  at: Date,
): Promise<void> {
  await db.update(dispatchers).set({ domains, domains_at: at }).where(isStillAt(node));
}
