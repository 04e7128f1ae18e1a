import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDesktop, addMetaPool, seededBroker } from '../../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../../simulator/openuds/start.ts';
import type { Pool } from '../../../simulator/openuds/state.ts';
import { addMember, adminOf, base, type Member, useWorld } from '../../../support/factories.ts';
import { forgetFailures } from '../../../support/fleet/causes.ts';
import { addRule } from '../../../support/fleet/rules.ts';
import { syncAll } from '../../../support/fleet/snapshot.ts';
import { addBroker } from '../../../support/openuds/site.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
let [first, second]: Broker[] = [];
let farms: Json[];
let alice: Member;

const names = ['Direct', 'Program', 'Page', 'North', 'South'] as const;
const transports = {
  Direct: 'rdp',
  Program: 'spice',
  Page: 'html5',
  North: 'spice',
  South: 'spice',
} as const;

const start = async (): Promise<Broker> => {
  const users = [{ name: 'alice', groups: ['staff'] }];
  const pools = names.map((name) => ({
    ...{ name, groups: ['staff'], transports: [transports[name]], maxDesktops: 2 },
  }));
  const state = seededBroker({ users, pools });
  addMetaPool(state, { name: 'Anywhere', pools: ['North', 'South'] });
  return startOpenUds({ state, wrongPasswordMs: 0 });
};

beforeAll(async () => {
  alice = await addMember(world, [], '*', { name: 'Alice' });
  await admin(`PATCH ${base}/sites/${world.site.id}`, { authenticators: [world.domain.id] });
  [first, second] = [await start(), await start()];
  const given = { node: { public_url: 'https://vdi.example.com' } };
  farms = [];
  for (const broker of [first, second]) farms.push((await addBroker(world, broker, given)).farm);
});
beforeEach(async () => {
  await forgetFailures(world);
  for (const { state } of [near(), far()]) {
    state.desktops.length = 0;
    state.tickets.clear();
    for (const one of state.providers) one.maintenance = false;
    for (const one of state.pools) one.isRestrained = false;
  }
  near().resetCalls();
});
afterAll(() => Promise.all([near().close(), far().close()]));

const isStarted = (broker: Broker | undefined): Broker => {
  if (!broker) throw new Error('the broker was not started');
  return broker;
};
const near = () => isStarted(first);
const far = () => isStarted(second);
const poolAt = ({ state }: Broker, name: string): Pool => {
  const found = state.pools.find((one) => one.name === name);
  if (!found) throw new Error(`no pool ${name}`);
  return found;
};
const idAt = (broker: Broker, service: string): string =>
  service === 'Anywhere' ? (broker.state.metaPools[0]?.id ?? '') : poolAt(broker, service).id;
/** Desktops of others fill the pool. */
const fill = (broker: Broker, name: string): void => {
  const pool = poolAt(broker, name);
  for (let n = 0; n < pool.maxDesktops; n++) addDesktop(broker.state, pool);
};
const ruleOver = (service: string, given: Parameters<typeof addRule>[3] = {}) =>
  addRule(
    world,
    world.site,
    [near(), far()].map((broker, priority) => ({
      ...{ farm_id: farms[priority]?.id, servicepool_uuid: idAt(broker, service), priority },
    })),
    given,
  );
const path = (what: string, id: string) => `GET /aggregator/api/client/v7.0/${world.site.uri}/${what}/${id}`;
const connect = (id: string) => alice.ask(path('connectionInfo', id));
const check = (id: string) => alice.ask(path('preconnectionInfo', id));
const own = (broker: Broker) =>
  broker.state.desktops.filter(({ owner, state }) => owner !== null && state !== 'E').length;
/** The tickets of browsers. Others are redeemed by the portal at once. */
const ticketsAt = ({ state }: Broker): number => state.tickets.size;

