import { and, eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { workplaceSessions } from '../../../db/schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import { type Ask, addMember, base, useWorld } from '../../support/factories.ts';
import { observe, startFleet, useFleet, workplaceOf } from '../../support/fleet/fleet.ts';

const world = useWorld();
const fleet = useFleet(world);
/** Has every permission for workplaces except the one to force. */
let careful: Ask;

beforeAll(async () => {
  const able = ['power', 'refresh', 'delete', 'read'].map((action) => `workplaces.${action}`);
  careful = (await addMember(world, able)).ask;
});

/** The first workplace of the pool has a session, the second has none. */
const path = (verb: string, n: number): string =>
  `${base}/workplaces/${fleet.farm.id}/${verb}/${fleet.simulator.state.poolNamed('Office').uuid}/${workplaceOf(fleet, 'Office', n).uuid}`;

type Order = [route: (n: number, force: boolean) => string, body?: (force: boolean) => object];
const drive = (action: string): Order => [
  (n) => `PATCH ${path('machine', n)}`,
  (force) => ({ action, ...(force && { force }) }),
];
const orders: Record<string, Order> = {
  ...Object.fromEntries(
    ['shutdown', 'poweroff', 'reboot', 'reset', 'suspend'].map((action) => [action, drive(action)]),
  ),
  refresh: [(n) => `PATCH ${path('refresh', n)}`, (force) => ({ ...(force && { force }) })],
  delete: [(n, force) => `DELETE ${path('delete', n)}${force ? '?force=true' : ''}`],
};

async function order(ask: Ask, name: string, n: number, force = false) {
  const [route, body] = orders[name] ?? drive(name);
  const { answer, calls, events } = await observe(world, fleet, () => ask(route(n, force), body?.(force)));
  const changing = calls.filter((call) => !/^GET|jwtauth/.test(call));
  return { outcome: [answer.status, answer.body.reason ?? answer.body.code], calls: changing, events };
}

const inSnapshot = () => {
  const { uuid } = workplaceOf(fleet, 'Office', 1);
  return { farm_id: fleet.farm.id as string, uuid };
};

describe.each(Object.keys(orders))('%s', (name) => {
  it('is refused during a live session, without a dispatcher call', async () => {
    expect(await order(careful, name, 0)).toMatchObject({ outcome: [409, 'session_live'], calls: [] });
  });

  it('is refused when only an agent reported a session', async () => {
    const { farm_id, uuid } = inSnapshot();
    await world.portal.db
      .update(workplaces)
      .set({ in_use: true })
      .where(and(eq(workplaces.farm_id, farm_id), eq(workplaces.uuid, uuid)));
    expect(await order(careful, name, 1)).toMatchObject({ outcome: [409, 'session_live'], calls: [] });
  });

  it.each(['workplaces', 'spsessions'] as const)('is refused when the list of %s is stale', async (kind) => {
    const ofList = and(eq(farmParts.farm_id, fleet.farm.id), eq(farmParts.kind, kind));
    await world.portal.db.update(farmParts).set({ fetched_at: sql`now() - interval '1 hour'` }).where(ofList);
    expect(await order(careful, name, 1)).toMatchObject({ outcome: [409, 'snapshot_stale'], calls: [] });
    await world.portal.db.delete(farmParts).where(ofList);
    expect(await order(careful, name, 1)).toMatchObject({ outcome: [409, 'snapshot_stale'], calls: [] });
  });

  it('is forced with the permission for the site only, and the journal records it', async () => {
    expect(await order(careful, name, 0, true)).toMatchObject({ outcome: [403, 'forbidden'], calls: [] });
    const elsewhere = await startFleet(world);
    const able = ['power', 'refresh', 'delete', 'force'].map((action) => `workplaces.${action}`);
    const other = await addMember(world, able, [elsewhere.site.id]);
    expect((await order(other.ask, name, 0, true)).outcome).toEqual([404, 'not_found']);
    await elsewhere.simulator.close();
    const own = await addMember(world, able, [fleet.site.id]);
    const { calls, events } = await order(own.ask, name, 1, true);
    expect(calls).toHaveLength(1);
    expect(events).toMatchObject([
      { action: name === 'refresh' || name === 'delete' ? name : 'machine', details: { force: true } },
    ]);
  });
});

describe('an action', () => {
  it.each(['start', 'resume'])('to %s interrupts no session, and needs no force', async (action) => {
    const { calls } = await order(careful, action, 0);
    expect(calls).toHaveLength(1);
  });

  it('is executed as soon as the session has ended', async () => {
    expect((await order(careful, 'refresh', 0)).outcome).toEqual([409, 'session_live']);
    const { uuid } = workplaceOf(fleet, 'Office', 0);
    const { db } = world.portal;
    const [session] = await db
      .select()
      .from(workplaceSessions)
      .where(eq(workplaceSessions.workplace_uuid, uuid));
    const ended = await world.admin(`PATCH ${base}/spsessions/${fleet.farm.id}/logoff/${session?.uuid}`);
    expect(ended.status).toBe(202);
    expect((await order(careful, 'refresh', 0)).outcome[0]).toBe(202);
  });
});
