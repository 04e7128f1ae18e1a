import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { prebuilt } from '../../prebuilt.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { groups } from '../../schema/identity/groups.ts';
import { dispatcherSessions } from '../../schema/routing/dispatcher-sessions.ts';
import { farms } from '../../schema/sites/farms.ts';
import { fleetVersions } from '../../schema/sites/fleet-versions.ts';
import { sites } from '../../schema/sites/sites.ts';
import type { CachedService } from '../../schema/snapshot/service-lists.ts';
import { type AnnouncedMaintenance, announcedMaintenance } from '../maintenance/announced.ts';
import { isInMaintenance, maintenanceMessage } from '../maintenance/state.ts';
import { derived } from '../records/statements.ts';
import { type RoutingRows, type RoutingTarget, routingRows } from '../routing/routing-rows.ts';
import { allLists, type NeededLists } from '../routing/site-lists.ts';
import { type NodeAddress, type NodeState, nodeAddresses, nodeStates } from './farm-nodes.ts';
import {
  type EntitledUser,
  effectiveGroups,
  type LocalDomain,
  type MaintainedFarm,
  maySeeSite,
  type StoredFarm,
} from './user-sites.ts';

/** Farms and nodes of a site with their settings; contains no secrets and no user data. */
export type Topology = { version: number; farms: PlannedFarm[]; nodes: NodeAddress[] };
type PlannedFarm = Omit<StoredFarm, 'maintenance' | 'maintenance_message'>;

export type UserSiteRecord = {
  site: { id: string; uri: string; name: string; maintenance: boolean; maintenance_message: string | null };
  /** Null if the caller has the current version. */
  topology: Topology | null;
  maintained: MaintainedFarm[];
  /** Maintenance of the site and its farms, also before it begins; empty if not all rules are selected. */
  announced: AnnouncedMaintenance[];
  conditions: NodeState[];
  groups: { name: string }[];
  domains: LocalDomain[];
  routing: RoutingRows<CachedService[] | null> | null;
};

/**
 * A query for a site. `held` is the version of the topology that the caller has cached, 0 for none. `routing` selects
 * the facts that route the user.
 */
export type SiteQuery = {
  uri: string;
  who: EntitledUser;
  held: number;
  routing?: { userKey: string; target: RoutingTarget; lists?: NeededLists | undefined } | undefined;
};

/**
 * Returns a site that the user may use, with all data for calls of its dispatchers, in one statement. The groups of
 * the user are selected once as `own`, because planning that query costs more than running it.
 * @returns undefined if the site does not exist, is disabled, or the user may not use it
 */
export async function findUserSite(
  db: Db,
  { uri, who, held, routing }: SiteQuery,
): Promise<UserSiteRecord | undefined> {
  const selection = routing?.target.rules ?? 'all';
  const ids = { rule: '', farm: '', pool: '', ...(selection !== 'all' && selection) };
  const lists = routing?.lists ?? allLists;
  const values: UserSiteValues = {
    ...{ uri, held, ...who, userKey: routing?.userKey ?? '', ...ids },
    ...{ heldLists: lists.held, calledUntil: lists.calledUntil },
  };
  const [row] = await userSite(db, values, routing ? formOf(routing.target) : '');
  return row?.found ?? undefined;
}

type UserSiteValues = EntitledUser & {
  uri: string;
  held: number;
  userKey: string;
  rule: string;
  farm: string;
  pool: string;
  heldLists: string;
  calledUntil: string;
};

/** What the text of the query depends on: `all`, `rule` or `pool`, with `+` for unusable rules. */
const formOf = ({ rules, unusable }: RoutingTarget): string => {
  const kind = rules === 'all' ? 'all' : 'rule' in rules ? 'rule' : 'pool';
  return unusable ? `${kind}+` : kind;
};

/** The target of a form, with the values of a query. */
function targetOf(form: string, { rule, farm, pool }: UserSiteValues): RoutingTarget {
  const unusable = form.endsWith('+');
  if (form.startsWith('rule')) return { rules: { rule }, unusable };
  return { rules: form.startsWith('pool') ? { farm, pool } : 'all', unusable };
}

const userSite = prebuilt((db, values: UserSiteValues, form) => {
  const { uri, held, userId, userKey, heldLists, calledUntil } = values;
  const lists = { held: heldLists, calledUntil };
  const routing = form === '' ? sql`null` : routingRows({ userId, userKey }, targetOf(form, values), lists);
  const ofSite = sql`${farms.site_id} = ${sites.id}`;
  const statement = sql`with own as materialized (
      select ${groups.id}, ${groups.name}, ${groups.name_key} from ${groups}
      where ${groups.id} in (${effectiveGroups(userId)}))
    select json_build_object(
      'site', json_build_object('id', ${sites.id}, 'uri', ${sites.uri}, 'name', ${sites.name},
        'maintenance', ${isInMaintenance(sites)},
        'maintenance_message', ${maintenanceMessage(sites)}),
      'topology', (${topologyUnless(held)}),
      'maintained', (${maintainedFarms}),
      'announced', ${form.startsWith('all') ? announcedMaintenance : sql`'[]'::json`},
      'conditions', ${nodeStates(ofSite, sql`${dispatcherSessions.user_id} = ${userId}::uuid`)},
      'groups', (select coalesce(json_agg(json_build_object('name', own.name) order by own.name_key), '[]') from own),
      'domains', (select coalesce(json_agg(json_build_object('id', ${authenticators.id}, 'name', ${authenticators.name},
          'label', ${authenticators.small_name}) order by ${authenticators.priority}, ${authenticators.name_key}), '[]')
        from ${authenticators} where ${authenticators.state} = 'visible' or ${authenticators.id} = ${values.domainId}),
      'routing', ${routing})
    from ${sites} where ${and(eq(sites.uri, uri), maySeeSite(values, sql`select id from own`))}`;
  return db.select({ found: derived<UserSiteRecord | null>(statement) }).from(sql`(values (1)) as once`);
});

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
