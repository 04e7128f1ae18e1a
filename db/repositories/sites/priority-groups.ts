import { sql } from 'drizzle-orm';
import { farms } from '../../schema/sites/farms.ts';
import {
  priorityGroupFarms,
  priorityGroupGroups,
  priorityGroupUsers,
  priorityGroups as table,
} from '../../schema/sites/priority-groups.ts';
import { sitesOfPriorityGroup } from '../records/object-sites.ts';
import { records } from '../records/records.ts';
import { derived, memberIds, memberObjects } from '../records/statements.ts';

type Preference = { farm_id: string; priority: number };

const links = {
  users: {
    table: priorityGroupUsers,
    owner: priorityGroupUsers.priority_group_id,
    member: priorityGroupUsers.user_id,
  },
  groups: {
    table: priorityGroupGroups,
    owner: priorityGroupGroups.priority_group_id,
    member: priorityGroupGroups.group_id,
  },
  farms: {
    table: priorityGroupFarms,
    owner: priorityGroupFarms.priority_group_id,
    member: priorityGroupFarms.farm_id,
    details: [priorityGroupFarms.priority],
  },
};

export const priorityGroups = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    comments: table.comments,
    priority: table.priority,
    users: memberIds(links.users, table.id),
    groups: memberIds(links.groups, table.id),
    farms: memberObjects<Preference>(links.farms, table.id),
    /** For restricted scopes. Not included in views. */
    farm_sites: derived<
      Record<string, string>
    >(sql`select coalesce(jsonb_object_agg(${farms.id}, ${farms.site_id}), '{}')
      from ${priorityGroupFarms} join ${farms} on ${farms.id} = ${priorityGroupFarms.farm_id}
      where ${priorityGroupFarms.priority_group_id} = ${table.id}`),
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  sites: sitesOfPriorityGroup(table.id),
  narrowed: (row: { farms: Preference[]; farm_sites: Record<string, string> }, scope) => ({
    farms: row.farms.filter(({ farm_id }) => scope.includes(row.farm_sites[farm_id] ?? '')),
  }),
  search: [table.name_key],
  filters: {},
  sorts: {
    name: table.name_key,
    priority: table.priority,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  links,
  unique: { '/name': ['name_key'] },
});
