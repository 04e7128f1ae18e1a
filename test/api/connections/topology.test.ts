import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dispatcherSessions } from '../../../db/schema/routing/dispatcher-sessions.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { fleetVersions } from '../../../db/schema/sites/fleet-versions.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { findFarms } from '../../../shared/sites/user-site.ts';
import { addFarm, addNode, base, pool, useStand } from '../../support/factories.ts';
import type { FarmWithNode } from '../../support/fleet/rules.ts';
import { asked, keyPath, servicesOf, startFleetStand, statusesOf } from '../../support/fleet/stand.ts';
import { addSite } from '../../support/installation.ts';
import type { Answer, Json } from '../../support/portal.ts';

const stand = useStand(startFleetStand);
let site: Json;
let east: FarmWithNode;
let west: FarmWithNode;
/** Records the statements that are sent to the database. */
let client: pg.Pool | undefined;
/** The list from each of two isolates, which share no memory. */
let lists: () => Promise<Answer[]>;

beforeEach(async () => {
  const made = await stand.site([{ pools: [pool('East')] }, { pools: [pool('West')] }]);
  site = made.site;
  const [first, second] = made.farms;
  if (!first || !second) throw new Error('two farms were asked for');
  [east, west] = [first, second];
  const isolates = [stand.world.portal.send, stand.world.portal.isolate()];
  lists = async () => {
    const answers: Answer[] = [];
    for (const send of isolates) {
      await stand.forgetLists();
      answers.push(await stand.list(site, send));
    }
    return answers;
  };
  expect((await lists()).map(servicesOf)).toEqual([
    ['East', 'West'],
    ['East', 'West'],
  ]);
});
afterEach(() => stand.clear());
afterAll(async () => {
  await client?.end();
});

const change = async (path: string, body: object) =>
  expect((await stand.world.admin(`PATCH ${base}/${path}`, body)).status).toBe(200);

describe('a topology change takes effect with the next request of every isolate:', () => {
  it('a farm that is disabled, renamed or enabled again', async () => {
    await change(`farms/${west.farm.id}`, { enabled: false });
    for (const list of await lists()) {
      expect(statusesOf(list, [east, west])).toEqual(['ok', 'disabled']);
      expect(servicesOf(list)).toEqual(['East']);
    }
    await change(`farms/${west.farm.id}`, { enabled: true, name: `${west.farm.name} again` });
    for (const list of await lists()) {
      expect(servicesOf(list)).toEqual(['East', 'West']);
      expect(list.body.sites.map((one: Json) => one.farm_name)).toContain(`${west.farm.name} again`);
    }
  });

  it('a farm that is added to the site or deleted', async () => {
    const farm = await addFarm(stand.world.admin, site);
    const node = await addNode(stand.world, farm, { pools: [pool('South')] });
    for (const list of await lists()) expect(servicesOf(list)).toEqual(['East', 'South', 'West']);
    for (const path of [`dispatchers/${node.dispatcher.id}`, `farms/${farm.id}`])
      expect((await stand.world.admin(`DELETE ${base}/${path}`)).status).toBe(204);
    for (const list of await lists()) expect(servicesOf(list)).toEqual(['East', 'West']);
    await node.simulator.close();
  });

  it('a node with another address, another trusted certificate, or that is disabled', async () => {
    const { simulator, dispatcher } = await addNode(stand.world, east.farm, { pools: [pool('Orient')] });
    expect((await stand.world.admin(`DELETE ${base}/dispatchers/${dispatcher.id}`)).status).toBe(204);
    const { url, caPem: ca_certificate, name } = simulator;
    for (const list of await lists()) expect(servicesOf(list)).toEqual(['East', 'West']);
    await stand.changeNode(east, { url, ca_certificate, name, name_key: name });
    for (const list of await lists()) expect(servicesOf(list)).toEqual(['Orient', 'West']);
    // An isolate that still trusts the previous certificate would accept it.
    await stand.changeNode(east, { ca_certificate: west.node.simulator.caPem });
    await stand.world.portal.db.delete(dispatcherSessions);
    await simulator.close();
    for (const list of await lists()) expect(statusesOf(list, [east, west])).toEqual(['error', 'ok']);
    await change(`dispatchers/${east.node.dispatcher.id}`, { enabled: false });
    for (const list of await lists()) expect(servicesOf(list)).toEqual(['West']);
  });

  it('another site with the uri of a deleted one', async () => {
    const { db } = stand.world.portal;
    const former = site;
    await db
      .update(sites)
      .set({ uri: `${former.uri}-old` })
      .where(eq(sites.id, former.id));
    const other = await stand.site([{ pools: [pool('New')] }]);
    await db.update(sites).set({ uri: former.uri }).where(eq(sites.id, other.site.id));
    for (const list of await lists()) expect(servicesOf(list)).toEqual(['New']);
  });
});

