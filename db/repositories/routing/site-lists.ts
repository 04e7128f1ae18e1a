import { type SQL, sql } from 'drizzle-orm';
import { rules } from '../../schema/routing/rules.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { type CachedService, type Refusal, serviceLists } from '../../schema/snapshot/service-lists.ts';
import { poolsOfRule } from './rule-pools.ts';

/** The cached service list of a user at a farm. */
export type ServiceListRow<Services = CachedService[]> = {
  farm_id: string;
  subject: string;
  entitlement: number;
  fetched_at: string;
  /** Digest of all services of the list, or the refusal. */
  revision: string;
  services: Services;
  /** Null if the farm listed the services. */
  refusal: Refusal | null;
};

/**
 * Lists whose services the caller does not need are returned without them: all, if their digest is `held` (see
 * `listsDigest`), and those that were fetched until `calledUntil` at a farm that can be called.
 */
export type NeededLists = { held: string; calledUntil: string };
export const allLists: NeededLists = { held: '', calledUntil: '-infinity' };

/** All rules of the site, one rule, or one pool. */
export type Selection = 'all' | { rule: string } | { farm: string; pool: string };

/** The revision of a list: changes with its services and its refusal. */
export const listRevision: SQL<string> = sql`coalesce(${serviceLists.refusal}, ${serviceLists.revision})`;

/** The cached lists of a user at the site of the enclosing select; for one rule or pool only its services. */
export const listsOf = (userId: string, selection: Selection, needed: NeededLists): SQL => sql`
  select coalesce(json_agg(json_build_object('farm_id', ${serviceLists.farm_id}, 'subject', ${serviceLists.subject},
    'entitlement', ${serviceLists.entitlement}, 'fetched_at', ${serviceLists.fetched_at},
    'revision', ${listRevision}, 'refusal', ${serviceLists.refusal},
    'services', ${selection === 'all' ? unlessKnown(userId, needed) : servicesFor(selection)})), '[]')
  ${listsOfSite(userId)}`;

const listsOfSite = (userId: string): SQL => sql`
  from ${serviceLists} join ${farms} on ${farms.id} = ${serviceLists.farm_id}
  where ${serviceLists.user_id} = ${userId}::uuid and ${farms.site_id} = ${sites.id}`;

const unlessKnown = (userId: string, { held, calledUntil }: NeededLists): SQL => sql`
  case when (select left(translate(encode(sha256(string_agg(${serviceLists.farm_id} || '.' || ${listRevision}, ','
      order by ${serviceLists.farm_id})::bytea), 'base64'), '+/', '-_'), 22) ${listsOfSite(userId)}) = ${held}
    or (${serviceLists.fetched_at} <= ${calledUntil}::timestamptz and ${isCallable})
  then null else ${serviceLists.services} end`;

/** True for a farm that is called for a new list. If none of its nodes responds, the list is read afterwards. */
const isCallable: SQL = sql`${farms.enabled} and not ${farms.maintenance} and not ${sites.maintenance}
  and exists(select 1 from ${dispatchers} where ${dispatchers.farm_id} = ${farms.id} and ${dispatchers.enabled}
    and ${dispatchers.circuit} = 'closed')`;

function servicesFor(selection: Exclude<Selection, 'all'>): SQL {
  if ('farm' in selection)
    return sql`(select coalesce(json_agg(service), '[]') from jsonb_array_elements(${serviceLists.services}) as service
      where lower(service ->> 'uuid') = ${selection.pool})`;
  return sql`(select coalesce(json_agg(service), '[]') from jsonb_array_elements(${serviceLists.services}) as service
    where lower(service ->> 'uuid') in (
      select member.servicepool_uuid::text from ${rules} cross join lateral (${poolsOfRule}) as member
      where ${rules.id} = ${selection.rule}::uuid))`;
}
