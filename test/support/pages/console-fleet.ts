import { appendMonitoringRows } from '../../../db/repositories/monitoring/records.ts';
import { circuitRecord, nodeRecord } from '../../../db/repositories/sites/node-records.ts';
import { type AgedOutcome, recordProbes } from '../../../db/repositories/sites/probes.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farms } from '../../../db/schema/sites/farms.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import {
  addDispatcher,
  addFarm,
  addGateway,
  addNode,
  addSite,
  addTemplate,
  pool,
  type SimulatedNode,
  type World,
} from '../factories.ts';
import { syncAll } from '../fleet/snapshot.ts';
import type { Json } from '../portal.ts';

/** Sites in different states: Alpha passes, North fails, West partly fails, Kept is in maintenance, Off is disabled. */
export type ConsoleFleet = {
  /** A probe of a node of North or West. */
  probe(node: Json, status: 'pass' | 'fail'): Promise<void>;
  north: Json;
  close(): Promise<void>;
};

const soon = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

export async function startConsoleFleet(world: World, origin: string): Promise<ConsoleFleet> {
  const { admin, portal } = world;
  // A probe counts for the whole test.
  await admin('PUT /api/webui/aggregator/tconfig', { aggregator: { health_interval_s: { value: 300 } } });
  const probe = (node: Json, status: 'pass' | 'fail') => recordProbes(portal.db, [outcomeOf(node, status)]);
  const alpha = await addSimulated(world, origin, 'Alpha', [pool('Office', { workplaces: 8 })]);
  const west = await addSimulated(world, origin, 'West', [pool('Library', { workplaces: 2 })]);
  const [desk] = west.node.simulator.state.poolNamed('Library').members;
  const person = { domain: world.domain.small_name, name: 'ada' };
  for (const workplace of west.node.simulator.state.poolNamed('Library').members)
    openSession(west.node.simulator.state, workplace, { person, protocol: 'rdp' });
  if (!desk) throw new Error('the pool has no workplace');
  await syncAll(portal, alpha.farm);
  await syncAll(portal, west.farm);
  const second = await addDispatcher(admin, west.farm, { name: 'west-2' });
  const north = await addFailing(world, 'North', 'north-1');
  await addFailing(world, 'Kept', 'kept-1', { maintenance: true });
  await addFailing(world, 'Off', 'off-1', { enabled: false });
  await addGateway(admin, { name: 'gw-west', sites: [west.site.id] });
  const template = await addTemplate(admin, { title: 'New disks', start_at: soon(2), end_at: soon(2.1) });
  await admin(`PATCH /api/webui/aggregator/farms/${alpha.farm.id}`, {
    maintenance: true,
    maintenance_template_id: template.id,
  });
  for (const node of [alpha.node.dispatcher, west.node.dispatcher]) await probe(node, 'pass');
  for (const node of [second, north]) await probe(node, 'fail');
  await appendMonitoringRows(portal.db, pastFailures(north, second));
  const close = async () => {
    await alpha.node.simulator.close();
    await west.node.simulator.close();
  };
  return { probe, north, close };
}

/** Adds passing sites with one farm each, as rows. */
export async function addManySites(
  { portal: { db } }: World,
  count: number,
  nodesEach: number,
): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => {
    const name = `Branch ${n + 1}`;
    return { id: newId(), name, name_key: name.toLowerCase() };
  });
  await db.insert(sites).values(rows.map((row, n) => ({ ...row, uri: `branch-${n + 1}` })));
  await db.insert(farms).values(rows.map((row) => ({ ...row, site_id: row.id })));
  const last_check_at = new Date();
  const nodes = rows.flatMap(({ id: farm_id }, n) =>
    Array.from({ length: nodesEach }, (_, m) => {
      const name = `branch-${n + 1}-${m + 1}`;
      const url = `https://${name}.example.com`;
      return { id: newId(), name, name_key: name, farm_id, url, status: 'pass' as const, last_check_at };
    }),
  );
  await db.insert(dispatchers).values(nodes);
}

async function addSimulated(
  world: World,
  issuer: string,
  name: string,
  pools: ReturnType<typeof pool>[],
): Promise<{ site: Json; farm: Json; node: SimulatedNode }> {
  const site = await addSite(world.admin, { name, uri: name.toLowerCase() });
  const farm = await addFarm(world.admin, site, { name: `${name} farm` });
  const options = { name: `${name.toLowerCase()}-1`, pools, simulator: { issuer } };
  return { site, farm, node: await addNode(world, farm, options) };
}

/** A site whose node does not respond. */
async function addFailing({ admin }: World, name: string, node: string, given: object = {}): Promise<Json> {
  const site = await addSite(admin, { name, uri: name.toLowerCase(), ...given });
  const farm = await addFarm(admin, site, { name: `${name} farm` });
  return addDispatcher(admin, farm, { name: node, url: 'https://127.0.0.1:9' });
}

function outcomeOf({ id, name }: Json, status: 'pass' | 'fail'): AgedOutcome {
  const last_error = status === 'pass' ? null : 'upstream_timeout';
  const certificate =
    status === 'pass' ? { subject: `CN=${name}`, issuer: 'CN=Example CA', not_after: soon(12.5) } : null;
  return {
    id,
    revision: 1,
    status,
    last_error,
    response_time_ms: status === 'pass' ? 37 : null,
    version: null,
    certificate,
    domains: null,
    age_ms: 0,
    record: nodeRecord({ id, name }, { status, last_error }, new Date()),
  };
}

/** Nine failures of one cause at two nodes, and one of another cause. */
function pastFailures(first: Json, second: Json) {
  const minutes = (n: number) => new Date(Date.now() - n * 60_000);
  const status = { status: 'fail', last_error: 'upstream_timeout' } as const;
  const failures = Array.from({ length: 9 }, (_, n) =>
    nodeRecord(n % 2 === 0 ? nameOf(first) : nameOf(second), status, minutes(n + 1)),
  );
  return [...failures, circuitRecord(nameOf(first), 'open', minutes(3))];
}

const nameOf = ({ id, name }: Json) => ({ id, name });
