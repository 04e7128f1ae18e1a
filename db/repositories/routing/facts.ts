import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { maintenanceTemplates } from '../../schema/maintenance/templates.ts';
import { issuedConnections } from '../../schema/routing/issued-connections.ts';
import { ruleGroups, ruleMembers, rules, ruleUsers } from '../../schema/routing/rules.ts';
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
import { type KeptService, serviceLists } from '../../schema/snapshot/service-lists.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';
import { gatewaysOfSite, type SiteGateway } from '../gateways/of-sites.ts';
import { derived } from '../records/statements.ts';

/** `userKey` is `<folded label>\<folded name>`, as the snapshot names the users of sessions. */
export type Routed = { userId: string; userKey: string };

/**
 * What is to be routed: all rules of the site, one, or a pool, for which no rule is read. `unusable`: also rules that are
 * disabled or not for the user, so that it can be explained why.
 */
export type Wanted = {
  rules: 'all' | { rule: string } | { farm: string; pool: string };
  unusable: boolean;
};

/** The pool's part is null when the snapshot does not have it. */
export type RuleMemberRow = {
  farm_id: string;
  servicepool_uuid: string;
  priority: number;
  enabled: boolean;
  usage_percent: number | null;
  name: string | null;
};

export type RuleRow = {
  id: string;
  display_name: string;
  image_id: string | null;
  enabled: boolean;
  usable: boolean;
  policy: 'priority' | 'round_robin' | 'least_loaded' | 'random';
  failover: boolean;
  affinity: 'session' | 'last_used' | 'none';
  issued: { farm_id: string; servicepool_uuid: string | null; at: string } | null;
  members: RuleMemberRow[];
};

/** All that the database knows of how a user is routed at a site; times as text. */
export type RoutingRows = {
  /** The version of everything that decides who may use what. */
  entitlement: number;
  rules: RuleRow[];
  /** Pools that an enabled rule of the site covers for any user, as `<farm id>.<pool uuid>`; none for one rule. */
  covered: string[];
  /** The name of the pool that is asked for, as the snapshot has it; null for a rule. */
  pool_name: string | null;
  preferences: { priority: number; farm_id: string; farm_priority: number }[];
  /** The user's live sessions as the snapshot has them. */
  sessions: {
    session_uuid: string;
    farm_id: string;
    servicepool_uuid: string;
    state: string;
    started_at: string;
  }[];
  /**
   * The pools that take no new session of the user: in maintenance, or the user's workplaces in them are; or the dispatcher does
   * not report in which state they are.
   */
  blocked: {
    farm_id: string;
    servicepool_uuid: string;
    maintenance: boolean;
    unknown: boolean;
    message: string | null;
  }[];
  /** What farms gave the user as services; for one rule or pool only its own. */
  lists: {
    farm_id: string;
    subject: string;
    entitlement: number;
    fetched_at: string;
    services: KeptService[];
  }[];
  /** None while a whole list is asked for. */
  gateways: SiteGateway[];
  direct_when_gateways_fail: boolean;
};

/** A column of `findUserSite`, so that it costs no trip of its own. */
export const routingRows = (who: Routed, wanted: Wanted): SQL<RoutingRows> =>
  derived(sql`select json_build_object(
    'entitlement', (select ${fleetVersions.version} from ${fleetVersions} where ${fleetVersions.name} = 'entitlement'),
    'rules', (${rulesOf(who, wanted)}),
    'covered', (${coveredPools(wanted)}),
    'pool_name', (${poolName(wanted)}),
    'preferences', (${preferencesOf(who)}),
    'sessions', (${sessionsOf(who)}),
    'blocked', (${blockedPools(who)}),
    'lists', (${listsOf(who, wanted)}),
    'gateways', (${wanted.rules === 'all' ? sql`'[]'::json` : gatewaysOfSite}),
    'direct_when_gateways_fail', ${sites.direct_when_gateways_fail})`);

