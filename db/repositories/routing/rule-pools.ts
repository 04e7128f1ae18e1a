import { type SQL, sql } from 'drizzle-orm';
import { ruleMembers, rules } from '../../schema/routing/rules.ts';
import { farms } from '../../schema/sites/farms.ts';
import { pools } from '../../schema/snapshot/pools.ts';

/** The pools of the rule of the enclosing select: its members, or the pools of its site that match its tags. */
export const poolsOfRule: SQL = sql`
  select ${ruleMembers.farm_id}, ${ruleMembers.servicepool_uuid}, ${ruleMembers.priority}, ${ruleMembers.enabled}
  from ${ruleMembers} where ${ruleMembers.rule_id} = ${rules.id} and ${rules.match_tags} is null
  union all
  select ${pools.farm_id}, ${pools.uuid}, 1, true
  from ${pools} join ${farms} on ${farms.id} = ${pools.farm_id}
  where ${farms.site_id} = ${rules.site_id} and to_jsonb(${pools.tags}) @> (${rules.match_tags} -> 'all')
    and (${pools.tags} && array(select jsonb_array_elements_text(${rules.match_tags} -> 'any'))
      or (${rules.match_tags} -> 'any' = '[]' and ${rules.match_tags} -> 'all' <> '[]'))`;

/** The pools of enabled rules, as `member` of a `from` clause with its `rules`. They are available through rules only. */
export const coveredMembers: SQL = sql`${rules} cross join lateral (${poolsOfRule}) as member
  where ${rules.enabled} and member.enabled`;

/** True if no enabled rule of its site covers the pool of the enclosing select. */
export const isOfferedDirectly: SQL = sql`(${pools.farm_id}, ${pools.uuid}) not in (
  select member.farm_id, member.servicepool_uuid from ${coveredMembers} and exists (select from ${farms}
    where ${farms.id} = member.farm_id and ${farms.site_id} = ${rules.site_id}))`;
