import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { issuedConnections } from '../../schema/routing/issued-connections.ts';
import { ruleGroups, rules, ruleUsers } from '../../schema/routing/rules.ts';
import { farms } from '../../schema/sites/farms.ts';
import { fleetVersions } from '../../schema/sites/fleet-versions.ts';
import {
  priorityGroupFarms,
  priorityGroupGroups,
  priorityGroups,
  priorityGroupUsers,
} from '../../schema/sites/priority-groups.ts';
import { sites } from '../../schema/sites/sites.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import type { CachedService } from '../../schema/snapshot/service-lists.ts';
import { gatewaysOfSite, type SiteGateway } from '../gateways/site-gateways.ts';
import { derived } from '../records/statements.ts';
import { isFullLately } from './full-pools.ts';
import { blockedPools, ownedPools, sessionsOf } from './own-machines.ts';
import { coveredMembers, poolsOfRule } from './rule-pools.ts';
import { preferencesAtSite, type ServicePreference } from './service-preferences.ts';
import { listsOf, type NeededLists, type Selection, type ServiceListRow } from './site-lists.ts';

/** The user of a request. `userKey` is `<folded label>\<folded name>`, as in the sessions of the snapshot. */
export type RoutedUser = { userId: string; userKey: string };

/**
 * The target of a routing request: all rules of the site, one rule, or one pool, for which no rule is read. With
 * `unusable`, disabled rules and rules for other users are included, to explain why they do not apply.
 */
export type RoutingTarget = {
  rules: Selection;
  unusable: boolean;
};

/** `usage_percent` and `name` are null if the snapshot does not contain the pool. */
type RuleMemberRow = {
  farm_id: string;
  servicepool_uuid: string;
  priority: number;
  enabled: boolean;
  usage_percent: number | null;
  name: string | null;
  /** The pool had no free machine a few seconds ago. */
  full: boolean;
};

export type RuleRow = {
  id: string;
  display_name: string;
  image_id: string | null;
  enabled: boolean;
  usable: boolean;
  policy: 'priority' | 'round_robin' | 'least_loaded' | 'random';
  failover: boolean;
  failover_from_owned: boolean;
  affinity: 'session' | 'last_used' | 'none';
  issued: {
    farm_id: string;
    servicepool_uuid: string | null;
    at: string;
    outcome: (typeof issuedConnections.$inferSelect)['outcome'];
  } | null;
  members: RuleMemberRow[];
};

/** All data of the database for the routing of a user at a site; timestamps as text. */
export type RoutingRows<Services = CachedService[]> = {
  /** Version of all data that determines access rights. */
  entitlement: number;
  rules: RuleRow[];
  /** Pools covered by an enabled rule of the site for any user, as `<farm id>.<pool uuid>`; empty for one rule. */
  covered: string[];
  /** Name of the requested pool in the snapshot; null for a rule. */
  pool_name: string | null;
  preferences: { priority: number; farm_id: string; farm_priority: number }[];
  /** The user's live sessions in the snapshot. */
  sessions: {
    session_uuid: string;
    farm_id: string;
    servicepool_uuid: string;
    state: string;
    started_at: string;
  }[];
  /** Pools with a machine of the user in the snapshot. */
  owned: { farm_id: string; servicepool_uuid: string }[];
  /** Pools that accept no new session of the user; see `blockedPools`. */
  blocked: {
    farm_id: string;
    servicepool_uuid: string;
    maintenance: boolean;
    unknown: boolean;
    message: string | null;
  }[];
  /** Cached service lists of the user; for one rule or pool only its services. */
  lists: ServiceListRow<Services>[];
  /** Only for the list of all services, otherwise empty. */
  user_preferences: ServicePreference[];
  /** Empty for the list of all services. */
  gateways: SiteGateway[];
  direct_when_gateways_fail: boolean;
};

/** A column of `findUserSite`, which avoids a separate query. */
export const routingRows = (
  who: RoutedUser,
  target: RoutingTarget,
  needed: NeededLists,
): SQL<RoutingRows<CachedService[] | null>> =>
  derived(sql`select json_build_object(
    'entitlement', (select ${fleetVersions.version} from ${fleetVersions} where ${fleetVersions.name} = 'entitlement'),
    'rules', (${rulesOf(who, target)}),
    'covered', (${coveredPools(target)}),
    'pool_name', (${poolName(target)}),
    'preferences', (${preferencesOf(who)}),
    'sessions', (${sessionsOf(who)}),
    'owned', (${ownedPools(who)}),
    'blocked', (${blockedPools(who)}),
    'lists', (${listsOf(who.userId, target.rules, needed)}),
    'user_preferences', (${target.rules === 'all' ? preferencesAtSite(who.userId) : sql`'[]'::json`}),
    'gateways', (${target.rules === 'all' ? sql`'[]'::json` : gatewaysOfSite}),
    'direct_when_gateways_fail', ${sites.direct_when_gateways_fail})`);