const rulesOf = (who: Routed, wanted: Wanted): SQL => sql`
  select coalesce(json_agg(json_build_object('id', ${rules.id}, 'display_name', ${rules.display_name},
    'image_id', ${rules.image_id}, 'enabled', ${rules.enabled}, 'usable', ${wanted.unusable ? isFor(who) : sql`true`}, 'policy', ${rules.policy},
    'failover', ${rules.failover}, 'affinity', ${rules.affinity},
    'issued', (select json_build_object('farm_id', ${issuedConnections.farm_id},
        'servicepool_uuid', ${issuedConnections.servicepool_uuid}, 'at', ${issuedConnections.issued_at})
      from ${issuedConnections}
      where ${issuedConnections.user_id} = ${who.userId}::uuid and ${issuedConnections.rule_id} = ${rules.id}),
    'members', (select coalesce(json_agg(json_build_object('farm_id', member.farm_id,
        'servicepool_uuid', member.servicepool_uuid, 'priority', member.priority, 'enabled', member.enabled,
        'usage_percent', ${pools.usage_percent}, 'name', ${pools.name})), '[]')
      from (${members}) as member left join ${pools}
        on ${pools.farm_id} = member.farm_id and ${pools.uuid} = member.servicepool_uuid))), '[]')
  from ${rules} where ${rules.site_id} = ${sites.id} and ${isWanted(wanted)}
    and ${wanted.unusable ? sql`true` : sql`${rules.enabled} and ${isFor(who)}`}`;

/** Of the rule in whose select this stands: the pools it names, or those of its site that carry its tags. */
const members: SQL = sql`
  select ${ruleMembers.farm_id}, ${ruleMembers.servicepool_uuid}, ${ruleMembers.priority}, ${ruleMembers.enabled}
  from ${ruleMembers} where ${ruleMembers.rule_id} = ${rules.id} and ${rules.match_tags} is null
  union all
  select ${pools.farm_id}, ${pools.uuid}, 1, true
  from ${pools} join ${farms} on ${farms.id} = ${pools.farm_id}
  where ${farms.site_id} = ${rules.site_id} and to_jsonb(${pools.tags}) @> (${rules.match_tags} -> 'all')
    and (${pools.tags} && array(select jsonb_array_elements_text(${rules.match_tags} -> 'any'))
      or (${rules.match_tags} -> 'any' = '[]' and ${rules.match_tags} -> 'all' <> '[]'))`;

function poolName({ rules: wanted }: Wanted): SQL {
  if (wanted === 'all' || 'rule' in wanted) return sql`null`;
  return sql`select ${pools.name} from ${pools}
    where ${pools.farm_id} = ${wanted.farm}::uuid and ${pools.uuid} = ${wanted.pool}::uuid`;
}

function isWanted({ rules: wanted }: Wanted): SQL {
  if (wanted === 'all') return sql`true`;
  if ('rule' in wanted) return sql`${rules.id} = ${wanted.rule}::uuid`;
  return sql`false`;
}

/** A pool is offered through rules alone once one covers it: otherwise a rule for some would leave it to all others. */
function coveredPools({ rules: wanted }: Wanted): SQL {
  if (wanted !== 'all' && 'rule' in wanted) return sql`'[]'::json`;
  const ofPool =
    wanted === 'all'
      ? sql`true`
      : sql`member.farm_id = ${wanted.farm}::uuid and member.servicepool_uuid = ${wanted.pool}::uuid`;
  return sql`
    select coalesce(json_agg(distinct member.farm_id || '.' || member.servicepool_uuid), '[]')
    from ${rules} cross join lateral (${members}) as member
    where ${rules.site_id} = ${sites.id} and ${rules.enabled} and member.enabled and ${ofPool}`;
}

/** By name, by group, or because the rule is for everybody. */
const isFor = ({ userId }: Routed): SQL =>
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

const preferencesOf = ({ userId }: Routed): SQL => sql`
  select coalesce(json_agg(json_build_object('priority', ${priorityGroups.priority},
    'farm_id', ${priorityGroupFarms.farm_id}, 'farm_priority', ${priorityGroupFarms.priority})), '[]')
  from ${priorityGroups}
    join ${priorityGroupFarms} on ${priorityGroupFarms.priority_group_id} = ${priorityGroups.id}
    join ${farms} on ${farms.id} = ${priorityGroupFarms.farm_id} and ${farms.site_id} = ${sites.id}
  where ${concerns(
    userId,
    priorityGroups.id,
    [priorityGroupUsers, priorityGroupUsers.priority_group_id],
    [priorityGroupGroups, priorityGroupGroups.priority_group_id],
  )}`;

