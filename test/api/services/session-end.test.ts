import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serviceLists } from '../../../db/schema/snapshot/service-lists.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { endSession } from '../../simulator/data/sessions.ts';
import {
  addMember,
  addNode,
  addSite,
  adminOf,
  audited,
  base,
  type Member,
  pool,
  useWorld,
} from '../../support/factories.ts';
import { type FarmWithNode, siteWithFarms, uuidOf } from '../../support/fleet/rules.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
let member: Member;
let site: Json;
let east: FarmWithNode;
let west: FarmWithNode;
beforeEach(async () => {
  const made = await siteWithFarms(world, [{ pools: [pool('East')] }, { pools: [pool('West')] }]);
  site = made.site;
  [east, west] = made.farms as [FarmWithNode, FarmWithNode];
  member = await addMember(world, []);
});
afterEach(async () => {
  await Promise.all([east, west].map(({ node }) => node.simulator.close()));
});

const client = () => `/aggregator/api/client/v7.0/${site.uri}`;
/** Opens a session and lists the services, so that a fresh list is cached. */
async function open(at: FarmWithNode, name: string, { ask }: Member = member): Promise<string> {
  const { body } = await ask(`GET ${client()}/connectionInfo/${at.farm.id}.${uuidOf(at, name)}`);
  await ask(`GET ${client()}/servicesList/`);
  await world.portal.settled();
  for (const { node } of [east, west]) node.simulator.resetCalls();
  return body.session_uuid;
}
const logOff = (uuid: string, body?: object, { ask }: Member = member) =>
  ask(`POST ${client()}/sessions/${uuid}/logoff`, body);
const callsOf = ({ node }: FarmWithNode) =>
  node.simulator.calls.map(({ method, path }) => `${method} ${path}`);
const ordersOf = (at: FarmWithNode) => callsOf(at).filter((call) => call.startsWith('PATCH'));
const sessionsAt = ({ node }: FarmWithNode) => node.simulator.state.sessions.all();
const shownSessions = async () =>
  (await member.ask(`GET ${client()}/servicesList/`)).body.services.flatMap(({ sessions }: Json) => sessions);

