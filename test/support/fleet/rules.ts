import { eq, sql } from 'drizzle-orm';
import { ruleGroups, ruleMembers, rules, ruleUsers } from '../../../db/schema/routing/rules.ts';
import { pools } from '../../../db/schema/snapshot/pools.ts';
import { serviceLists } from '../../../db/schema/snapshot/service-lists.ts';
import { workplaceSessions } from '../../../db/schema/snapshot/workplace-sessions.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import {
  addFarm,
  addNode,
  addSite,
  type Member,
  type SimulatedNode,
  unique,
  type World,
} from '../factories.ts';
import type { Json } from '../portal.ts';

export type FarmWithNode = { farm: Json; node: SimulatedNode };

/** A site that all users of the world's domain may access, with farms of one simulated node each. */
export async function siteWithFarms(world: World, farms: readonly Parameters<typeof addNode>[2][]) {
  const site = await addSite(world.admin, { authenticators: [world.domain.id] });
  const made: FarmWithNode[] = [];
  for (const options of farms) {
    const farm = await addFarm(world.admin, site);
    made.push({ farm, node: await addNode(world, farm, options) });
  }
  return { site, farms: made };
}

type RuleOptions = Partial<typeof rules.$inferInsert> & { users?: string[]; groups?: string[] };
type MemberOptions = Partial<typeof ruleMembers.$inferInsert>;

export const uuidOf = ({ node }: FarmWithNode, pool: string): string =>
  node.simulator.state.poolNamed(pool).uuid;

/** A member of a rule: the pool of this name at the farm. */
export const memberOf = (at: FarmWithNode, pool: string, given: MemberOptions = {}) => ({
  farm_id: at.farm.id as string,
  servicepool_uuid: uuidOf(at, pool),
  ...given,
});

/** A rule of the site, written directly to its tables. */
export async function addRule(
  { portal: { db } }: World,
  site: Json,
  members: readonly ReturnType<typeof memberOf>[],
  { users = [], groups = [], ...given }: RuleOptions = {},
) {
  const [id, name] = [newId(), unique('rule')];
  const row = { id, name, name_key: name, site_id: site.id, display_name: name, ...given };
  await db.insert(rules).values(row);
  if (members.length > 0)
    await db.insert(ruleMembers).values(members.map((member) => ({ rule_id: id, ...member })));
  if (users.length > 0) await db.insert(ruleUsers).values(users.map((user_id) => ({ rule_id: id, user_id })));
  if (groups.length > 0)
    await db.insert(ruleGroups).values(groups.map((group_id) => ({ rule_id: id, group_id })));
  return row;
}

/** A pool row of the snapshot. */
export async function addSnapshotPool(
  { portal: { db } }: World,
  at: FarmWithNode,
  name: string,
  given: Partial<typeof pools.$inferInsert> = {},
): Promise<void> {
  await db.insert(pools).values({
    farm_id: at.farm.id,
    uuid: uuidOf(at, name),
    name,
    name_key: name.toLowerCase(),
    short_name: name,
    comments: '',
    state: 'ready',
    visible: true,
    maintenance: false,
    protocols: ['rdp'],
    initial_srvs: 0,
    cache_l1_srvs: 0,
    cache_l2_srvs: 0,
    max_srvs: 10,
    workplaces_count: 10,
    in_use_count: 0,
    in_preparation_count: 0,
    usage_percent: 0,
    restrained: false,
    tags: [],
    ...given,
  });
}

/** A live session of the member as a row of the snapshot. */
export async function addSnapshotSession(
  { portal: { db }, domain }: World,
  at: FarmWithNode,
  pool: string,
  { user }: Member,
): Promise<string> {
  const uuid = crypto.randomUUID();
  const now = new Date();
  await db.insert(workplaceSessions).values({
    farm_id: at.farm.id,
    uuid,
    servicepool_uuid: uuidOf(at, pool),
    servicepool_name: pool,
    workplace_uuid: crypto.randomUUID(),
    workplace_name: 'w',
    workplace_ip: '10.0.0.1',
    user_name: user.name,
    user_domain: domain.small_name,
    user_key: `${domain.small_name}\\${user.name}`.toLowerCase(),
    protocol: 'rdp',
    state: 'active',
    started_at: now,
    last_seen_at: now,
  });
  return uuid;
}

/** Ages the member's cached services. Moving the portal's clock would separate it from the nodes'. */
export async function ageLists({ portal }: World, { user }: Member, seconds: number): Promise<void> {
  await portal.settled();
  await portal.db
    .update(serviceLists)
    .set({ fetched_at: sql`${serviceLists.fetched_at} - make_interval(secs => ${seconds})` })
    .where(eq(serviceLists.user_id, user.id));
}
