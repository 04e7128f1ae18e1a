import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Call } from '../../../shared/remotes/dispatcher/port.ts';
import { addDesktop, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import type { Desktop, Mode, Pool } from '../../simulator/openuds/state.ts';
import { type BrokerStand, brokerStand, refusalOf } from '../../support/openuds/stand.ts';

const modes: Mode[] = ['3.6', '4.0', '5.0'];
const order = {
  ...{ name: 'Renamed', short_name: 'R', comments: 'New', visible: false, initial_srvs: 1 },
  ...{ cache_l1_srvs: 1, cache_l2_srvs: 0, max_srvs: 9, tags: ['a', 'b'] },
};

describe.each(modes)('orders for an OpenUDS %s broker', (mode) => {
  let broker: Broker;
  let stand: BrokerStand;
  let own: Call;
  let office: Pool;
  let cached: Pool;
  beforeAll(async () => {
    const users = [
      { name: 'alice', groups: ['staff'] },
      { name: 'bob', groups: ['staff'] },
    ];
    const pools = [
      { name: 'Office', groups: ['staff'] },
      { name: 'Cached', groups: ['staff'], cached: 1, canReset: true },
    ];
    broker = await startOpenUds({ state: seededBroker({ users, pools }), mode, wrongPasswordMs: 0 });
    [office, cached] = broker.state.pools as [Pool, Pool];
    stand = brokerStand(broker);
    own = await stand.own();
  });
  beforeEach(() => {
    broker.state.desktops = [];
    broker.resetCalls();
  });
  afterAll(async () => {
    await stand.close();
    await broker.close();
  });
  const userId = (name: string) => broker.state.users.find((one) => one.name === name)?.id ?? null;
  const assign = (desktop: Desktop, user: string | null, domain = 'corp') =>
    stand.remote.changeWorkplace(own, desktop.id, 'assign', user === null ? { user } : { domain, user });
  const actions = () =>
    broker.calls.filter(({ method, path }) => method !== 'GET' || /reset|Access/.test(path));

  it('change a pool with all members that a change must have', async () => {
    const stored = { ...office.members };
    const row = await stand.remote.updatePool(own, office.id, order);
    expect(row).toMatchObject({ name: 'Renamed', visible: false, tags: ['a', 'b'], max_srvs: 0 });
    expect(office.members).toMatchObject({ show_transports: true, allow_users_reset: false });
    expect(office.members.service_id).toBe(stored.service_id);
    const counted = await stand.remote.updatePool(own, cached.id, { ...order, name: 'Cached' });
    expect(counted).toMatchObject({ max_srvs: 9, cache_l1_srvs: 1 });
  });

  it('do not change a pool that was changed meanwhile', async () => {
    const seen = { name: String(office.members.name), tags: ['b', 'a'] };
    await stand.remote.updatePool(own, office.id, order, {
      ...seen,
      comments: String(office.members.comments),
    });
    office.members.comments = 'Changed at the broker';
    const work = stand.remote.updatePool(own, office.id, order, { ...seen, comments: 'New' });
    expect(await refusalOf(work)).toBe('invalid_state:changed_meanwhile');
    expect(office.members.comments).toBe('Changed at the broker');
  });

  it('close a pool with a message and open it again, without its provider', async () => {
    const closed = await stand.remote.maintainPool(own, office.id, { maintenance: true, message: 'Back' });
    expect(closed.maintenance).toBe(true);
    expect(office.members).toMatchObject({ fallbackAccess: 'DENY', calendar_message: 'Back' });
    expect(broker.state.providers.every(({ maintenance }) => !maintenance)).toBe(true);
    const open = await stand.remote.maintainPool(own, office.id, { maintenance: false });
    expect(open.maintenance).toBe(false);
    expect(office.members).toMatchObject({ fallbackAccess: 'ALLOW', calendar_message: '' });
  });

  it('do not close a pool with access rules, which have precedence', async () => {
    office.access = [{ calendar: 'x', access: 'ALLOW' }];
    const work = stand.remote.maintainPool(own, office.id, { maintenance: true });
    expect(await refusalOf(work)).toBe('invalid_state:access_rules');
    expect(actions()).toEqual([]);
    office.access = [];
  });

  it('give a desktop to a user of the broker', async () => {
    const desktop = addDesktop(broker.state, office, { owner: userId('bob') });
    expect(await assign(desktop, 'alice')).toMatchObject({ owner: { domain: 'corp', name: 'alice' } });
    expect(desktop.owner).toBe(userId('alice'));
    expect(await refusalOf(assign(desktop, 'nobody'))).toBe('invalid_state:unknown_user');
    const other = addDesktop(broker.state, office, { owner: userId('bob') });
    expect(await refusalOf(assign(other, 'alice'))).toBe('invalid_state:refused_by_dispatcher');
    expect(await refusalOf(assign(other, null))).toBe('invalid_state:not_supported_by_dispatcher');
  });

  it('do not give a desktop of the cache to a user', async () => {
    const desktop = addDesktop(broker.state, cached, { cacheLevel: 1 });
    expect(await refusalOf(assign(desktop, 'alice'))).toBe('invalid_state:refused_by_dispatcher');
    expect(actions()).toEqual([]);
    expect(desktop).toMatchObject({ owner: null, cacheLevel: 1 });
  });

  it('do not find a desktop that was removed', async () => {
    const desktop = addDesktop(broker.state, office, { owner: userId('bob'), state: 'S' });
    expect(await refusalOf(stand.remote.deleteWorkplace(own, desktop.id))).toBe('not_found');
    expect(actions()).toEqual([]);
  });

  it('reset a machine once, although the broker answers with a failure', async () => {
    const desktop = addDesktop(broker.state, cached, { cacheLevel: 1 });
    await stand.remote.changeWorkplace(own, desktop.id, 'machine', { action: 'reset' });
    expect(desktop.osState).toBe('P');
    expect(broker.calls.filter(({ path }) => path.endsWith('/reset')).length).toBe(1);
  });

  it('do not reset a machine of a service that cannot, which the broker would accept', async () => {
    const desktop = addDesktop(broker.state, office, { owner: userId('bob') });
    const work = stand.remote.changeWorkplace(own, desktop.id, 'machine', { action: 'reset' });
    expect(await refusalOf(work)).toBe('invalid_state:not_supported_by_dispatcher');
    expect(broker.calls.filter(({ path }) => path.endsWith('/reset'))).toEqual([]);
  });

  it('delete a desktop with an owner, or of the cache, once', async () => {
    for (const given of [{ owner: userId('bob') }, { cacheLevel: 1 }]) {
      const desktop = addDesktop(broker.state, cached, given);
      expect((await stand.remote.deleteWorkplace(own, desktop.id)).state).toBe('removing');
      expect(desktop.state).toBe('R');
      const again = stand.remote.deleteWorkplace(own, desktop.id);
      expect(await refusalOf(again)).toBe('invalid_state:refused_by_dispatcher');
    }
    const failed = addDesktop(broker.state, office, { state: 'E' });
    const work = stand.remote.deleteWorkplace(own, failed.id);
    expect(await refusalOf(work)).toBe('invalid_state:refused_by_dispatcher');
  });

  it('that the broker does not have are refused without a request', async () => {
    const desktop = addDesktop(broker.state, office);
    const { remote } = stand;
    const message = { message: 'Hello', title: null, level: 'info', all: true } as const;
    const works = [
      () => remote.sendMessage(own, office.id, message),
      () => remote.endSession(own, desktop.id, 'logoff'),
      () => remote.endSession(own, desktop.id, 'disconnect'),
      () => remote.assistSession(own, desktop.id),
      () => remote.changeWorkplace(own, desktop.id, 'machine', { action: 'shutdown' }),
      () => remote.changeWorkplace(own, desktop.id, 'maintenance', { maintenance: true }),
      () => remote.changeWorkplace(own, desktop.id, 'tags', { tags: [] }),
      () => remote.changeWorkplace(own, desktop.id, 'refresh', { force: true }),
    ];
    for (const work of works)
      expect(await refusalOf(work())).toBe('invalid_state:not_supported_by_dispatcher');
    expect(broker.calls).toEqual([]);
  });
});