describe('a cached topology', () => {
  it('has no session keys: a key that was deleted in the database is not used again', async () => {
    await stand.world.portal.settled();
    await stand.world.portal.db.delete(dispatcherSessions);
    east.node.simulator.resetCalls();
    await lists();
    expect(asked(east, keyPath)).toBeGreaterThanOrEqual(1);
  });

  it('has no circuit breaker states: opening and closing take effect at once', async () => {
    const until = new Date(Date.now() + 60_000);
    await stand.changeNode(west, { circuit: 'open', circuit_probe_until: until });
    for (const list of await lists()) expect(statusesOf(list, [east, west])).toEqual(['ok', 'circuit_open']);
    await stand.changeNode(west, { circuit: 'closed' });
    for (const list of await lists()) expect(statusesOf(list, [east, west])).toEqual(['ok', 'ok']);
  });

  it('is read from the database once per version, and an isolate caches those of 64 sites', async () => {
    const { portal, domain } = stand.world;
    const marked = 987_654_321;
    const sent: unknown[][] = [];
    client = new pg.Pool({ connectionString: portal.databaseUrl, max: 1 });
    const db = drizzle({ client, logger: { logQuery: (_, values) => void sent.push(values) } });
    const uris: string[] = [];
    while (uris.length < 65) uris.push((await addSite(portal.db)).uri);
    await portal.db.execute(sql`insert into site_authenticators (site_id, authenticator_id)
      select ${sites.id}, ${domain.id} from ${sites} on conflict do nothing`);
    await portal.db.update(fleetVersions).set({ version: marked });
    const deps = { ...portal.deps, db };
    const who = { userId: stand.member.user.id, domainId: domain.id };
    const isHeld = async (uri = ''): Promise<boolean> => {
      await findFarms(deps, { uri, who });
      return sent.at(-1)?.includes(marked) === true;
    };
    for (const uri of uris) expect([uri, await isHeld(uri)]).toEqual([uri, false]);
    expect([await isHeld(uris[1]), await isHeld(uris[64]), await isHeld(uris[0])]).toEqual([
      true,
      true,
      false,
    ]);
    const again = await findFarms(deps, { uri: site.uri, who });
    expect(await findFarms(deps, { uri: site.uri, who })).toEqual(again);
    expect(again?.farms.flatMap(({ nodes }) => nodes.map(({ id }) => id)).toSorted()).toEqual(
      [east, west].map(({ node }) => node.dispatcher.id).toSorted(),
    );
    expect(await isHeld(site.uri)).toBe(true);
    await portal.db
      .update(dispatchers)
      .set({ priority: 7 })
      .where(eq(dispatchers.id, east.node.dispatcher.id));
    const nodes = (await findFarms(deps, { uri: site.uri, who }))?.farms.flatMap((farm) => farm.nodes);
    expect(nodes?.map(({ priority }) => priority).toSorted()).toEqual([1, 7]);
  });
});
