import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { groups } from '../../schema/identity/groups.ts';
import { users } from '../../schema/identity/users.ts';
import { dispatcherSessions } from '../../schema/routing/dispatcher-sessions.ts';
import { dispatchers, type NodeDomain } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { fleetVersions } from '../../schema/sites/fleet-versions.ts';
import { siteAuthenticators, siteGroups, sites, siteUsers } from '../../schema/sites/sites.ts';
import { isInMaintenance, maintenanceMessage } from '../maintenance/state.ts';
import { derived } from '../records/statements.ts';
import type { RoutingRows } from '../routing/routing-rows.ts';
import { type Destination, isStillAt } from './destinations.ts';
import { type NodeAddress, type NodeState, nodeAddresses, nodeStates } from './farm-nodes.ts';

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

const effectiveGroups = (userId: string): SQL => sql`select group_id from effective_groups(${userId}::uuid)`;

/**
 * The condition that the user may use the site, by domain, name or group; only enabled sites.
 * @param own a select of the user's groups, if the statement has one already
 */
export const maySeeSite = (
  { userId, domainId }: EntitledUser,
  own: SQL = effectiveGroups(userId),
): SQL | undefined =>
  and(
    sites.enabled,
    or(
      sql`exists(select 1 from ${siteAuthenticators} where ${siteAuthenticators.site_id} = ${sites.id}
            and ${siteAuthenticators.authenticator_id} = ${domainId})`,
      sql`exists(select 1 from ${siteUsers} where ${siteUsers.site_id} = ${sites.id} and ${siteUsers.user_id} = ${userId})`,
      sql`exists(select 1 from ${siteGroups} where ${siteGroups.site_id} = ${sites.id}
            and ${siteGroups.group_id} in (${own}))`,
    ),
  );

/** Farms and nodes of a site with their settings; contains no secrets and no user data. */
export type Topology = { version: number; farms: PlannedFarm[]; nodes: NodeAddress[] };
export type PlannedFarm = Omit<StoredFarm, 'maintenance' | 'maintenance_message'>;

export type UserSiteRecord = {
  site: { id: string; uri: string; name: string; maintenance: boolean; maintenance_message: string | null };
  /** Null if the caller has the current version. */
  topology: Topology | null;
  maintained: MaintainedFarm[];
  conditions: NodeState[];
  groups: { name: string }[];
  domains: LocalDomain[];
  routing: RoutingRows | null;
};

/**
 * A query for a site. `held` is the version of the topology that the caller has cached, 0 for none; `routing` is a
 * further column for the user.
 */
export type SiteQuery = { uri: string; who: EntitledUser; held: number; routing?: SQL | undefined };

/**
 * Returns a site that the user may use, with all data for calls of its dispatchers, in one statement. The groups of
 * the user are selected once as `own`, because planning that query costs more than running it; `routing` can use
 * `select id from own`.
 * @returns undefined if the site does not exist, is disabled, or the user may not use it
 */
export async function findUserSite(
  db: Db,
  { uri, who, held, routing = sql`null` }: SiteQuery,
): Promise<UserSiteRecord | undefined> {
  const ofSite = sql`${farms.site_id} = ${sites.id}`;
  const statement = sql`with own as materialized (
      select ${groups.id}, ${groups.name}, ${groups.name_key} from ${groups}
      where ${groups.id} in (${effectiveGroups(who.userId)}))
    select json_build_object(
      'site', json_build_object('id', ${sites.id}, 'uri', ${sites.uri}, 'name', ${sites.name},
        'maintenance', ${isInMaintenance(sites)},
        'maintenance_message', ${maintenanceMessage(sites)}),
      'topology', (${topologyUnless(held)}),
      'maintained', (${maintainedFarms}),
      'conditions', ${nodeStates(ofSite, sql`${dispatcherSessions.user_id} = ${who.userId}::uuid`)},
      'groups', (select coalesce(json_agg(json_build_object('name', own.name) order by own.name_key), '[]') from own),
      'domains', (select coalesce(json_agg(json_build_object('id', ${authenticators.id}, 'name', ${authenticators.name},
          'label', ${authenticators.small_name}) order by ${authenticators.priority}, ${authenticators.name_key}), '[]')
        from ${authenticators} where ${authenticators.state} = 'visible' or ${authenticators.id} = ${who.domainId}),
      'routing', ${routing})
    from ${sites} where ${and(eq(sites.uri, uri), maySeeSite(who, sql`select id from own`))}`;
  const [row] = await db
    .select({ found: derived<UserSiteRecord | null>(statement) })
    .from(sql`(values (1)) as once`);
  return row?.found ?? undefined;
}

const topologyUnless = (held: number): SQL => sql`
  select json_build_object('version', ${fleetVersions.version},
    'farms', (select coalesce(json_agg(json_build_object('id', ${farms.id}, 'name', ${farms.name},
        'enabled', ${farms.enabled}, 'balancing', ${farms.balancing})
        order by ${farms.name_key}), '[]')
      from ${farms} where ${farms.site_id} = ${sites.id}),
    'nodes', ${nodeAddresses(sql`${farms.site_id} = ${sites.id}`)})
  from ${fleetVersions} where ${fleetVersions.name} = 'entitlement' and ${fleetVersions.version} <> ${held}`;

const maintainedFarms = sql`
  select coalesce(json_agg(json_build_object('id', ${farms.id}, 'message', ${maintenanceMessage(farms)})), '[]')
  from ${farms} where ${farms.site_id} = ${sites.id} and ${isInMaintenance(farms)}`;

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
