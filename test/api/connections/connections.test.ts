import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { dispatcherSessions } from '../../../db/schema/routing/dispatcher-sessions.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  adminOf,
  audited,
  base,
  dispatcherState,
  type Member,
  pool,
  type SimulatedNode,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let member: Member;
let site: Json;
let farm: Json;
let node: SimulatedNode;
const started: SimulatedNode[] = [];
const admin = adminOf(world);

beforeEach(async () => {
  member = await addMember(world, []);
  site = await addSite(admin, { authenticators: [world.domain.id] });
  farm = await addFarm(admin, site);
  node = await addNode(world, farm, {
    pools: [
      pool('Office', { workplaces: 1 }),
      pool('Finance', { entitled: { users: [], groups: ['payroll'] } }),
      pool('Workshop', { state: 'preparing', percent: 40 }),
      pool('Old', { method: 'legacy', protocols: ['rdp'] }),
    ],
  });
  started.push(node);
});
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ simulator }) => simulator.close()));
});

const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const clientPath = () => `/aggregator/api/client/v7.0/${site.uri}`;
const serviceId = (name: string, of: SimulatedNode = node) =>
  `${farm.id}.${of.simulator.state.poolNamed(name).uuid}`;
const connect = (name: string, query = '') =>
  member.ask(`GET ${clientPath()}/connectionInfo/${serviceId(name)}${query}`);
const check = (name: string, query = '') =>
  member.ask(`GET ${clientPath()}/preconnectionInfo/${serviceId(name)}${query}`);
const pathsCalled = () =>
  node.simulator.calls.map(({ method, path }) => `${method} ${path.split('/').at(-2)}`);

