import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFarm, addMember, addSite, startWorld, type World } from '../../support/factories.ts';

const webui = '/api/webui/aggregator';

describe('the filter by identifiers', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.portal.close());

  it('returns only these objects, within the scope of the caller', async () => {
    const [north, south] = [await addSite(world.admin), await addSite(world.admin)];
    const farms = [await addFarm(world.admin, north), await addFarm(world.admin, south)];
    const limited = await addMember(world, ['farms.read'], [north.id]);
    const ids = farms.map(({ id }) => id);
    const read = async (ask: typeof world.admin, wanted: readonly string[]) =>
      (await ask(`GET ${webui}/farms?ids=${wanted.join(',')}`)).body.items.map(
        ({ id }: { id: string }) => id,
      );
    expect((await read(world.admin, ids)).toSorted()).toEqual(ids.toSorted());
    expect(await read(world.admin, [ids[1] ?? ''])).toEqual([ids[1]]);
    expect(await read(limited.ask, ids)).toEqual([ids[0]]);
  });

  it('finds users and groups of all domains', async () => {
    const { user } = await addMember(world, []);
    const { body } = await world.admin(`GET ${webui}/sites/users-groups-from-domains?ids=${user.id}`);
    expect(body.items).toMatchObject([{ id: user.id, name: user.name, type: 'user' }]);
  });

  it('refuses anything but at most 100 identifiers', async () => {
    const id = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
    const statusOf = async (ids: string) => (await world.admin(`GET ${webui}/farms?ids=${ids}`)).status;
    expect(await statusOf(Array(100).fill(id).join(','))).toBe(200);
    const refused = [Array(101).fill(id).join(','), '', 'north', `${id},`];
    expect(await Promise.all(refused.map(statusOf))).toEqual(refused.map(() => 422));
  });
});
