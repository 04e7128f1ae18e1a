import { afterAll, beforeAll, expect, it } from 'vitest';
import { addMember, type Member, pool, useWorld } from '../../support/factories.ts';
import { addRule, type FarmWithNode, memberOf, siteWithFarms, uuidOf } from '../../support/fleet/rules.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let member: Member;
let site: Json;
let at: FarmWithNode;
let rule: Json;
beforeAll(async () => {
  const made = await siteWithFarms(world, [{ pools: [pool('Сметы / 2026'), pool('Later'), pool('Ruled')] }]);
  site = made.site;
  at = made.farms[0] as FarmWithNode;
  rule = await addRule(world, site, [memberOf(at, 'Ruled')], { display_name: 'Büro "Süd"' });
  member = await addMember(world, []);
});
afterAll(() => at?.node.simulator.close());

const base = () => `/aggregator/api/client/v7.0/${site.uri}`;
const file = async (id: string, type: string) => {
  const accept = `application/x-${type}`;
  const { status, headers } = await member.ask(`GET ${base()}/connectionInfo/${id}`, undefined, { accept });
  return [status, headers.get('content-disposition')];
};
const idOf = (name: string): string => `${at.farm.id}.${uuidOf(at, name)}`;

it('the file of a rule has its display name', async () => {
  expect(await file(rule.id, 'rdp')).toEqual([
    200,
    `attachment; filename="Buro -Sud-.rdp"; filename*=UTF-8''B%C3%BCro%20-S%C3%BCd-.rdp`,
  ]);
});

it('the file of a pool has the name in the list, in no further round trip', async () => {
  const id = idOf('Сметы / 2026');
  expect(await file(id, 'virt-viewer')).toEqual([
    200,
    `attachment; filename="workplace.vv"; filename*=UTF-8''workplace.vv`,
  ]);
  await member.ask(`GET ${base()}/servicesList/`);
  await world.portal.settled();
  await file(id, 'virt-viewer');
  await world.portal.settled();
  const before = world.portal.trips();
  const named = await file(id.toUpperCase(), 'virt-viewer');
  expect(world.portal.trips() - before).toBeLessThanOrEqual(2);
  const encoded = encodeURIComponent('Сметы - 2026');
  expect(named).toEqual([200, `attachment; filename="_ - 2026.vv"; filename*=UTF-8''${encoded}.vv`]);
});
