import { and, eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { farms } from '../../../db/schema/sites/farms.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { pools } from '../../../db/schema/snapshot/pools.ts';
import { serviceLists } from '../../../db/schema/snapshot/service-lists.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import { addMember, addTemplate, base, type Member, pool, useWorld } from '../../support/factories.ts';
import { inMinutes } from '../../support/fleet/maintenance.ts';
import { addRule, type FarmWithNode, memberOf, siteWithFarms, uuidOf } from '../../support/fleet/rules.ts';
import { sync } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let member: Member;
let site: Json;
let at: FarmWithNode;
let office: string;

beforeEach(async () => {
  member = await addMember(world, []);
  const made = await siteWithFarms(world, [{ pools: [pool('Office', { workplaces: 3 })] }]);
  site = made.site;
  at = made.farms[0] as FarmWithNode;
  office = uuidOf(at, 'Office');
  await readSnapshot();
});
afterEach(() => at.node.simulator.close());

async function readSnapshot(): Promise<void> {
  for (const kind of ['servicespools', 'workplaces', 'spsessions'] as const)
    await sync(world.portal, at.farm, kind);
}

const isOffice = () => and(eq(pools.farm_id, at.farm.id), eq(pools.uuid, office));
const setPool = (values: Partial<typeof pools.$inferInsert>) =>
  world.portal.db.update(pools).set(values).where(isOffice());
const withTemplate = async (given: Json) => {
  const { id } = await addTemplate(world.admin, given);
  await setPool({ maintenance_template_id: id });
};

/** Each source of a maintenance, and whether it blocks new sessions. */
const ways: Record<string, { blocks: boolean; begin: () => PromiseLike<unknown> | unknown }> = {
  nothing: { blocks: false, begin: () => undefined },
  'a site in maintenance': {
    blocks: true,
    begin: () => world.portal.db.update(sites).set({ maintenance: true }).where(eq(sites.id, site.id)),
  },
  'a farm in maintenance': {
    blocks: true,
    begin: () => world.portal.db.update(farms).set({ maintenance: true }).where(eq(farms.id, at.farm.id)),
  },
  'a pool in maintenance, as the snapshot has it': {
    blocks: true,
    begin: () => setPool({ maintenance: true }),
  },
  'a pool in maintenance, by an order of an administrator': {
    blocks: true,
    begin: () =>
      world.admin(`PATCH ${base}/servicespools/${at.farm.id}/maintenance/${office}`, { maintenance: true }),
  },
  'a window in force whose order is on the way': {
    blocks: true,
    begin: () => withTemplate({ start_at: inMinutes(-5), end_at: inMinutes(5) }),
  },
  'a window that has not begun': { blocks: false, begin: () => withTemplate({ start_at: inMinutes(5) }) },
  'a window that is over': {
    blocks: false,
    begin: () => withTemplate({ start_at: inMinutes(-9), end_at: inMinutes(-5) }),
  },
  'a window that lets new sessions begin': {
    blocks: false,
    begin: () => withTemplate({ start_at: inMinutes(-5), block_new_sessions: false }),
  },
  'the own workplace in maintenance': {
    blocks: true,
    begin: () =>
      world.portal.db
        .update(workplaces)
        .set({
          maintenance: true,
          owner_name: member.user.name,
          owner_domain: world.domain.small_name,
          owner_key: `${world.domain.small_name}\\${member.user.name}`.toLowerCase(),
        })
        .where(and(eq(workplaces.farm_id, at.farm.id), eq(workplaces.name, firstWorkplace()))),
  },
};

const firstWorkplace = (): string => at.node.simulator.state.poolNamed('Office').members[0]?.name ?? '';

const client = (path: string) => member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/${path}`);

/** The result of each operation for the service, in one word. */
async function answers(id: string) {
  const list = await client('servicesList/');
  const dashboard = await member.ask(`GET ${base}/dashboard/user/${site.uri}`);
  const verdict = await client(`preconnectionInfo/${id}`);
  const connection = await client(`connectionInfo/${id}`);
  const shown = ({ body }: { body: Json }) => {
    const service = body.services.find((one: Json) => one.id === id);
    return service && [service.state, service.maintenance];
  };
  return {
    list: shown(list),
    dashboard: shown(dashboard),
    verdict: [verdict.body.verdict, verdict.body.reason_code],
    connection: [connection.status, connection.body.reason],
  };
}

const ready = {
  list: ['ready', false],
  dashboard: ['ready', false],
  verdict: ['connect', 'ready'],
  connection: [200, undefined],
};
const maintained = {
  list: ['maintenance', true],
  dashboard: ['maintenance', true],
  verdict: ['abandon', 'maintenance'],
  connection: [409, 'maintenance'],
};

const services = {
  'a pool': async () => `${at.farm.id}.${office}`,
  'a rule': async () => (await addRule(world, site, [memberOf(at, 'Office')])).id,
};

describe.each(Object.keys(services) as (keyof typeof services)[])('readiness of %s', (kind) => {
  it.each(Object.keys(ways))('the list, the check and the connection agree on %s', async (way) => {
    const id = await services[kind]();
    // The list of the farm is cached, so that it is shown while the farm is not called.
    await client('servicesList/');
    await world.portal.settled();
    await ways[way]?.begin();
    expect(await answers(id)).toEqual(ways[way]?.blocks ? maintained : ready);
  });

  it.each(Object.keys(ways))('a live session can be reconnected with %s', async (way) => {
    const id = await services[kind]();
    await client('servicesList/');
    await world.portal.settled();
    expect((await client(`connectionInfo/${id}`)).status).toBe(200);
    await world.portal.settled();
    await readSnapshot();
    await ways[way]?.begin();
    const found = await answers(id);
    const expected = ways[way]?.blocks ? maintained : ready;
    expect([found.list, found.dashboard]).toEqual([expected.list, expected.dashboard]);
    expect([found.verdict[0], found.connection[0]]).toEqual(['connect', 200]);
  });

  it('the service is ready again when its maintenance ends, despite a cached list', async () => {
    const id = await services[kind]();
    const path = `PATCH ${base}/servicespools/${at.farm.id}/maintenance/${office}`;
    await world.admin(path, { maintenance: true });
    expect(await answers(id)).toEqual(maintained);
    await world.portal.settled();
    await world.admin(path, { maintenance: false });
    expect(await answers(id)).toEqual(ready);
    expect(await world.portal.db.select().from(serviceLists)).not.toEqual([]);
  });
});
