import { afterEach, describe, expect, it } from 'vitest';
import { syncRows } from '../../../db/schema/snapshot/sync-rows.ts';
import { type ListKind, listKinds } from '../../../shared/remotes/dispatcher/rows.ts';
import type { CursorLie } from '../../simulator/faults.ts';
import { pool, useStand } from '../../support/factories.ts';
import type { FarmWithNode } from '../../support/fleet/rules.ts';
import { partOf, rowsOf, sync, syncAll } from '../../support/fleet/snapshot.ts';
import { asked, servicesOf, startFleetStand, statusesOf } from '../../support/fleet/stand.ts';

const stand = useStand(startFleetStand);
afterEach(() => stand.clear());

/** The number of requests until each fault is detected, and the error of the part. */
const lies: [CursorLie, number, string][] = [
  ['same', 2, 'upstream_failed:repeated_cursor'],
  ['cycle', 4, 'upstream_failed:repeated_cursor'],
  ['empty', 4, 'upstream_failed:empty_pages'],
];

async function farmWith(tags: string[]): Promise<FarmWithNode> {
  const { farms } = await stand.site([{ pools: [pool('Office', { tags })] }]);
  const [farm] = farms;
  if (!farm) throw new Error('a farm was asked for');
  return farm;
}

describe('a node whose list never ends', () => {
  const cases = lies.flatMap(([lie, calls, error]) =>
    listKinds.map((kind): [CursorLie, ListKind, number, string] => [lie, kind, calls, error]),
  );

  it.each(cases)('is read no further: %s cursors of %s', async (lie, kind, calls, error) => {
    const { farm, node } = await farmWith(['blue']);
    const { portal } = stand.world;
    await syncAll(portal, farm);
    const before = await rowsOf(portal.db, farm, kind);
    node.simulator.knobs.cursors = lie;
    node.simulator.resetCalls();
    expect(await sync(portal, farm, kind)).toBe('failed');
    expect(asked({ farm, node }, `/api/webui/${kind}`)).toBe(calls);
    expect(await partOf(portal.db, farm, kind)).toMatchObject({ error, sync_id: null });
    // The previous rows stay, and no row that was read before the detection is stored.
    expect(await rowsOf(portal.db, farm, kind)).toEqual(before);
    expect(await portal.db.$count(syncRows)).toBe(0);
  });

  it.each(
    lies,
  )('is an error of its farm in the list of services, not of the others: %s', async (lie, calls) => {
    const { site, farms } = await stand.site([{ pools: [pool('East')] }, { pools: [pool('West')] }]);
    const [, west] = farms;
    if (!west) throw new Error('two farms were asked for');
    west.node.simulator.knobs.cursors = lie;
    const shown = await stand.list(site);
    expect([shown.status, servicesOf(shown), statusesOf(shown, farms)]).toEqual([
      200,
      ['East'],
      ['ok', 'error'],
    ]);
    expect(asked(west)).toBe(calls);
  });

  it('is read up to the maximum number of pages of a farm when its cursors are always new', async () => {
    const { farm, node } = await farmWith([]);
    node.simulator.knobs.cursors = 'endless';
    expect(await sync(stand.world.portal, farm, 'servicespools')).toBe('failed');
    expect(asked({ farm, node }, '/api/webui/servicespools')).toBe(300);
    expect((await partOf(stand.world.portal.db, farm, 'servicespools'))?.error).toBe(
      'upstream_failed:too_large',
    );
  });
});
