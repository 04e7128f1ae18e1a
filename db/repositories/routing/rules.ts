import { and, eq, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { ruleGroups, ruleMembers, ruleUsers, rules as table } from '../../schema/routing/rules.ts';
import { images } from '../../schema/settings/images.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { records } from '../records/records.ts';
import { type Scope, within } from '../records/scope.ts';
import { derived, memberIds, memberObjects, must, nameOf } from '../records/statements.ts';

type RuleMember = { farm_id: string; servicepool_uuid: string; priority: number; enabled: boolean };

const links = {
  members: {
    table: ruleMembers,
    owner: ruleMembers.rule_id,
    member: ruleMembers.farm_id,
    details: [ruleMembers.servicepool_uuid, ruleMembers.priority, ruleMembers.enabled],
    // Farms of other sites are invalid members.
    unfit: (rule: string) => sql`exists(
      select 1 from ${ruleMembers} join ${farms} on ${farms.id} = ${ruleMembers.farm_id}
        join ${table} on ${table.id} = ${ruleMembers.rule_id}
      where ${ruleMembers.rule_id} = ${rule} and ${farms.site_id} <> ${table.site_id})`,
  },
  users: { table: ruleUsers, owner: ruleUsers.rule_id, member: ruleUsers.user_id },
  groups: { table: ruleGroups, owner: ruleGroups.rule_id, member: ruleGroups.group_id },
};

export const rules = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    site_id: table.site_id,
    site_name: nameOf(sites, table.site_id),
    comments: table.comments,
    enabled: table.enabled,
    display_name: table.display_name,
    image_id: table.image_id,
    image_digest: derived<string | null>(
      sql`select ${images.digest} from ${images} where ${images.id} = ${table.image_id}`,
    ),
    policy: table.policy,
    failover: table.failover,
    failover_from_owned: table.failover_from_owned,
    affinity: table.affinity,
    members: memberObjects<RuleMember>(links.members, table.id),
    match_tags: table.match_tags,
    users: memberIds(links.users, table.id),
    groups: memberIds(links.groups, table.id),
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  site: table.site_id,
  search: [table.name_key, sql`lower(${table.display_name})`],
  filters: {
    site_id: (value: string) => eq(table.site_id, value),
    enabled: (value: boolean) => eq(table.enabled, value),
    image_id: (value: string) => eq(table.image_id, value),
  },
  sorts: { name: table.name_key, created_at: table.created_at, updated_at: table.updated_at },
  links,
  unique: { '/name': ['name_key'] },
});

/** The rules of one site as a nested collection. */
export const rulesOfSite = {
  ...rules,
  spec: { ...rules.spec, parent: { column: table.site_id, table: sites, site: sites.id } },
};

/** Fails the batch if the farm is a member of a rule of another site. */
export const mustFitItsRules = (h: Db, farmId: string): Statement =>
  must(
    h,
    sql`not exists(select 1 from ${ruleMembers} join ${table} on ${table.id} = ${ruleMembers.rule_id}
      join ${farms} on ${farms.id} = ${ruleMembers.farm_id}
      where ${ruleMembers.farm_id} = ${farmId} and ${farms.site_id} <> ${table.site_id})`,
    'in_use',
  );

/** Returns up to ten rules within the scope that have the farm among their members. */
export const rulesWithFarm = (
  db: Db,
  farmId: string,
  scope: Scope,
): Promise<{ type: string; id: string; name: string }[]> =>
  db
    .select({ type: sql<string>`'rule'`, id: table.id, name: table.name })
    .from(table)
    .innerJoin(ruleMembers, eq(ruleMembers.rule_id, table.id))
    .where(and(eq(ruleMembers.farm_id, farmId), within(table.site_id, scope)))
    .orderBy(table.name_key)
    .limit(10);