describe('the end of an own workplace session', () => {
  it('is ordered once, audited, and visible in the next list', async () => {
    const uuid = await open(east, 'East');
    expect(await shownSessions()).toMatchObject([{ session_uuid: uuid }]);
    const { result, events } = await audited(world.portal, () => logOff(uuid.toUpperCase()));
    expect([result.status, result.body]).toEqual([
      200,
      { result: 'ended', session_uuid: uuid, farm_id: east.farm.id },
    ]);
    expect(ordersOf(east)).toEqual([`PATCH /api/webui/spsessions/${uuid}/logoff`]);
    expect([ordersOf(west), sessionsAt(east)]).toEqual([[], []]);
    expect(events).toMatchObject([
      {
        event: 'portal.SessionAction',
        category: 'session',
        action: 'logoff',
        result: 'success',
        object_type: 'spsession',
        object_id: uuid,
        object_name: `${world.domain.small_name}\\${member.user.name}`,
        user_id: member.user.id,
        details: { farm_id: east.farm.id },
      },
    ]);
    expect(await shownSessions()).toEqual([]);
  });

  it('asks only the farm of the body, and removes the session from the snapshot', async () => {
    const uuid = await open(west, 'West');
    await syncAll(world.portal, west.farm);
    for (const { node } of [east, west]) node.simulator.resetCalls();
    const listed = async () => (await admin(`GET ${base}/spsessions?farm_id=${west.farm.id}`)).body.items;
    expect(await listed()).toMatchObject([{ session_uuid: uuid }]);
    const { result, events } = await audited(world.portal, () => logOff(uuid, { farm_id: west.farm.id }));
    expect([result.status, callsOf(east), ordersOf(west).length]).toEqual([200, [], 1]);
    expect(events).toMatchObject([{ details: { workplace_name: expect.any(String) } }]);
    expect(await listed()).toEqual([]);
  });

  it('of another user is not found, and no node receives the order', async () => {
    const other = await addMember(world, []);
    const foreign = await open(east, 'East', other);
    await syncAll(world.portal, east.farm);
    const own = await open(west, 'West');
    const { result, events } = await audited(world.portal, async () => [
      await logOff(foreign),
      await logOff(foreign, { farm_id: east.farm.id }),
      await logOff(newId()),
      await logOff(own, { farm_id: east.farm.id }),
      await logOff(own, { farm_id: newId() }),
      await logOff('session'),
    ]);
    expect(result.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    expect([events, ordersOf(east), ordersOf(west)]).toEqual([[], [], []]);
    expect([sessionsAt(east).length, sessionsAt(west).length]).toEqual([1, 1]);
    expect((await logOff(foreign, undefined, other)).status).toBe(200);
  });

  it('needs a site that the caller may use, and the farm of that site', async () => {
    const uuid = await open(east, 'East');
    const closed = await addSite(admin);
    const beside = await addSite(admin, { authenticators: [world.domain.id] });
    for (const { uri } of [closed, beside]) {
      const path = `/aggregator/api/client/v7.0/${uri}/sessions/${uuid}/logoff`;
      expect((await member.ask(`POST ${path}`, { farm_id: east.farm.id })).status).toBe(404);
    }
    expect([ordersOf(east), sessionsAt(east).length]).toEqual([[], 1]);
  });

  it('is gone for a session that ends between the check and the order', async () => {
    const uuid = await open(east, 'East');
    const [session] = sessionsAt(east);
    // The list contains a session that the node has already removed.
    east.node.simulator.knobs.alter = (list, row) =>
      list === 'services' ? { ...row, sessions: [{ session_uuid: uuid, state: 'active' }] } : row;
    if (session) endSession(east.node.simulator.state, session);
    const { result, events } = await audited(world.portal, () => logOff(uuid));
    expect([result.status, result.body.result]).toEqual([200, 'gone']);
    expect(events).toMatchObject([{ result: 'success', details: { result: 'gone' } }]);
  });

  it('is not found after it has ended', async () => {
    const uuid = await open(east, 'East');
    expect([(await logOff(uuid)).status, (await logOff(uuid)).status]).toEqual([200, 404]);
    expect(ordersOf(east)).toHaveLength(1);
  });

  it('is not repeated after a failure, which is audited and expires the cached list', async () => {
    const uuid = await open(east, 'East');
    const { simulator } = await addNode(world, east.farm, { state: east.node.simulator.state });
    for (const { knobs } of [simulator, east.node.simulator])
      Object.assign(knobs, { path: '/api/webui/', failing: 500 });
    const { result, events } = await audited(world.portal, () => logOff(uuid));
    expect([result.status, result.body.code]).toEqual([502, 'upstream_failed']);
    const orders = [...simulator.calls, ...east.node.simulator.calls].filter(
      ({ method }) => method === 'PATCH',
    );
    expect(orders).toHaveLength(1);
    await simulator.close();
    expect(events).toMatchObject([{ action: 'logoff', result: 'failure', object_id: uuid }]);
    const lists = await world.portal.db
      .select()
      .from(serviceLists)
      .where(eq(serviceLists.user_id, member.user.id));
    const ages = new Map(
      lists.map(({ farm_id, fetched_at }) => [farm_id, Date.now() - fetched_at.getTime()]),
    );
    expect(ages.get(east.farm.id)).toBeGreaterThanOrEqual(15_000);
    expect(ages.get(west.farm.id)).toBeLessThan(15_000);
  });

  it('reports a farm that does not respond, because it may have the session', async () => {
    const uuid = await open(east, 'East');
    Object.assign(west.node.simulator.knobs, { failing: 500 });
    expect((await logOff(uuid)).status).toBe(200);
    const answer = await logOff(newId());
    expect([answer.status, answer.body.code]).toEqual([502, 'upstream_failed']);
    expect(ordersOf(west)).toEqual([]);
  });
});