const sessionsOf = ({ userKey }: Routed): SQL => sql`
  select coalesce(json_agg(json_build_object('session_uuid', ${workplaceSessions.uuid},
    'farm_id', ${workplaceSessions.farm_id}, 'servicepool_uuid', ${workplaceSessions.servicepool_uuid},
    'state', ${workplaceSessions.state}, 'started_at', nullif(${workplaceSessions.started_at}, '-infinity'))), '[]')
  from ${workplaceSessions} join ${farms} on ${farms.id} = ${workplaceSessions.farm_id}
  where ${workplaceSessions.user_key} = ${userKey} and ${farms.site_id} = ${sites.id}
    and ${workplaceSessions.servicepool_uuid} is not null`;

/**
 * By the flag of the node, by a template that is in force and blocks new sessions (its order may still be on the way), or
 * because every workplace of the user in the pool is in maintenance. The message is that of the order, or of the template
 * as it is now. A state or a flag that the node does not report is not known.
 */
const blockedPools = ({ userKey }: Routed): SQL => sql`
  select coalesce(jsonb_agg(jsonb_build_object('farm_id', blocked.farm_id, 'servicepool_uuid', blocked.uuid,
    'maintenance', blocked.maintenance, 'unknown', blocked.unknown, 'message', blocked.message)), '[]')
  from (select ${pools.farm_id} as farm_id, ${pools.uuid} as uuid, ${isPoolMaintained} as maintenance,
      ${isUnknown(pools)} as unknown, coalesce(${pools.maintenance_message}, ${maintenanceTemplates.message}) as message
    from ${pools} join ${farms} on ${farms.id} = ${pools.farm_id}
    left join ${maintenanceTemplates} on ${maintenanceTemplates.id} = ${pools.maintenance_template_id}
    where ${farms.site_id} = ${sites.id} and (${isPoolMaintained} or ${isUnknown(pools)})
    union all
    select ${workplaces.farm_id}, ${workplaces.servicepool_uuid}, bool_and(coalesce(${workplaces.maintenance}, false)),
      bool_or(${isUnknown(workplaces)}), null
    from ${workplaces} join ${farms} on ${farms.id} = ${workplaces.farm_id}
    where ${workplaces.owner_key} = ${userKey} and ${farms.site_id} = ${sites.id}
      and ${workplaces.servicepool_uuid} is not null
    group by 1, 2 having bool_and(coalesce(${workplaces.maintenance}, true) or ${isUnknown(workplaces)})) as blocked`;

const isPoolMaintained = sql`(coalesce(${pools.maintenance}, false)
  or coalesce(${maintenanceTemplates.block_new_sessions}, false)
    and coalesce(${maintenanceTemplates.start_at} <= now(), true) and coalesce(${maintenanceTemplates.end_at} > now(), true))`;

const isUnknown = ({ state, maintenance }: typeof pools | typeof workplaces): SQL =>
  sql`(${state} = 'unknown' or ${maintenance} is null)`;

const listsOf = ({ userId }: Routed, { rules: wanted }: Wanted): SQL => sql`
  select coalesce(json_agg(json_build_object('farm_id', ${serviceLists.farm_id}, 'subject', ${serviceLists.subject},
    'entitlement', ${serviceLists.entitlement}, 'fetched_at', ${serviceLists.fetched_at},
    'services', ${servicesFor(wanted)})), '[]')
  from ${serviceLists} join ${farms} on ${farms.id} = ${serviceLists.farm_id}
  where ${serviceLists.user_id} = ${userId}::uuid and ${farms.site_id} = ${sites.id}`;

function servicesFor(wanted: Wanted['rules']): SQL {
  if (wanted === 'all') return sql`${serviceLists.services}`;
  if ('farm' in wanted)
    return sql`(select coalesce(json_agg(service), '[]') from jsonb_array_elements(${serviceLists.services}) as service
      where lower(service ->> 'uuid') = ${wanted.pool})`;
  return sql`(select coalesce(json_agg(service), '[]') from jsonb_array_elements(${serviceLists.services}) as service
    where lower(service ->> 'uuid') in (
      select member.servicepool_uuid::text from ${rules} cross join lateral (${members}) as member
      where ${rules.id} = ${wanted.rule}::uuid))`;
}