describe('the information of a connection', () => {
  it('returns the parameters, which work once, and writes one audit event without the password', async () => {
    const { result, events } = await audited(world.portal, () =>
      connect('Office', '?protocol=rdp&hostname=desk&client_version=1'),
    );
    expect(result.status).toBe(200);
    expect(result.body).toMatchObject({
      protocol: 'rdp',
      method: 'new',
      service_id: serviceId('Office'),
      farm_id: farm.id,
      port: 3389,
      username: member.user.name,
      domain: world.domain.small_name,
      expires_in: 60,
      rdp: { color_depth: 32, redirect: { clipboard: true } },
    });
    expect(result.headers.get('cache-control')).toBe('private, no-store');
    expect(events).toMatchObject([
      {
        event: 'aggregator.ConnectionIssued',
        category: 'workplace',
        user_id: member.user.id,
        object_id: serviceId('Office'),
        details: { site: site.uri, farm: farm.name, protocol: 'rdp' },
      },
    ]);
    expect(JSON.stringify([events, world.portal.log])).not.toContain(result.body.password);
    const { query } = node.simulator.calls.at(-1) ?? {};
    expect(query).toBe('protocol=rdp&client_version=1&hostname=desk');
    expect((await connect('Office')).body.password).not.toBe(result.body.password);
  });

  it('serves the requested protocol, or the only one available', async () => {
    expect((await connect('Office', '?protocol=spice')).body).toMatchObject({
      protocol: 'spice',
      spice: { tls_port: 5901 },
    });
    expect((await connect('Old')).body).toMatchObject({ protocol: 'rdp', method: 'legacy' });
    expect((await connect('Office', '?protocol=vnc')).status).toBe(422);
    expect((await connect('Office', '?password=1')).status).toBe(422);
  });

  it('returns 404 without a right to the service, for another site and for an unknown service', async () => {
    const elsewhere = await addSite(admin, { authenticators: [world.domain.id] });
    expect((await connect('Finance')).status).toBe(404);
    const { uuid } = node.simulator.state.poolNamed('Office');
    node.simulator.resetCalls();
    const bad = [
      `/aggregator/api/client/v7.0/${elsewhere.uri}/connectionInfo/${serviceId('Office')}`,
      `${clientPath()}/connectionInfo/${unknownId}.${uuid}`,
      `${clientPath()}/connectionInfo/${uuid}`,
      `${clientPath()}/connectionInfo/${farm.id}`,
      `${clientPath()}/connectionInfo/${farm.id}.${uuid}.x`,
      `${clientPath()}/connectionInfo/${farm.id}..%2f..%2fadmin`,
      `${clientPath()}/connectionInfo/nothing`,
    ];
    for (const path of bad) expect([path, (await member.ask(`GET ${path}`)).status]).toEqual([path, 404]);
    expect(node.simulator.calls).toEqual([]);
    expect((await member.ask(`GET ${clientPath()}/connectionInfo/${farm.id}.${unknownId}`)).status).toBe(404);
  });

  it('checks the right at each call: a site that was withdrawn is refused at once', async () => {
    expect((await connect('Office')).status).toBe(200);
    await admin(`PATCH ${base}/sites/${site.id}`, { authenticators: [] });
    expect((await connect('Office')).status).toBe(404);
    expect((await check('Office')).status).toBe(404);
  });

  it('returns the retry time while the service is being prepared', async () => {
    const { result, events } = await audited(world.portal, () => connect('Workshop'));
    expect([result.status, result.body]).toEqual([
      409,
      expect.objectContaining({
        code: 'service_in_preparation',
        retryable: true,
        reason_code: 'preparing',
        percent: 40,
        dispatcher: node.simulator.name,
      }),
    ]);
    expect(result.headers.get('retry-after')).toBe('2');
    expect(events).toEqual([]);
  });

  it('is refused in maintenance of the farm or the site without a dispatcher call', async () => {
    await admin(`PATCH ${base}/farms/${farm.id}`, { maintenance: true });
    const refused = await connect('Office');
    expect([refused.status, refused.body.code, refused.body.reason]).toEqual([
      409,
      'invalid_state',
      'maintenance',
    ]);
    expect((await check('Office')).body).toMatchObject({
      verdict: 'abandon',
      reason_code: 'maintenance',
      ready: false,
    });
    await admin(`PATCH ${base}/farms/${farm.id}`, { maintenance: false });
    await admin(`PATCH ${base}/sites/${site.id}`, { maintenance: true });
    expect((await connect('Office')).status).toBe(409);
    expect(node.simulator.calls).toEqual([]);
  });

  it('is answered by the second node when the first is down', async () => {
    const { state } = node.simulator;
    started.push(await addNode(world, farm, { state, dispatcher: { priority: 2 } }));
    node.simulator.knobs.reset = true;
    expect((await connect('Office')).status).toBe(200);
    await admin(`PATCH ${base}/dispatchers/${node.dispatcher.id}`, { enabled: false });
    node.simulator.resetCalls();
    expect((await connect('Office')).status).toBe(200);
    expect(node.simulator.calls).toEqual([]);
  });

  it('returns the error of the last node with its farm and node', async () => {
    node.simulator.knobs.failing = 500;
    const { status, body } = await connect('Office');
    expect([status, body.code, body.site, body.farm, body.dispatcher]).toEqual([
      502,
      'upstream_failed',
      site.uri,
      farm.name,
      node.simulator.name,
    ]);
    await admin(`DELETE ${base}/dispatchers/${node.dispatcher.id}`);
    const none = await connect('Office');
    expect([none.status, none.body.code]).toEqual([503, 'upstream_unavailable']);
  });

  it('renews a session key once when the node rejects it', async () => {
    await connect('Office');
    await world.portal.settled();
    node.simulator.resetCalls();
    node.simulator.expireKeys();
    expect((await connect('Office')).status).toBe(200);
    expect(pathsCalled()).toEqual(['GET connectionInfo', 'POST v7.0', 'GET connectionInfo']);
    await world.portal.settled();
    node.simulator.resetCalls();
    expect((await connect('Office')).status).toBe(200);
    expect(pathsCalled()).toEqual(['GET connectionInfo']);
  });

  it('does not retry endlessly with a node that rejects every key', async () => {
    node.simulator.knobs.path = '/api/client';
    node.simulator.knobs.failing = 401;
    const { status, body } = await connect('Office');
    expect([status, body.code, body.reason]).toEqual([502, 'upstream_refused', 'unauthorized']);
    expect(node.simulator.calls.length).toBeLessThanOrEqual(4);
  });

  it('renews a session key before it expires', async () => {
    node.simulator.knobs.keyLifetimeS = 20;
    await connect('Office');
    await world.portal.settled();
    node.simulator.resetCalls();
    await connect('Office');
    expect(pathsCalled()).toEqual(['POST v7.0', 'GET connectionInfo']);
  });

  it('requests a new session key when the stored one was sealed by a removed encryption key', async () => {
    await connect('Office');
    await world.portal.settled();
    await world.portal.db.update(dispatcherSessions).set({ sealed_key: 'deadbeef.AAAA.AAAA' });
    node.simulator.resetCalls();
    expect((await connect('Office')).status).toBe(200);
    expect(pathsCalled()).toEqual(['POST v7.0', 'GET connectionInfo']);
  });

  it('keeps the session keys of two users apart', async () => {
    const other = await addMember(world, []);
    await connect('Old');
    await world.portal.settled();
    const { body } = await other.ask(`GET ${clientPath()}/connectionInfo/${serviceId('Old')}`);
    expect(body.username).toBe(other.user.name);
  });
});

