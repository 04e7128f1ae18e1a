import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isStorable } from '../../../shared/kernel/text.ts';
import { addPool, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import { addFarm, addNode, adminOf, base, pool, useWorld } from '../../support/factories.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import { addBroker } from '../../support/openuds/site.ts';
import type { Json } from '../../support/portal.ts';
import { commitNumber } from '../../support/runner/commit.ts';

const world = useWorld();
const admin = adminOf(world);

const texts = (minLength: number, maxLength: number) =>
  fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength, maxLength }),
      fc.string({ minLength: 1, maxLength: 8 }).map((text) => ` ${text} `),
      fc.constantFrom('Этаж 2', 'a b', '"quoted", & <tag>', '日本 語'),
    )
    .filter((text) => isStorable(text) && text.length >= minLength && text.length <= maxLength);
const lines = (minLength: number, maxLength: number) =>
  texts(minLength, maxLength).filter((text) => !/\p{Cc}/u.test(text));
const count = fc.oneof(fc.nat(20), fc.constant(2_147_483_647));
const settings = fc.record({
  ...{ name: lines(1, 200), short_name: lines(0, 200), comments: texts(0, 400), visible: fc.boolean() },
  ...{ initial_srvs: fc.nat(20), cache_l1_srvs: count, cache_l2_srvs: count },
  max_srvs: fc.integer({ min: 20, max: 2_147_483_647 }),
  tags: fc.uniqueArray(lines(1, 64), { maxLength: 4 }),
});
const samples = fc
  .sample(fc.uniqueArray(settings, { minLength: 10, maxLength: 10, selector: ({ name }) => name }), {
    seed: commitNumber(),
    numRuns: 1,
  })
  .flat();

const pools = async (farm: Json): Promise<Json[]> => {
  await syncAll(world.portal, farm);
  return (await admin(`GET ${base}/servicespools?farm_id=${farm.id}&limit=500`)).body.items;
};
const write = (farm: Json, uuid: string, body: object) =>
  admin(`PUT ${base}/servicespools/${farm.id}/update/${uuid}`, body);

/** Writes each pool back as it was read, and then its name alone. */
async function writeBack(farm: Json, state: () => unknown): Promise<void> {
  const before = state();
  const read = await pools(farm);
  expect(read).toHaveLength(samples.length);
  for (const row of read) {
    const { status, body } = await write(farm, row.uuid, row);
    expect([status, body]).toMatchObject([200, { name: row.name, comments: row.comments, tags: row.tags }]);
    expect((await write(farm, row.uuid, { name: row.name })).status).toBe(200);
  }
  expect(state()).toEqual(before);
}

describe('the settings of a pool of a dispatcher', () => {
  it('can be written back as they are read, and those that are not sent stay', async () => {
    const farm = await addFarm(world.admin, world.site);
    const { simulator } = await addNode(world, farm, { pools: samples.map((_, n) => pool(`Pool ${n}`)) });
    for (const [n, sample] of samples.entries()) simulator.state.changePool(`Pool ${n}`, sample);
    await writeBack(farm, () =>
      simulator.state.pools.all().map(({ uuid, members: _, ...rest }) => structuredClone({ uuid, ...rest })),
    );
    await simulator.close();
  });
});

describe.each(['3.6', '4.0', '5.0'] as const)('the settings of a pool of an OpenUDS %s broker', (mode) => {
  let broker: Broker;
  let farm: Json;
  beforeAll(async () => {
    const state = seededBroker({ users: [], pools: [] });
    for (const [n, sample] of samples.entries()) {
      const made = addPool(state, { name: `Pool ${n}`, groups: [], usesCache: true });
      Object.assign(made.members, sample, { calendar_message: 'До завтра', allow_users_reset: n % 2 === 0 });
    }
    broker = await startOpenUds({ state, mode, wrongPasswordMs: 0 });
    ({ farm } = await addBroker(world, broker));
  });
  afterAll(() => broker.close());

  it('can be written back as they are read, and those that are not sent stay', async () => {
    await writeBack(farm, () => structuredClone(broker.state.pools.map(({ members }) => members)));
  });

  it('are changed one at a time', async () => {
    const [first] = await pools(farm);
    const found = broker.state.pools.find(({ id }) => id === first?.uuid);
    const before = structuredClone(found?.members);
    const { status } = await write(farm, first?.uuid, { name: null, tags: ['Этаж 2', 'b c'] });
    expect([status, found?.members]).toEqual([200, { ...before, tags: ['Этаж 2', 'b c'] }]);
  });
});
