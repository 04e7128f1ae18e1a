import {
  priorityGroupFarms,
  priorityGroupGroups,
  priorityGroupUsers,
  priorityGroups as table,
} from '../schema/priority-groups.ts';
import { records } from './records.ts';
import { memberIds, memberObjects } from './statements.ts';

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
    farms: memberObjects<{ farm_id: string; priority: number }>(links.farms, table.id),
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
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
