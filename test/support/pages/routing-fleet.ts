import {
  addFarm,
  addMember,
  addNode,
  addPriorityGroup,
  addSite,
  base,
  pool,
  type SimulatedNode,
  type World,
} from '../factories.ts';
import { inMinutes, setCircuit } from '../fleet/maintenance.ts';
import { syncAll } from '../fleet/snapshot.ts';
import type { Json } from '../portal.ts';

export type RoutingFleet = {
  site: Json;
  /** A site of which the account `narrow` sees nothing. */
  other: Json;
  farms: Record<'oak' | 'pine' | 'elm' | 'ash', Json>;
  /** UUID of the pool Office of each farm, in the same order. */
  pools: string[];
  rule: Json;
  group: Json;
  ada: Json;
  /** Has the role of support, for `site` only. */
  narrow: Json;
  close(): Promise<void>;
};

/**
 * A site with four farms and one rule for their pools Office: Oak is in maintenance, the circuits of Pine are open, Elm and
 * Ash are usable.
 */
export async function startRoutingFleet(world: World, issuer: string): Promise<RoutingFleet> {
  const { admin, portal, domain } = world;
  const site = await addSite(admin, { name: 'Alpha', uri: 'alpha', authenticators: [domain.id] });
  const other = await addSite(admin, { name: 'Beta', uri: 'beta', authenticators: [domain.id] });
  const made: { farm: Json; node: SimulatedNode }[] = [];
  for (const name of ['Oak', 'Pine', 'Elm', 'Ash']) {
    const farm = await addFarm(admin, site, { name });
    const options = { name: `${name.toLowerCase()}-1`, pools: [pool('Office')], simulator: { issuer } };
    const node = await addNode(world, farm, options);
    await syncAll(portal, farm);
    made.push({ farm, node });
  }
  const pools = made.map(({ node }) => node.simulator.state.poolNamed('Office').uuid);
  const { body: rule } = await admin(`POST ${base}/rules`, {
    name: 'Office for all',
    site_id: site.id,
    members: made.map(({ farm }, n) => ({ farm_id: farm.id, servicepool_uuid: pools[n], priority: n + 1 })),
  });
  const [oak, pine, elm, ash] = made.map(({ farm }) => farm);
  const blocked = made[1];
  if (!oak || !pine || !elm || !ash || !blocked) throw new Error('a farm is missing');
  const { body: template } = await admin(`POST ${base}/maintenance`, {
    name: 'New disks',
    message: 'Back soon',
    end_at: inMinutes(240),
  });
  await admin(`PATCH ${base}/farms/${oak.id}`, { maintenance: true, maintenance_template_id: template.id });
  await setCircuit(portal, blocked.node, 'open');
  const { user: ada } = await addMember(world, [], '*', { name: 'ada' });
  const group = await addPriorityGroup(admin, {
    name: 'Near the sea',
    users: [ada.id],
    farms: [
      { farm_id: ash.id, priority: 1 },
      { farm_id: elm.id, priority: 2 },
    ],
  });
  const { user: narrow } = await addMember(
    world,
    [
      'rules.read',
      'rules.explain',
      'users.read',
      'authenticators.read',
      'farms.read',
      'sites.read',
      'maintenance.read',
    ],
    [site.id],
    { name: 'narrow' },
  );
  return {
    ...{ site, other, farms: { oak, pine, elm, ash }, pools, rule, group, ada, narrow },
    close: async () => {
      await Promise.all(made.map(({ node }) => node.simulator.close()));
    },
  };
}
