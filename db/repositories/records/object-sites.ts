import { type Column, type SQL, sql } from 'drizzle-orm';
import { type ResourceType, resources, type SitedType } from '../../../shared/resources.ts';
import { gatewaySites, gateways } from '../../schema/gateways/gateways.ts';
import { maintenanceWindows } from '../../schema/maintenance/windows.ts';
import { rules } from '../../schema/routing/rules.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { priorityGroupFarms, priorityGroups } from '../../schema/sites/priority-groups.ts';
import { sites } from '../../schema/sites/sites.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';
import { type Scope, sharesSite, within } from './scope.ts';

/** A select of the sites of one row. A row without sites belongs to all of them. */
export const sitesOfGateway = (id: Column | SQL): SQL =>
  sql`select ${gatewaySites.site_id} from ${gatewaySites} where ${gatewaySites.gateway_id} = ${id}`;
export const sitesOfPriorityGroup = (id: Column | SQL): SQL =>
  sql`select ${farms.site_id} from ${priorityGroupFarms} join ${farms} on ${farms.id} = ${priorityGroupFarms.farm_id}
    where ${priorityGroupFarms.priority_group_id} = ${id}`;

const inFarms = (table: typeof pools | typeof workplaces | typeof workplaceSessions, scope: Scope): SQL =>
  sql`select ${table.id} from ${table} join ${farms} on ${farms.id} = ${table.farm_id} where ${within(farms.site_id, scope)}`;

/**
 * Ids of the objects within a scope. Objects of nodes are selected by our own id, because identifiers of nodes are
 * unique only per farm.
 */
const idsWithin: Readonly<Record<SitedType, (scope: Scope) => SQL>> = {
  site: (scope) => sql`select ${sites.id} from ${sites} where ${within(sites.id, scope)}`,
  farm: (scope) => sql`select ${farms.id} from ${farms} where ${within(farms.site_id, scope)}`,
  dispatcher: (scope) =>
    sql`select ${dispatchers.id} from ${dispatchers} join ${farms} on ${farms.id} = ${dispatchers.farm_id}
      where ${within(farms.site_id, scope)}`,
  rule: (scope) => sql`select ${rules.id} from ${rules} where ${within(rules.site_id, scope)}`,
  gateway: (scope) =>
    sql`select ${gateways.id} from ${gateways} where ${sharesSite(sitesOfGateway(gateways.id), scope)}`,
  priority_group: (scope) =>
    sql`select ${priorityGroups.id} from ${priorityGroups} where ${sharesSite(sitesOfPriorityGroup(priorityGroups.id), scope)}`,
  maintenance_window: (scope) =>
    sql`select ${maintenanceWindows.id} from ${maintenanceWindows}
      left join ${farms} on ${farms.id} = ${maintenanceWindows.farm_id}
      where ${within(sql`coalesce(${maintenanceWindows.site_id}, ${farms.site_id})`, scope)}`,
  servicespool: (scope) => inFarms(pools, scope),
  workplace: (scope) => inFarms(workplaces, scope),
  spsession: (scope) => inFarms(workplaceSessions, scope),
};

/**
 * The condition that an object of this type is within the scope.
 * @param id our own id of the object
 * @returns undefined if the scope does not restrict the type
 */
export function objectWithin(type: ResourceType, id: Column | SQL, scope: Scope): SQL | undefined {
  if (scope === '*' || resources[type].siteScope === 'any_scope') return undefined;
  return isSited(type) ? sql`${id} in (${idsWithin[type](scope)})` : sql`false`;
}

const isSited = (type: ResourceType): type is SitedType => Object.hasOwn(idsWithin, type);

/** Objects of nodes. The journal stores the identifier of the node, and the farm in the details. */
const ofNodes: ReadonlySet<string> = new Set<SitedType>(['servicespool', 'workplace', 'spsession']);

type RowAboutObject = { type: Column; id: Column; details: Column };

/**
 * The same condition for a journal row about an object. The type is in a column, the id is text, and the farm of a
 * node object is in the details. Rows about deleted objects or unknown types are visible only with the scope `*`.
 */
export function namedWithin({ type, id, details }: RowAboutObject, scope: Scope): SQL | undefined {
  if (scope === '*') return undefined;
  const sited = Object.entries(idsWithin).map(([name, ids]) =>
    ofNodes.has(name)
      ? sql`when ${name} then ${details} ->> 'farm_id' in (select id::text from (${idsWithin.farm(scope)}) as own (id))`
      : sql`when ${name} then ${id} in (select id::text from (${ids(scope)}) as own (id))`,
  );
  const free = Object.entries(resources).filter(([, { siteScope }]) => siteScope === 'any_scope');
  const arms = [...sited, ...free.map(([name]) => sql`when ${name} then true`)];
  return sql`(${type} is null or case ${type} ${sql.join(arms, sql` `)} else false end)`;
}
