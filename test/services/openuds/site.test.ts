import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dispatcherSessions } from '../../../db/schema/routing/dispatcher-sessions.ts';
import { endedNodeKeys } from '../../../db/schema/routing/ended-node-keys.ts';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { logOutEndedKeys } from '../../../shared/sites/calls/key-log-outs.ts';
import { addDesktop, addPool, addUser, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import {
  addFarm,
  addMember,
  addNode,
  adminOf,
  audited,
  base,
  create,
  logIn,
  type Member,
  pool,
  rulesPath,
  unique,
  useWorld,
} from '../../support/factories.ts';
import { readFirst } from '../../support/fleet/first-reads.ts';
import { partOf, sync, syncAll } from '../../support/fleet/snapshot.ts';
import { addBroker } from '../../support/openuds/site.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
let broker: Broker;
let farm: Json;
let node: Json;
let alice: Member;
const client = () => `/aggregator/api/client/v7.0/${world.site.uri}`;

beforeAll(async () => {
  alice = await addMember(world, [], '*', { name: 'Alice' });
  const users = [{ name: 'alice', groups: ['staff'] }];
  const pools = [
    { name: 'Office', groups: ['staff'], desktops: 2, transports: ['spice' as const] },
    { name: 'Direct', groups: ['staff'], desktops: 2 },
  ];
  broker = await startOpenUds({ state: seededBroker({ users, pools }), wrongPasswordMs: 0 });
  const given = { node: { public_url: 'https://vdi.example.com' } };
  ({ farm, node } = await addBroker(world, broker, given));
  await admin(`PATCH ${base}/sites/${world.site.id}`, { authenticators: [world.domain.id] });
  await readFirst(world.portal, node.name);
});
beforeEach(() => broker.resetCalls());
afterAll(() => broker.close());

const poolId = (name: string): string => broker.state.pools.find((one) => one.name === name)?.id ?? '';
const serviceOf = (name: string): string => `${farm.id}.${poolId(name)}`;
const userKeys = () =>
  world.portal.db
    .select()
    .from(dispatcherSessions)
    .where(and(eq(dispatcherSessions.user_id, alice.user.id), eq(dispatcherSessions.dispatcher_id, node.id)));

describe('a site with an OpenUDS broker', () => {
  it('is probed without a login, and its lists are in the snapshot', async () => {
    const { body } = await admin(`GET ${base}/dispatchers/${node.id}`);
    expect(body).toMatchObject({ status: 'pass', version: '3.6.0', circuit: 'closed' });
    const pools = (await admin(`GET ${base}/servicespools?farm_id=${farm.id}&sort=name`)).body.items;
    expect(pools.map(({ name, protocols }: Json) => [name, protocols])).toEqual([
      ['Direct', ['rdp']],
      ['Office', ['spice']],
    ]);
    const workplaces = (await admin(`GET ${base}/workplaces?farm_id=${farm.id}`)).body.items;
    expect(workplaces.length).toBe(4);
  });

  it('offers its services to the user that the farm maps', async () => {
    const { body } = await alice.ask(`GET ${client()}/servicesList/`);
    expect(body.services.map(({ name, state }: Json) => [name, state])).toEqual([
      ['Direct', 'ready'],
      ['Office', 'ready'],
    ]);
    expect(body.domains.find(({ local_uuid }: Json) => local_uuid === world.domain.id).linked).toBe(true);
  });

  it('answers a connection with a link, which is not in the audit, and not as a file', async () => {
    const path = `GET ${client()}/connectionInfo/${serviceOf('Office')}`;
    const { result, events } = await audited(world.portal, () => alice.ask(path));
    expect(result.body).toMatchObject({
      ...{ method: 'link', protocol: 'spice', host: null, port: null, username: '', domain: '' },
      ...{ link: expect.stringMatching(/^udss:\/\/vdi\.example\.com\//), farm_id: farm.id },
    });
    expect(result.body.gateway).toBeUndefined();
    expect(events.map(({ event }) => event)).toContain('aggregator.ConnectionIssued');
    expect(JSON.stringify(events)).not.toContain('udss:');
    for (const accept of ['application/x-rdp', 'application/x-virt-viewer'])
      expect((await alice.ask(path, undefined, { accept })).status).toBe(406);
  });

  it('answers a direct connection with parameters, also as a file', async () => {
    const path = `GET ${client()}/connectionInfo/${serviceOf('Direct')}`;
    expect((await alice.ask(path)).body).toMatchObject({ method: 'new', protocol: 'rdp', port: 3389 });
    const file = await alice.ask(path, undefined, { accept: 'application/x-rdp' });
    expect(file.status).toBe(200);
  });

  it('checks readiness without an effect', async () => {
    const owned = broker.state.desktops.filter(({ owner }) => owner !== null).length;
    const { body } = await alice.ask(`GET ${client()}/preconnectionInfo/${serviceOf('Direct')}`);
    expect(body.verdict).toBe('connect');
    expect(broker.state.desktops.filter(({ owner }) => owner !== null).length).toBe(owned);
  });

  it('is one part of a rule beside a farm of the other kind', async () => {
    const other = await addFarm(admin, world.site);
    const options = { pools: [pool('Office', { workplaces: 2, entitled: 'all' })] };
    const { simulator } = await addNode(world, other, options);
    await syncAll(world.portal, other as { id: string });
    const [shared] = simulator.state.pools.all();
    const members = [
      { farm_id: farm.id, servicepool_uuid: poolId('Office'), priority: 1 },
      { farm_id: other.id, servicepool_uuid: shared?.uuid, priority: 2 },
    ];
    const rule = await create(admin, rulesPath, { name: unique('rule'), site_id: world.site.id, members });
    const path = `GET ${client()}/connectionInfo/${rule.id}`;
    expect((await alice.ask(path)).body).toMatchObject({ method: 'link', farm_id: farm.id });
    await admin(`PATCH ${base}/farms/${farm.id}`, { maintenance: true });
    expect((await alice.ask(path)).body).toMatchObject({ method: 'new', farm_id: other.id });
    await admin(`PATCH ${base}/farms/${farm.id}`, { maintenance: false });
    await admin(`DELETE ${rulesPath}/${rule.id}`);
    await simulator.close();
  });
});

describe('what an OpenUDS broker cannot do', () => {
  const at = (action: string, ids: string) => `${base}/workplaces/${farm.id}/${action}/${ids}`;
  const desktop = () => broker.state.desktops.find((one) => one.pool === poolId('Office'))?.id ?? '';
  const ofPool = () => `${poolId('Office')}/${desktop()}`;

  it.each([
    ['a message', 'POST', () => at('message', poolId('Office')), { message: 'Hello', all: true }],
    ['the start of a machine', 'PATCH', () => at('machine', ofPool()), { action: 'start' }],
    ['the renewal of a workplace', 'PATCH', () => at('refresh', ofPool()), { force: true }],
    ['tags of a workplace', 'PATCH', () => at('tags', desktop()), { tags: ['x'] }],
    ['maintenance of a workplace', 'PATCH', () => at('maintenance', ofPool()), { maintenance: true }],
    ['the removal of an owner', 'PATCH', () => at('assign', ofPool()), { user_id: null }],
  ])('is refused before any call: %s', async (_title, method, path, body) => {
    const answer = await admin(`${method} ${path()}`, body);
    expect([answer.status, answer.body.code, answer.body.reason]).toEqual([
      ...[409, 'invalid_state', 'not_supported_by_dispatcher'],
    ]);
    expect(broker.calls).toEqual([]);
  });

  it('is shown by the preview of an action', async () => {
    const objects = [{ farm_id: farm.id, uuid: desktop() }];
    const verdicts = async (action: string) =>
      (await admin(`POST ${base}/workplaces/preview`, { action, objects })).body.items[0];
    expect(await verdicts('shutdown')).toMatchObject({
      ...{ verdict: 'refused', reason: 'not_supported_by_dispatcher' },
    });
    expect(await verdicts('message')).toMatchObject({ verdict: 'unlikely' });
    expect(await verdicts('reset')).not.toMatchObject({ reason: 'not_supported_by_dispatcher' });
    expect(broker.calls).toEqual([]);
  });
});

describe('the owner of a workplace of an OpenUDS broker', () => {
  /** Without the pause between two reads. */
  const readAgain = async () => {
    await world.portal.db.update(farmParts).set({ tried_at: null }).where(eq(farmParts.farm_id, farm.id));
    await syncAll(world.portal, farm as { id: string });
  };

  it('is replaced by another one with one order, as the preview says', async () => {
    const bob = addUser(broker.state, { name: 'bob', groups: ['staff'] });
    const { id: pool } = addPool(broker.state, { name: 'Handover', groups: [], desktops: 1 });
    const desktop = broker.state.desktops.find((one) => one.pool === pool);
    if (!desktop) throw new Error('the pool has a desktop');
    desktop.owner = bob.id;
    await readAgain();
    const objects = [{ farm_id: farm.id, uuid: desktop.id }];
    const preview = await admin(`POST ${base}/workplaces/preview`, { action: 'assign', objects });
    expect(preview.body.items[0].verdict).toBe('possible');
    const path = `PATCH ${base}/workplaces/${farm.id}/assign/${pool}/${desktop.id}`;
    const answer = await admin(path, { authenticator_id: world.domain.id, user_id: alice.user.id });
    expect([answer.status, answer.body.owner?.name]).toEqual([200, 'alice']);
    expect(broker.state.users.find(({ id }) => id === desktop.owner)?.name).toBe('alice');
    broker.state.pools = broker.state.pools.filter(({ id }) => id !== pool);
    broker.state.desktops = broker.state.desktops.filter((one) => one !== desktop);
    await readAgain();
  });
});

describe('keys of an OpenUDS broker', () => {
  it('are kept for the next request of the user', async () => {
    await alice.ask(`GET ${client()}/servicesList/?refresh=true`);
    await world.portal.settled();
    broker.resetCalls();
    await alice.ask(`GET ${client()}/servicesList/?refresh=true`);
    expect(broker.calls.some(({ path }) => /login|ticket/.test(path))).toBe(false);
    expect((await userKeys()).length).toBe(1);
  });

  it('are logged out at the broker after the user has signed out everywhere', async () => {
    const { db, deps } = world.portal;
    await alice.ask(`GET ${client()}/servicesList/?refresh=true`);
    await world.portal.settled();
    const [key] = await userKeys();
    expect(key).toBeDefined();
    await alice.ask('POST /api/auth/v7.0/logout');
    expect(await userKeys()).toEqual([]);
    expect((await db.select().from(endedNodeKeys)).length).toBeGreaterThan(0);
    const before = broker.state.sessions.size;
    await logOutEndedKeys(deps, AbortSignal.timeout(10_000));
    expect(broker.state.sessions.size).toBeLessThan(before);
    expect(await db.select().from(endedNodeKeys)).toEqual([]);
    const { token } = (await logIn(world.portal, world.domain, alice.user)).body;
    alice.ask = (route, body, headers) =>
      world.portal.send(route, { token, body, ...(headers && { headers }) });
  });

  it('of the portal itself are obtained once for many requests', async () => {
    await syncAll(world.portal, farm as { id: string });
    expect(broker.calls.filter(({ path }) => path.endsWith('auth/login'))).toEqual([]);
  });
});

describe('the synchronization of an OpenUDS broker', () => {
  it('writes no rows when nothing has changed', async () => {
    for (let round = 0; round < 2; round++) {
      await world.portal.db.update(farmParts).set({ tried_at: null });
      await syncAll(world.portal, farm as { id: string });
    }
    for (const kind of ['servicespools', 'workplaces', 'spsessions', 'tags'] as const) {
      await world.portal.db.update(farmParts).set({ tried_at: null });
      expect(await sync(world.portal, farm as { id: string }, kind)).toBe('unchanged');
    }
  });

  it('finds new, changed and removed desktops', async () => {
    const pool = broker.state.pools.find(({ name }) => name === 'Direct');
    if (!pool) throw new Error('the seed has the pool');
    const made = addDesktop(broker.state, pool, { name: 'new-one' });
    const list = async () => {
      await world.portal.db.update(farmParts).set({ tried_at: null });
      await sync(world.portal, farm as { id: string }, 'workplaces');
      return (await admin(`GET ${base}/workplaces?farm_id=${farm.id}&search=new-one`)).body.items;
    };
    expect(await list()).toMatchObject([{ uuid: made.id, state: 'ready' }]);
    made.state = 'S';
    expect(await list()).toEqual([]);
  });

  it('leaves a slow broker nine tenths of the time', async () => {
    const { db } = world.portal;
    const tried = { tried_at: new Date(Date.now() - 60_000) };
    await db
      .update(farmParts)
      .set({ ...tried, took_ms: 5_000 })
      .where(eq(farmParts.farm_id, farm.id));
    expect(await sync(world.portal, farm as { id: string }, 'workplaces')).toBe('skipped');
    await db
      .update(farmParts)
      .set({ ...tried, took_ms: 1_000 })
      .where(eq(farmParts.farm_id, farm.id));
    expect(await sync(world.portal, farm as { id: string }, 'workplaces')).not.toBe('skipped');
    expect((await partOf(db, farm as { id: string }, 'workplaces'))?.error).toBeNull();
  });
});
