import { expect, it, vi } from 'vitest';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { addMonitoringRecord, base, useStand } from '../../support/factories.ts';
import { startTwoSites } from '../../support/fleet/two-sites.ts';
import { allReadable, changesPath, patient } from '../../support/http/changes.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(async () => {
  const sites = await startTwoSites();
  return { ...sites, close: () => sites.world.portal.close() };
});

/** The records whose changes a caller is sent while the work runs. */
async function announcedTo(ask: typeof stand.scoped, work: () => Promise<unknown>): Promise<string[]> {
  const { db } = stand.world.portal;
  await allReadable(db);
  let after: string = (await ask(`GET ${changesPath}`)).body.next;
  await work();
  await allReadable(db);
  const found = new Set<string>();
  await vi.waitFor(async () => {
    const { items, next } = (await ask(`GET ${changesPath}?after=${after}`)).body;
    for (const { kind, id } of items) if (kind === 'monitoring_record') found.add(id);
    const isOver = next === after;
    after = next;
    expect(isOver).toBe(true);
  }, patient);
  return [...found].sort();
}

const idsIn = ({ body }: { body: Json }): string[] => body.items.map(({ id }: Json) => id).sort();

it('announces journal records to an administrator of one site as its list shows them', async () => {
  const { world, scoped } = stand;
  const listed = async (ask: typeof scoped) => idsIn(await ask(`GET ${base}/monitoring?limit=500`));
  /** The portal writes records of the fleet meanwhile: those before are announced, and none that is not listed afterwards. */
  const touched = async (ask: typeof scoped, code: string): Promise<string[]> => {
    const before = await listed(ask);
    const update = () => world.portal.ownerDb.update(monitoringRecords).set({ code });
    const announced = await announcedTo(ask, update);
    const after = await listed(ask);
    expect(before.filter((id) => !announced.includes(id))).toEqual([]);
    expect(announced.filter((id) => !after.includes(id))).toEqual([]);
    return announced;
  };
  const own = await touched(scoped, 'touched');
  const all = await touched(world.admin, '');
  expect(own.length).toBeGreaterThan(10);
  expect(all.length).toBeGreaterThan(own.length + 10);
});

it('announces new and deleted records of the own site, and none of other sites', async () => {
  const { world, scoped, own, other } = stand;
  const made: Json[] = [];
  const add = async (given: Parameters<typeof addMonitoringRecord>[1]) =>
    void made.push(await addMonitoringRecord(world.admin, given));
  const announced = await announcedTo(scoped, async () => {
    await add({ object_type: 'farm', object_id: own.farm });
    await add({ object_type: 'farm', object_id: other.farm });
    await add({ object_type: 'farm', object_id: 'not an identifier' });
    await add({ object_type: 'workplace', object_id: other.workplace, details: { farm_id: own.farm } });
    await add({ object_type: 'audit', object_id: own.site });
    await add({});
  });
  const [ofOwn, , , ofOwnFarm, , ofNone] = made;
  expect(announced).toEqual([ofOwn, ofOwnFarm, ofNone].map(({ id }) => id).sort());
  const removed = await announcedTo(scoped, async () => {
    for (const { id } of made) await world.admin(`DELETE ${base}/monitoring/${id}`);
  });
  expect(removed).toEqual(announced);
});
