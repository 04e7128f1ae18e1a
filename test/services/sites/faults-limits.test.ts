import { afterEach, describe, expect, it } from 'vitest';
import { sites } from '../../../db/schema/sites/sites.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import {
  addDispatcher,
  addFarm,
  addMember,
  addNode,
  base,
  type Member,
  pool,
  useStand,
} from '../../support/factories.ts';
import { addRule, ageLists, type FarmWithNode, memberOf } from '../../support/fleet/rules.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import { asked, servicesOf, startFleetStand } from '../../support/fleet/stand.ts';
import { type Json, startPortal } from '../../support/portal.ts';

const stand = useStand(startFleetStand);
afterEach(() => stand.clear());

const client = (site: Json, question: string, id: string) =>
  stand.member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/${question}/${id}`);
const serviceId = ({ farm, node }: FarmWithNode, name: string) =>
  `${farm.id}.${node.simulator.state.poolNamed(name).uuid}`;
const callsOf = ({ node }: FarmWithNode): boolean => node.simulator.calls.length > 0;
/** The only farm of the site; most of these tests need one. */
async function oneFarm(name = 'East') {
  const { site, farms } = await stand.site([{ pools: [pool(name)] }]);
  const [east] = farms;
  if (!east) throw new Error('a farm was asked for');
  return { site, farms, east };
}

describe('retries of node calls', () => {
  it('a read is retried on one other node, never a third, and a call with an effect on none', async () => {
    const { site, east } = await oneFarm();
    const { state } = east.node.simulator;
    await stand.changeNode(east, { priority: 1 });
    const others = [2, 3].map((priority) =>
      addNode(stand.world, east.farm, { state, dispatcher: { priority } }),
    );
    const nodes = [east.node, ...(await Promise.all(others))];
    for (const { simulator } of nodes) Object.assign(simulator.knobs, { path: '/api/client/', failing: 500 });
    const services = () =>
      nodes.map(({ simulator }) => simulator.calls.filter(({ path }) => path.endsWith('/services')).length);
    expect((await stand.list(site)).status).toBe(503);
    expect(services()).toEqual([1, 1, 0]);
    const reconnect = `POST /aggregator/api/client/v7.0/${site.uri}/reconnect/`;
    const session_uuid = state.newUuid('session');
    expect((await stand.member.ask(reconnect, { session_uuid })).status).toBe(502);
    const renewals = nodes.map(
      ({ simulator }) => simulator.calls.filter(({ path }) => path.endsWith('/reconnect/')).length,
    );
    expect(renewals).toEqual([1, 0, 0]);
    await Promise.all(nodes.slice(1).map(({ simulator }) => simulator.close()));
  });

  it('a further node is called after the deadline of the list, for the next request', async () => {
    await stand.setParameter('aggregator.list_deadline_ms', 300);
    await stand.setParameter('aggregator.call_timeout_ms', 1_000);
    const { site, east } = await oneFarm();
    await stand.list(site);
    await stand.forgetLists();
    const { state, knobs } = east.node.simulator;
    const second = await addNode(stand.world, east.farm, { state, dispatcher: { priority: 2 } });
    knobs.hang = 'headers';
    expect((await stand.list(site)).status).toBe(503);
    await stand.world.portal.settled();
    expect(asked({ farm: east.farm, node: second })).toBe(1);
    expect(servicesOf(await stand.list(site))).toEqual(['East']);
    expect(asked({ farm: east.farm, node: second })).toBe(1);
    await second.simulator.close();
  });
});

describe('the request for a farm’s domains', () => {
  it('does not hold up the list, and is repeated on another node for the next request', async () => {
    await stand.setParameter('aggregator.list_deadline_ms', 300);
    await stand.setParameter('aggregator.call_timeout_ms', 1_000);
    const { site, east } = await oneFarm();
    const { simulator } = east.node;
    const { state } = simulator;
    const second = await addNode(stand.world, east.farm, { state, dispatcher: { priority: 2 } });
    Object.assign(simulator.knobs, { hang: 'headers', path: domainsPath });
    expect((await stand.list(site)).status).toBe(503);
    await stand.world.portal.settled();
    expect(asked({ farm: east.farm, node: second }, domainsPath)).toBe(1);
    expect(servicesOf(await stand.list(site))).toEqual(['East']);
    await second.simulator.close();
  }, 30_000);
});

const domainsPath = '/api/auth/v7.0/authenticators';

describe('the number of concurrent calls', () => {
  it('farms that failed are called last, and six of them do not delay the others', async () => {
    const { site, farms } = await stand.site(Array.from({ length: 8 }, () => ({ pools: [pool('Office')] })));
    const byName = farms.toSorted((a, b) => (a.farm.name < b.farm.name ? -1 : 1));
    // Lists call farms in this order, so that without another one the first six would use all six slots.
    const [failing, [unknown, passing]] = [byName.slice(0, 6), byName.slice(6)];
    if (!unknown || !passing) throw new Error('eight farms were asked for');
    await stand.setParameter('aggregator.list_deadline_ms', 500);
    for (const at of failing) {
      await stand.changeNode(at, { circuit_failures: 1 });
      at.node.simulator.knobs.hang = 'headers';
    }
    await stand.changeNode(passing, { status: 'pass', response_time_ms: 20 });
    await stand.list(site);
    await expect.poll(() => [unknown, passing].map(callsOf)).toEqual([true, true]);
  });

  it('one list makes at most six concurrent calls', async () => {
    const { site, east } = await oneFarm();
    const { url, ca_certificate, name } = east.node.dispatcher;
    for (let n = 0; n < 11; n++) {
      await addDispatcher(stand.world.admin, await addFarm(stand.world.admin, site), {
        url,
        ca_certificate,
        name: `${name}-${n}`,
      });
    }
    east.node.simulator.knobs.latencyMs = 40;
    await stand.list(site);
    expect(east.node.simulator.calls.length).toBeGreaterThan(12);
    expect(east.node.simulator.maxInFlight).toBeLessThanOrEqual(6);
  });

  it('two hundred clients of one user share one call and its answer', async () => {
    const { site, east } = await oneFarm();
    await stand.setParameter('aggregator.list_deadline_ms', 10_000);
    await stand.list(site);
    await stand.forgetLists();
    east.node.simulator.resetCalls();
    east.node.simulator.knobs.latencyMs = 3_000;
    const answers = await Promise.all(Array.from({ length: 200 }, () => stand.list(site)));
    expect(new Set(answers.map((answer) => `${answer.status} ${servicesOf(answer)}`))).toEqual(
      new Set(['200 East']),
    );
    expect(asked(east)).toBe(1);
  }, 20_000);

  it('two hundred clients of many users have at most sixteen connections to a node', async () => {
    const { site, east } = await oneFarm();
    await stand.setParameter('aggregator.list_deadline_ms', 10_000);
    const members: Member[] = [];
    // Sequentially: the slots for hashing passwords are few.
    for (let n = 0; n < 40; n++) members.push(await addMember(stand.world, []));
    east.node.simulator.knobs.latencyMs = 30;
    const clients = members.flatMap((member) =>
      Array.from({ length: 5 }, () => stand.list(site, undefined, member)),
    );
    const answers = await Promise.all(clients);
    expect(answers.filter((answer) => servicesOf(answer).length === 1)).toHaveLength(200);
    expect(east.node.simulator.maxInFlight).toBeLessThanOrEqual(16);
    // A user whose list was being stored at that time may have requested it again.
    expect(asked(east)).toBeLessThan(100);
  }, 30_000);

  it('another user or another permission needs another call', async () => {
    const { site, east } = await oneFarm();
    const other = await addMember(stand.world, []);
    await stand.list(site);
    await stand.list(site, undefined, other);
    await stand.forgetLists();
    const { state, knobs } = east.node.simulator;
    state.changePool('East', {
      entitled: { users: [`${stand.world.domain.small_name}\\${other.user.name}`], groups: [] },
    });
    knobs.latencyMs = 200;
    const [own, others] = await Promise.all([stand.list(site), stand.list(site, undefined, other)]);
    expect([servicesOf(own), servicesOf(others)]).toEqual([[], ['East']]);
  });
});

describe('two live sessions of one user for one rule', () => {
  it('are reported as a conflict, and neither is ended', async () => {
    const { site, farms } = await stand.site([{ pools: [pool('East')] }, { pools: [pool('West')] }]);
    const rule = await addRule(
      stand.world,
      site,
      farms.map((at, n) => memberOf(at, n === 0 ? 'East' : 'West')),
    );
    const person = { domain: stand.world.domain.small_name, name: stand.member.user.name };
    for (const [n, { farm, node }] of farms.entries()) {
      const { state } = node.simulator;
      const [workplace] = state.poolNamed(n === 0 ? 'East' : 'West').members;
      if (workplace) openSession(state, workplace, { person, protocol: 'rdp' });
      await syncAll(stand.world.portal, farm);
    }
    const [service] = (await stand.list(site)).body.services;
    expect(service.conflict).toHaveLength(2);
    const launched = await client(site, 'connectionInfo', rule.id);
    expect([launched.status, launched.body.conflict.length]).toEqual([200, 2]);
    expect(farms.map(({ node }) => node.simulator.state.sessions.all().length)).toEqual([1, 1]);
  });
});

describe('the readiness of a service', () => {
  it.each<[string, Parameters<typeof pool>[1], string, string, number]>([
    ['ready', {}, 'connect', '', 200],
    ['being prepared', { state: 'preparing' }, 'wait', '', 409],
    ['without a free workplace', { workplaces: 0 }, 'wait', '', 409],
    ['of another protocol', { protocols: ['rdp'] }, 'abandon', '?protocol=spice', 409],
  ])('%s is reported in the same way before the connection and by it', async (_what, given, verdict, query, status) => {
    const { site, farms } = await stand.site([{ pools: [pool('East', given)] }]);
    const [east] = farms;
    if (!east) throw new Error('a farm was asked for');
    const id = serviceId(east, 'East') + query;
    const before = await client(site, 'preconnectionInfo', id);
    const launch = await client(site, 'connectionInfo', id);
    expect([before.body.verdict, before.body.ready, launch.status]).toEqual([
      verdict,
      status === 200,
      status,
    ]);
    if (status === 409) {
      expect(launch.body).toMatchObject({
        code: 'service_in_preparation',
        reason_code: before.body.reason_code,
      });
    }
  });
});

describe('a right that is withdrawn on a dispatcher', () => {
  it('is gone from the list within 15 seconds, and from connections at once', async () => {
    const { site, east } = await oneFarm();
    expect(servicesOf(await stand.list(site))).toEqual(['East']);
    await stand.world.portal.settled();
    east.node.simulator.state.changePool('East', { entitled: { users: [], groups: [] } });
    expect((await client(site, 'connectionInfo', serviceId(east, 'East'))).status).toBe(404);
    await ageLists(stand.world, stand.member, 15);
    expect(servicesOf(await stand.list(site))).toEqual([]);
  });
});

describe('an outage of the database', () => {
  it('is 503 for signed-in users; keys and error pages are served, and refused writes had no effect', async () => {
    const database = await freshDatabase();
    const proxy = await startFreezableProxy(database.url);
    const portal = await startPortal({ database: { ...database, url: proxy.url } });
    const token = await portal.login();
    const body = { name: 'Lost', uri: 'lost' };
    await proxy.close();
    const read = await portal.send(`GET ${base}/sites`, { token });
    expect([read.status, read.body.code, read.headers.get('retry-after')]).toEqual([
      503,
      'database_unavailable',
      '5',
    ]);
    const write = await portal.send(`POST ${base}/sites`, { token, body });
    expect([write.status, write.body.code]).toEqual([503, 'database_unavailable']);
    expect((await portal.send('GET /api/auth/v7.0/jwks')).status).toBe(200);
    expect((await portal.send('GET /api/errors/database_unavailable')).status).toBe(200);
    const again = await startPortal({ database });
    expect(await again.db.$count(sites)).toBe(0);
    await portal.close();
    await again.close();
  });
});
