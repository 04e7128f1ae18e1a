import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { SyncBatches } from '../../../functions/health/jobs/snapshot/batches.ts';
import { addPool, addUser, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import { useWorld } from '../../support/factories.ts';
import { readFirst } from '../../support/fleet/first-reads.ts';
import { snapshotFarm } from '../../support/fleet/snapshot.ts';
import { addBroker } from '../../support/openuds/site.ts';
import { brokerStand, refusalOf } from '../../support/openuds/stand.ts';
import type { Json } from '../../support/portal.ts';

const pools = ['Office', 'Lab', 'Studio'].map((name) => ({ name, groups: ['staff'], desktops: 2 }));
const seeded = () => seededBroker({ users: [{ name: 'alice', groups: ['staff'] }], pools });
const page = { limit: 1_000 };
const inventory = ({ calls }: Broker) =>
  calls.map(({ path }) => path).filter((path) => /servicespools(\/[^/]+\/(services|cache))?$/.test(path));

describe('a round of the lists of an OpenUDS broker', () => {
  const world = useWorld();
  let broker: Broker;
  let farm: Json;
  beforeAll(async () => {
    broker = await startOpenUds({ state: seeded(), wrongPasswordMs: 0 });
    const added = await addBroker(world, broker);
    farm = added.farm;
    await readFirst(world.portal, added.node.name);
  });
  afterAll(() => broker.close());

  it('of the job needs one request for the pools and two for each pool', async () => {
    const { db, deps } = world.portal;
    const round = { concurrency: 1, signal: AbortSignal.timeout(30_000) };
    for (const _round of [1, 2]) {
      await db.update(farmParts).set({ tried_at: null });
      broker.resetCalls();
      await new SyncBatches(deps).sync([await snapshotFarm(db, String(farm.id))], round);
    }
    expect(inventory(broker).length).toBe(1 + 2 * pools.length);
    expect(broker.maxInFlight).toBe(1);
  });
});

describe('lists of an OpenUDS broker', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  async function start() {
    const broker = await startOpenUds({ state: seeded(), wrongPasswordMs: 0 });
    const stand = brokerStand(broker);
    closing.push(broker.close, stand.close);
    return { broker, stand, own: await stand.own() };
  }

  it.each([
    ['[{"id":"1"},{"id":"2"}', '2 rows in 22 characters; nothing follows'],
    ['<h1>secret-1</h1>', '0 rows in 17 characters; markup follows'],
    ['[{"id":"1"}] secret-1', '1 rows in 21 characters; text follows'],
    ['', '0 rows in 0 characters; nothing follows'],
  ])('that are not JSON leave what was read in the cause, without content: %s', async (text, read) => {
    const { broker, stand, own } = await start();
    broker.knobs.text = { path: /servicespools$/, text };
    await expect(stand.remote.list(own, 'servicespools', page)).rejects.toMatchObject({
      members: { reason: 'not_json' },
      cause: { message: `the list is not_json after ${read}` },
    });
  });

  it('that were read with one account are not given to another one', async () => {
    const { broker, stand, own } = await start();
    addUser(broker.state, { name: 'helper', password: 'svc-secret-1', isStaff: true });
    const node = { ...stand.node, account: { domain: 'corp', name: 'helper', password: 'sealed' } };
    const times = { now: new Date(), lifeS: 60 };
    const { token: key } = await stand.remote.authorize({
      ...own,
      node,
      ...times,
      principal: { user: null },
    });
    Object.assign(broker.state.desktops[0] ?? {}, { owner: broker.state.users[0]?.id, inUse: true });
    for (const kind of ['servicespools', 'workplaces'] as const) await stand.remote.list(own, kind, page);
    for (const kind of ['spsessions', 'tags', 'servicespools', 'workplaces'] as const) {
      const work = stand.remote.list({ ...own, node, key }, kind, page);
      expect(await refusalOf(work), kind).toBe('upstream_refused:forbidden');
    }
    expect((await stand.remote.list(own, 'spsessions', page))?.rows.length).toBe(1);
  });

  it('of two farms are one request at a time', async () => {
    const { broker, stand, own } = await start();
    broker.knobs.delayMs = 2;
    const nodes = [stand.node, { ...stand.node, id: 'second' }];
    // The tables of transports and authenticators are small, and are remembered.
    for (const node of nodes) await stand.remote.list({ ...own, node }, 'servicespools', page);
    broker.resetCalls();
    await Promise.all(nodes.map((node) => stand.remote.list({ ...own, node }, 'servicespools', page)));
    expect(inventory(broker).length).toBe(2);
    expect(broker.maxInFlight).toBe(1);
  });

  it('do not hold back an order until they are read', async () => {
    const { broker, stand, own } = await start();
    for (let n = 0; n < 10; n++) addPool(broker.state, { name: `more ${n}`, groups: [], desktops: 1 });
    await stand.remote.list(own, 'servicespools', page);
    broker.knobs.delayMs = 20;
    const ended: string[] = [];
    const list = stand.remote.list(own, 'workplaces', page).then(() => ended.push('list'));
    const id = broker.state.pools[0]?.id ?? '';
    const order = stand.remote.maintainPool(own, id, { maintenance: true }).then(() => ended.push('order'));
    await Promise.all([list, order]);
    expect(ended).toEqual(['order', 'list']);
  });

  it('leave out a pool that was removed in between', async () => {
    const { broker, stand, own } = await start();
    await stand.remote.list(own, 'servicespools', page);
    broker.state.pools.pop();
    expect((await stand.remote.list(own, 'workplaces', page))?.rows.length).toBe(4);
  });
});