describe('the information before a connection', () => {
  it('returns connect, wait or abandon by the state of the service, and changes nothing', async () => {
    expect((await check('Office')).body).toMatchObject({
      verdict: 'connect',
      ready: true,
      method: 'new',
      farm_id: farm.id,
    });
    expect((await check('Old')).body).toMatchObject({ verdict: 'connect', method: 'legacy' });
    const wait = await check('Workshop');
    expect(wait.body).toMatchObject({ verdict: 'wait', ready: false, reason_code: 'preparing', percent: 40 });
    expect(wait.headers.get('retry-after')).toBe('2');
    expect((await check('Old', '?protocol=spice')).body).toMatchObject({
      verdict: 'abandon',
      reason_code: 'protocol_not_offered',
    });
    node.simulator.state.changePool('Office', { maintenance: true, maintenance_message: 'Back at noon' });
    expect((await check('Office')).body).toMatchObject({
      verdict: 'abandon',
      reason_code: 'maintenance',
      message: 'Back at noon',
    });
    expect((await check('Finance')).status).toBe(404);
    expect(node.simulator.state.sessions.all()).toEqual([]);
    expect(
      (await world.portal.db.select().from(auditEvents)).filter(
        ({ user_id, event }) => user_id === member.user.id && event !== 'portal.UserLogin',
      ),
    ).toEqual([]);
  });

  it('agrees with connectionInfo for a pool without a free workplace', async () => {
    const other = await addMember(world, []);
    await connect('Office');
    const path = (question: string) => `GET ${clientPath()}/${question}/${serviceId('Office')}`;
    expect((await other.ask(path('preconnectionInfo'))).body).toMatchObject({
      verdict: 'wait',
      reason_code: 'no_free_workplace',
    });
    expect((await other.ask(path('connectionInfo'))).body).toMatchObject({
      code: 'service_in_preparation',
      reason_code: 'no_free_workplace',
    });
  });
});

describe('reconnect', () => {
  it('returns a new link to a live session of the user on any farm', async () => {
    const second = await addNode(world, await addFarm(admin, site), { pools: [pool('Other')] });
    started.push(second);
    const { session_uuid } = (await connect('Office')).body;
    const renew = () => member.ask(`POST ${clientPath()}/reconnect/`, { session_uuid });
    const first = await renew();
    expect([first.status, first.body]).toEqual([
      200,
      { link: expect.stringContaining('reconnect='), expires_in: 60, session_uuid, farm_id: farm.id },
    ]);
    expect((await renew()).body.link).not.toBe(first.body.link);
  });

  it('returns 404 for the session of another user and for an unknown session', async () => {
    const other = await addMember(world, []);
    const { session_uuid } = (await connect('Office')).body;
    expect((await other.ask(`POST ${clientPath()}/reconnect/`, { session_uuid })).status).toBe(404);
    expect((await member.ask(`POST ${clientPath()}/reconnect/`, { session_uuid: unknownId })).status).toBe(
      404,
    );
    expect((await member.ask(`POST ${clientPath()}/reconnect/`, { session_uuid: 'x' })).status).toBe(422);
    expect((await member.ask(`POST ${clientPath()}/reconnect/`)).status).toBe(422);
  });

  it('does not report a session as gone while a farm that may have it does not answer', async () => {
    const silent = await addNode(world, await addFarm(admin, site), {
      simulator: { knobs: { failing: 503 } },
    });
    started.push(silent);
    const { status, body } = await member.ask(`POST ${clientPath()}/reconnect/`, { session_uuid: unknownId });
    expect([status, body.code]).toEqual([502, 'upstream_failed']);
  });
});

describe('two nodes of one farm', () => {
  it('are used in turn also when another farm is called in between', async () => {
    const turns = async () => {
      const state = dispatcherState(world, { pools: [pool('Shared')] });
      const shared = await addFarm(admin, site, { balancing: 'round_robin' });
      const pair = [await addNode(world, shared, { state }), await addNode(world, shared, { state })];
      started.push(...pair);
      return {
        pair,
        path: `GET ${clientPath()}/preconnectionInfo/${shared.id}.${state.poolNamed('Shared').uuid}`,
      };
    };
    const [one, two] = [await turns(), await turns()];
    for (let n = 0; n < 4; n++) for (const { path } of [one, two]) await member.ask(path);
    for (const { pair } of [one, two]) {
      const asked = pair.map(
        ({ simulator }) => simulator.calls.filter(({ path }) => path.includes('preconn')).length,
      );
      expect(asked).toEqual([2, 2]);
    }
  });

  it('are used in turn when the farm balances in turn', async () => {
    const state = dispatcherState(world, { pools: [pool('Shared')] });
    const shared = await addFarm(admin, site, { balancing: 'round_robin' });
    const pair = [await addNode(world, shared, { state }), await addNode(world, shared, { state })];
    started.push(...pair);
    const path = `GET ${clientPath()}/preconnectionInfo/${shared.id}.${state.poolNamed('Shared').uuid}`;
    for (let n = 0; n < 6; n++) expect((await member.ask(path)).status).toBe(200);
    const counts = pair.map(
      ({ simulator }) => simulator.calls.filter((call) => call.path.includes('preconnection')).length,
    );
    expect(counts).toEqual([3, 3]);
  });
});
