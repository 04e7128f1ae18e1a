import { sql } from 'drizzle-orm';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { groupParts } from '../../schema/identity/group-parts.ts';
import { groups as table } from '../../schema/identity/groups.ts';
import { ruleGroups, rules } from '../../schema/routing/rules.ts';
import { priorityGroupGroups, priorityGroups } from '../../schema/sites/priority-groups.ts';
import { siteGroups, sites } from '../../schema/sites/sites.ts';
import { membersOf } from '../records/membership.ts';
import { records } from '../records/records.ts';
import { derived, memberIds, nameOf } from '../records/statements.ts';

const links = {
  groups: {
    table: groupParts,
    owner: groupParts.group_id,
    member: groupParts.part_id,
    // Parts are ordinary groups of the same domain, so a meta group cannot contain itself.
    unfit: (meta: string) => sql`exists(
      select 1 from ${groupParts} as link join ${table} as part on part.id = link.part_id
        join ${table} as meta on meta.id = link.group_id
      where link.group_id = ${meta} and (part.type = 'meta' or part.authenticator_id <> meta.authenticator_id))`,
  },
};

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
    groups: memberIds(links.groups, table.id),
    users_count: derived<number>(sql`select count(*)::int from (${membersOf(table.id)}) as membership`),
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
  links,
  references: [
    {
      type: 'group',
      table: groupParts,
      by: groupParts.part_id,
      id: groupParts.group_id,
      name: nameOf(table, groupParts.group_id),
      own: true,
    },
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