describe('a user whose first site is full', () => {
  it.each([
    ['parameters', 'Direct', { method: 'new', protocol: 'rdp' }],
    ['a link for a program', 'Program', { method: 'link', protocol: 'spice' }],
    ['a link to a page', 'Page', { method: 'link', protocol: 'rdp' }],
  ])('gets %s from the second one', async (_title, service, expected) => {
    const rule = await ruleOver(service);
    fill(near(), service);
    const { status, body } = await connect(rule.id);
    expect([status, body]).toMatchObject([200, { ...expected, farm_id: farms[1]?.id }]);
    expect([own(near()), ticketsAt(near())]).toEqual([0, 0]);
  });

  it('gets a desktop of a meta pool as long as one of its pools has room, then of the second site', async () => {
    const rule = await ruleOver('Anywhere', { affinity: 'none' });
    fill(near(), 'North');
    expect((await connect(rule.id)).body.farm_id).toBe(farms[0]?.id);
    near().state.desktops.length = 0;
    fill(near(), 'North');
    fill(near(), 'South');
    expect((await connect(rule.id)).body.farm_id).toBe(farms[1]?.id);
  });

  it('gets no link to a pool that makes no more desktops', async () => {
    const rule = await ruleOver('Page', { failover: false });
    poolAt(near(), 'Page').isRestrained = true;
    const { status, body } = await connect(rule.id);
    expect([status, body.code, body.reason]).toEqual([409, 'invalid_state', 'no_free_workplace']);
    expect(ticketsAt(near())).toBe(0);
  });

  it('is led back to a desktop there, and gets the link', async () => {
    const rule = await ruleOver('Page');
    const [user] = near().state.users;
    fill(near(), 'Page');
    addDesktop(near().state, poolAt(near(), 'Page'), { owner: user?.id ?? null });
    expect((await connect(rule.id)).body.farm_id).toBe(farms[0]?.id);
  });
});

describe('the check before a connection', () => {
  const service = async (name: string): Promise<string> => (await ruleOver(name, { failover: false })).id;

  it('reports a full pool without an effect', async () => {
    fill(near(), 'Program');
    expect((await check(await service('Program'))).body).toMatchObject({
      ...{ verdict: 'abandon', ready: false, state: 'busy', reason_code: 'no_free_workplace' },
    });
    expect(own(near())).toBe(0);
  });

  it('reports a desktop that is prepared for the user, also in a pool that is full', async () => {
    const [user] = near().state.users;
    addDesktop(near().state, poolAt(near(), 'Direct'), { owner: user?.id ?? null, state: 'P' });
    fill(near(), 'Direct');
    const id = await service('Direct');
    const { body, headers } = await check(id);
    expect(body).toMatchObject({ verdict: 'wait', ready: false, reason_code: 'preparing' });
    expect(headers.get('retry-after')).toBe('5');
    const connection = await connect(id);
    expect([connection.status, connection.body.reason_code]).toEqual([409, 'preparing']);
  });
});

describe('a user with a machine at the first site', () => {
  const ownDesktop = async () => {
    const [user] = near().state.users;
    addDesktop(near().state, poolAt(near(), 'Direct'), { owner: user?.id ?? null });
    await syncAll(world.portal, farms[0] as { id: string });
  };

  it('gets it although the other site comes first', async () => {
    await ownDesktop();
    const [a, b] = farms;
    const members = [
      { farm_id: b?.id, servicepool_uuid: idAt(far(), 'Direct'), priority: 1 },
      { farm_id: a?.id, servicepool_uuid: idAt(near(), 'Direct'), priority: 2 },
    ];
    const rule = await addRule(world, world.site, members);
    expect((await connect(rule.id)).body.farm_id).toBe(a?.id);
  });

  it('stays there during a maintenance of the broker, unless the rule allows to leave it', async () => {
    await ownDesktop();
    const [stays, leaves] = [
      await ruleOver('Direct'),
      await ruleOver('Direct', { failover_from_owned: true }),
    ];
    for (const one of near().state.providers) one.maintenance = true;
    const kept = await connect(stays.id);
    expect([kept.status, kept.body.reason]).toEqual([409, 'maintenance']);
    expect(own(far())).toBe(0);
    expect((await connect(leaves.id)).body.farm_id).toBe(farms[1]?.id);
  });
});

describe('a session of the broker that ended just after it was issued', () => {
  it('is renewed once, and the user stays at the site', async () => {
    const rule = await ruleOver('Direct');
    expect((await connect(rule.id)).body.farm_id).toBe(farms[0]?.id);
    await world.portal.settled();
    const accounts = near()
      .state.users.filter(({ isAdmin }) => isAdmin)
      .map(({ id }) => id);
    for (const [key, { user }] of near().state.sessions)
      if (!accounts.includes(user)) near().state.sessions.delete(key);
    near().resetCalls();
    const { status, body } = await connect(rule.id);
    expect([status, body.farm_id]).toEqual([200, farms[0]?.id]);
    expect(near().calls.filter(({ path: called }) => called.includes('/ticket/auth/'))).toHaveLength(1);
  });
});
