import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { groupParts } from '../../schema/identity/group-parts.ts';
import { groupMembers, groups } from '../../schema/identity/groups.ts';

/**
 * Effective members of a group, independent of its state: its members, or for a meta group the members of one or all
 * of its active parts, as in `effective_groups`.
 * @returns a select of `user_id`
 */
export const membersOf = (group: PgColumn | SQL): SQL => sql`
  select member.user_id from ${groupMembers} as member where member.group_id = ${group}
  union select member.user_id from ${groupParts} as link
    join ${groups} as part on part.id = link.part_id and part.state = 'active'
    join ${groupMembers} as member on member.group_id = link.part_id
  where link.group_id = ${group} group by member.user_id having count(*) >= (
    select case when meta.meta_if_any then 1 else ${partsOf(group)} end from ${groups} as meta where meta.id = ${group})`;

const partsOf = (group: PgColumn | SQL): SQL =>
  sql`(select count(*) from ${groupParts} as every where every.group_id = ${group})`;

/** Effective members of a meta group with these parts; a select of `user_id`. */
export const membersOfParts = (parts: SQL, isAny: boolean): SQL => sql`
  select member.user_id from ${groupMembers} as member
    join ${groups} as part on part.id = member.group_id and part.state = 'active'
  where part.id = any(${parts}) group by member.user_id having count(*) >= ${isAny ? sql`1` : sql`cardinality(${parts})`}`;

/**
 * The condition that a group applies to a member of exactly the groups `joined`: it is one of them, or a meta group
 * whose condition they meet.
 * @param group alias of the row of `groups`
 * @param joined the groups, as `uuid[]`
 */
export const appliesTo = (group: SQL, joined: SQL): SQL => sql`(
  case ${group}.type when 'group' then ${group}.id = any(${joined}) else (
    select count(*) from ${groupParts} as link join ${groups} as part on part.id = link.part_id
    where link.group_id = ${group}.id and part.state = 'active' and part.id = any(${joined})
  ) >= case when ${group}.meta_if_any then 1 else ${partsOf(sql`${group}.id`)} end end)`;
