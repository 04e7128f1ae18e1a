import { eq, sql } from 'drizzle-orm';
import { ruleMembers, rules } from '../../schema/routing/rules.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farmTags } from '../../schema/sites/farm-tags.ts';
import { farms as table } from '../../schema/sites/farms.ts';
import { priorityGroupFarms, priorityGroups } from '../../schema/sites/priority-groups.ts';
import { sites } from '../../schema/sites/sites.ts';
import { farmParts, type IgnoredMember, type PartKind, partKinds } from '../../schema/snapshot/farm-parts.ts';
import { farmState } from '../monitoring/component-state.ts';
import { records } from '../records/records.ts';
import { countOf, derived, nameOf } from '../records/statements.ts';
import { capabilitiesOfKind } from './kinds/capabilities.ts';

/** An ignored entry in a list of a farm's nodes. */
type ListedIgnored = IgnoredMember & { list: PartKind };

const status = derived<'pass' | 'fail' | 'unknown'>(sql`
  select case when bool_or(${dispatchers.status} = 'pass') then 'pass'
              when bool_and(${dispatchers.status} in ('fail', 'unauthorized')) then 'fail' else 'unknown' end
  from ${dispatchers} where ${dispatchers.farm_id} = ${table.id} and ${dispatchers.enabled}`);

/** All nodes of a farm are of one kind. */
const kind = sql`select ${dispatchers.kind} from ${dispatchers} where ${dispatchers.farm_id} = ${table.id} limit 1`;

export const farms = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    site_id: table.site_id,
    site_name: nameOf(sites, table.site_id),
    comments: table.comments,
    enabled: table.enabled,
    maintenance: table.maintenance,
    maintenance_template_id: table.maintenance_template_id,
    weight: table.weight,
    balancing: table.balancing,
    creates_users: table.creates_users,
    identity_domains: table.identity_domains,
    kind: derived<string | null>(kind),
    capabilities: capabilitiesOfKind(sql`(${kind})`),
    tags: derived<string[]>(
      sql`array(select distinct ${farmTags.name} from ${farmTags} where ${farmTags.farm_id} = ${table.id} order by 1)`,
    ),
    dispatchers_count: countOf(dispatchers, dispatchers.farm_id, table.id),
    status,
    state: farmState,
    last_sync_at: derived<Date | null>(
      sql`select case when count(${farmParts.fetched_at}) = ${partKinds.length}::int then min(${farmParts.fetched_at}) end
        from ${farmParts} where ${farmParts.farm_id} = ${table.id}`,
    ).mapWith(farmParts.fetched_at),
    last_sync_error: derived<string | null>(sql`select ${farmParts.error} from ${farmParts}
      where ${farmParts.farm_id} = ${table.id} and ${farmParts.error} is not null order by ${farmParts.kind} limit 1`),
    ignored: derived<
      ListedIgnored[]
    >(sql`select coalesce(jsonb_agg(jsonb_build_object('list', ${farmParts.kind}) || entry
        order by ${farmParts.kind}, entry ->> 'member', entry ->> 'reason'), '[]')
      from ${farmParts}, jsonb_array_elements(${farmParts.ignored}) as entry where ${farmParts.farm_id} = ${table.id}`),
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  site: table.site_id,
  search: [table.name_key],
  filters: {
    site_id: (value: string) => eq(table.site_id, value),
    enabled: (value: boolean) => eq(table.enabled, value),
    maintenance: (value: boolean) => eq(table.maintenance, value),
    status: (value: string) => sql`${status} = ${value}`,
  },
  sorts: {
    name: table.name_key,
    created_at: table.created_at,
    updated_at: table.updated_at,
    weight: table.weight,
  },
  references: [
    {
      type: 'dispatcher',
      table: dispatchers,
      by: dispatchers.farm_id,
      id: dispatchers.id,
      name: dispatchers.name,
    },
    {
      type: 'priority_group',
      table: priorityGroupFarms,
      by: priorityGroupFarms.farm_id,
      id: priorityGroupFarms.priority_group_id,
      name: nameOf(priorityGroups, priorityGroupFarms.priority_group_id),
    },
    {
      type: 'rule',
      table: ruleMembers,
      by: ruleMembers.farm_id,
      id: ruleMembers.rule_id,
      name: nameOf(rules, ruleMembers.rule_id),
    },
  ],
  unique: { '/name': ['name_key'] },
});

/** The farms of one site as a nested collection. */
export const farmsOfSite = {
  ...farms,
  spec: { ...farms.spec, parent: { column: table.site_id, table: sites, site: sites.id } },
};
