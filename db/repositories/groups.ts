import { sql } from 'drizzle-orm';
import { authenticators } from '../schema/authenticators.ts';
import { groupMembers, groups as table } from '../schema/groups.ts';
import { priorityGroupGroups, priorityGroups } from '../schema/priority-groups.ts';
import { ruleGroups, rules } from '../schema/rules.ts';
import { siteGroups, sites } from '../schema/sites.ts';
import { records } from './records.ts';
import { countOf, nameOf } from './statements.ts';

export const groups = records({
  table,
  select: {
    id: table.id,
    uuid: table.id,
    revision: table.revision,
    name: table.name,
    external_id: table.external_id,
    comments: table.comments,
    state: table.state,
    type: table.type,
    meta_if_any: table.meta_if_any,
    skip_two_factor: table.skip_two_factor,
    groups: sql<string[]>`'{}'::uuid[]`,
    users_count: countOf(groupMembers, groupMembers.group_id, table.id),
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  parent: { column: table.authenticator_id, table: authenticators },
  search: [table.name_key],
  filters: {
    type: (value: string) => sql`${table.type} = ${value}`,
    state: (value: string) => sql`${table.state} = ${value}`,
  },
  sorts: { name: table.name_key, created_at: table.created_at, updated_at: table.updated_at },
  references: [
    {
      type: 'site',
      table: siteGroups,
      by: siteGroups.group_id,
      id: siteGroups.site_id,
      name: nameOf(sites, siteGroups.site_id),
    },
    {
      type: 'priority_group',
      table: priorityGroupGroups,
      by: priorityGroupGroups.group_id,
      id: priorityGroupGroups.priority_group_id,
      name: nameOf(priorityGroups, priorityGroupGroups.priority_group_id),
    },
    {
      type: 'rule',
      table: ruleGroups,
      by: ruleGroups.group_id,
      id: ruleGroups.rule_id,
      name: nameOf(rules, ruleGroups.rule_id),
    },
  ],
  unique: { '/name': ['authenticator_id', 'name_key'] },
});
