import { and, asc, eq } from 'drizzle-orm';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { serviceLists } from '../../../db/schema/snapshot/service-lists.ts';
import { addMember, type Member, type NodeOptions, startWorld, type World } from '../factories.ts';
import type { Answer, Json, TestPortal } from '../portal.ts';
import { type FarmWithNode, siteWithFarms } from './rules.ts';

/** A portal with a signed-in user and sites of simulated farms that the user can access. */
export type FleetStand = {
  world: World;
  member: Member;
  site(farms: readonly NodeOptions[]): Promise<{ site: Json; farms: FarmWithNode[] }>;
  list(site: Json, send?: TestPortal['send'], member?: Member): Promise<Answer>;
  /** Makes the next list call all farms. */
  forgetLists(): Promise<void>;
  setParameter(name: string, value: number): Promise<void>;
  circuitOf(at: FarmWithNode): Promise<typeof dispatchers.$inferSelect>;
  changeNode(at: FarmWithNode, change: Partial<typeof dispatchers.$inferInsert>): Promise<void>;
  /** Codes of the journal records of the node, oldest first. */
  journalOf(at: FarmWithNode): Promise<(string | null)[]>;
  /** Ends the farms and parameters of one test. */
  clear(): Promise<void>;
  close(): Promise<void>;
};

export async function startFleetStand(): Promise<FleetStand> {
  const world = await startWorld();
  const { portal } = world;
  const { db } = portal;
  const member = await addMember(world, []);
  const made: FarmWithNode[] = [];
  const isNode = (at: FarmWithNode) => eq(dispatchers.id, at.node.dispatcher.id);
  return {
    world,
    member,
    site: async (farms) => {
      const one = await siteWithFarms(world, farms);
      made.push(...one.farms);
      return one;
    },
    list: (site, send = portal.send, { token } = member) =>
      send(`GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`, { token }),
    forgetLists: async () => {
      await portal.settled();
      await db.delete(serviceLists);
    },
    setParameter: async (name, value) => {
      await db.insert(systemParameters).values({ name, value, updated_at: new Date() });
    },
    circuitOf: async (at) => {
      const [row] = await db.select().from(dispatchers).where(isNode(at));
      if (!row) throw new Error('the node is gone');
      return row;
    },
    changeNode: async (at, change) => {
      await db.update(dispatchers).set(change).where(isNode(at));
    },
    journalOf: async (at) => {
      const about = and(
        eq(monitoringRecords.object_id, at.node.dispatcher.id),
        eq(monitoringRecords.source, 'dispatcher'),
      );
      const rows = await db.select().from(monitoringRecords).where(about).orderBy(asc(monitoringRecords.at));
      return rows.map(({ code }) => code);
    },
    clear: async () => {
      await Promise.all(made.splice(0).map(({ node }) => node.simulator.close()));
      await portal.settled();
      await db.delete(systemParameters);
    },
    close: () => portal.close(),
  };
}

export const servicesOf = ({ body }: Answer): string[] => body.services.map(({ name }: Json) => name);
/** The status of each farm in a merged list, in the given order. */
export const statusesOf = ({ body }: Pick<Answer, 'body'>, farms: readonly FarmWithNode[]): string[] =>
  farms.map(({ farm }) => body.sites.find(({ farm_id }: Json) => farm_id === farm.id)?.status);
/** The number of calls to this path of the node. */
export const asked = ({ node }: FarmWithNode, path = '/api/client/v7.0/services'): number =>
  node.simulator.calls.filter((call) => call.path === path).length;
export const keyPath = '/api/auth/v7.0/jwtauth';