const rulesOf = (who: RoutedUser, target: RoutingTarget): SQL => sql`
  select coalesce(json_agg(json_build_object('id', ${rules.id}, 'display_name', ${rules.display_name},
    'image_id', ${rules.image_id}, 'enabled', ${rules.enabled}, 'usable', ${target.unusable ? isFor(who) : sql`true`}, 'policy', ${rules.policy},
    'failover', ${rules.failover}, 'failover_from_owned', ${rules.failover_from_owned}, 'affinity', ${rules.affinity},
    'issued', (select json_build_object('farm_id', ${issuedConnections.farm_id},
        'servicepool_uuid', ${issuedConnections.servicepool_uuid}, 'at', ${issuedConnections.issued_at},
        'outcome', ${issuedConnections.outcome})
      from ${issuedConnections}
      where ${issuedConnections.user_id} = ${who.userId}::uuid and ${issuedConnections.rule_id} = ${rules.id}),
    'members', (select coalesce(json_agg(json_build_object('farm_id', member.farm_id,
        'servicepool_uuid', member.servicepool_uuid, 'priority', member.priority, 'enabled', member.enabled,
        'usage_percent', ${pools.usage_percent}, 'name', ${pools.name},
        'full', ${isFullLately(sql`member.farm_id`, sql`member.servicepool_uuid`)})), '[]')
      from (${poolsOfRule}) as member left join ${pools}
        on ${pools.farm_id} = member.farm_id and ${pools.uuid} = member.servicepool_uuid))), '[]')
  from ${rules} where ${rules.site_id} = ${sites.id} and ${isSelected(target)}
    and ${target.unusable ? sql`true` : sql`${rules.enabled} and ${isFor(who)}`}`;

function poolName({ rules: selection }: RoutingTarget): SQL {
  if (selection === 'all' || 'rule' in selection) return sql`null`;
  return sql`select ${pools.name} from ${pools}
    where ${pools.farm_id} = ${selection.farm}::uuid and ${pools.uuid} = ${selection.pool}::uuid`;
}

function isSelected({ rules: selection }: RoutingTarget): SQL {
  if (selection === 'all') return sql`true`;
  if ('rule' in selection) return sql`${rules.id} = ${selection.rule}::uuid`;
  return sql`false`;
}

/** A covered pool is available through rules only, because a rule for some users must exclude all others. */
function coveredPools({ rules: selection }: RoutingTarget): SQL {
  if (selection !== 'all' && 'rule' in selection) return sql`'[]'::json`;
  const ofPool =
    selection === 'all'
      ? sql`true`
      : sql`member.farm_id = ${selection.farm}::uuid and member.servicepool_uuid = ${selection.pool}::uuid`;
  return sql`
    select coalesce(json_agg(distinct member.farm_id || '.' || member.servicepool_uuid), '[]')
    from ${coveredMembers} and ${rules.site_id} = ${sites.id} and ${ofPool}`;
}

/**
 * True if the rule is assigned to the user or a group of the user, or is assigned to all users. The statement has the
 * groups of the user as `own`.
 */
export const isFor = ({ userId }: Pick<RoutedUser, 'userId'>): SQL =>
  concerns(userId, rules.id, [ruleUsers, ruleUsers.rule_id], [ruleGroups, ruleGroups.rule_id]);

type Side<T> = readonly [table: T, owner: PgColumn];

function concerns(
  userId: string,
  owner: PgColumn,
  [byName, ofUser]: Side<typeof ruleUsers | typeof priorityGroupUsers>,
  [byGroup, ofGroup]: Side<typeof ruleGroups | typeof priorityGroupGroups>,
): SQL {
  return sql`(
    (not exists(select 1 from ${byName} where ${ofUser} = ${owner})
      and not exists(select 1 from ${byGroup} where ${ofGroup} = ${owner}))
    or exists(select 1 from ${byName} where ${ofUser} = ${owner} and ${byName.user_id} = ${userId}::uuid)
    or exists(select 1 from ${byGroup} where ${ofGroup} = ${owner}
      and ${byGroup.group_id} in (select id from own)))`;
}

const preferencesOf = ({ userId }: RoutedUser): SQL => sql`
  select coalesce(json_agg(json_build_object('priority', ${priorityGroups.priority},
    'farm_id', ${priorityGroupFarms.farm_id}, 'farm_priority', ${priorityGroupFarms.priority})), '[]')
  from ${priorityGroups}
    join ${priorityGroupFarms} on ${priorityGroupFarms.priority_group_id} = ${priorityGroups.id}
    join ${farms} on ${farms.id} = ${priorityGroupFarms.farm_id} and ${farms.site_id} = ${sites.id}
  where ${isPreferenceOf({ userId })}`;

/** The same for a priority group. */
export const isPreferenceOf = ({ userId }: Pick<RoutedUser, 'userId'>): SQL =>
  concerns(
    userId,
    priorityGroups.id,
    [priorityGroupUsers, priorityGroupUsers.priority_group_id],
    [priorityGroupGroups, priorityGroupGroups.priority_group_id],
  );
