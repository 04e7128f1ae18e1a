import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addUser, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import type { Mode } from '../../simulator/openuds/state.ts';
import { type BrokerStand, brokerStand, refusalOf } from '../../support/openuds/stand.ts';

const modes: Mode[] = ['3.6', '4.0', '5.0'];

describe.each(modes)('keys of an OpenUDS %s broker', (mode) => {
  let broker: Broker;
  let stand: BrokerStand;
  beforeAll(async () => {
    const users = [
      { name: 'alice', groups: ['staff', 'devs'] },
      { name: 'Alice', groups: ['devs'] },
      { name: 'gone', groups: ['staff'] },
      { name: 'inactive', groups: ['staff'], state: 'I' as const },
      { name: 'helper', groups: ['staff'], isStaff: true },
      { name: 'root2', groups: ['staff'], isAdmin: true },
      { name: 'a*e', groups: ['devs'] },
      { name: 'lonely' },
    ];
    const state = seededBroker({ users, pools: [{ name: 'Office', groups: ['staff'], desktops: 2 }] });
    broker = await startOpenUds({ state, mode, wrongPasswordMs: 0 });
    stand = brokerStand(broker);
  });
  beforeEach(() => broker.resetCalls());
  afterAll(async () => {
    await stand.close();
    await broker.close();
  });
  const groupsOf = (name: string) => {
    const user = broker.state.users.find((one) => one.name === name);
    return broker.state.groups.filter(({ id }) => user?.groups.has(id)).map((group) => group.name);
  };

  it('are obtained by login for the portal, after the domains', async () => {
    const fresh = brokerStand(broker);
    await fresh.own();
    expect(broker.calls.map(({ path }) => path)).toEqual(['/uds/rest/auth/auths', '/uds/rest/auth/login']);
    expect(fresh.guard.logins).toBe(1);
    await fresh.close();
  });

  it('are refused with a wrong password, which the broker answers with 200', async () => {
    const wrong = brokerStand({ ...broker, password: () => 'wrong' });
    await expect(wrong.own()).rejects.toThrow('the account is refused');
    broker.state.failedLogins.length = 0;
    await wrong.close();
  });

  it('are obtained by a ticket for a user, with the groups that the broker has', async () => {
    const call = await stand.as('alice', { groups: ['invented'] });
    expect((await stand.remote.services(call)).map(({ name }) => name)).toEqual(['Office']);
    expect(groupsOf('alice')).toEqual(['staff', 'devs']);
  });

  it('are for the user with exactly this name, also if the name is a pattern', async () => {
    expect((await stand.remote.services(await stand.as('Alice'))).length).toBe(0);
    expect((await stand.remote.services(await stand.as('a*e'))).length).toBe(0);
    expect(groupsOf('a*e')).toEqual(['devs']);
    expect(await refusalOf(stand.as('ALICE'))).toBe('not_known_here:unknown');
    expect(broker.state.users.some(({ name }) => name === 'ALICE')).toBe(false);
  });

  it.each([
    ['helper', 'privileged_account'],
    ['root2', 'privileged_account'],
    ['inactive', 'inactive'],
    ['lonely', 'no_groups'],
  ])('are refused for %s, without a ticket', async (name, reason) => {
    expect(await refusalOf(stand.as(name))).toBe(`not_known_here:${reason}`);
    expect(broker.calls.some(({ path }) => path.endsWith('tickets/create'))).toBe(false);
  });

  it('create a user only where the farm allows it, with known groups', async () => {
    expect(await refusalOf(stand.as('new'))).toBe('not_known_here:unknown');
    const identity = { createsUsers: true, domains: [] };
    const creating = brokerStand({ ...broker, node: { identity } });
    await creating.as('new', { groups: ['devs', 'invented'] });
    expect(groupsOf('new')).toEqual(['devs']);
    expect(await refusalOf(creating.as('newer', { groups: ['invented'] }))).toBe('not_known_here:no_groups');
    await creating.close();
  });

  it('follow the names of the farm for a domain of the portal', async () => {
    const domains = [{ label: 'company', nodeLabel: 'corp', userNames: 'without_suffix' as const }];
    const mapped = brokerStand({ ...broker, node: { identity: { createsUsers: false, domains } } });
    const call = await mapped.as('alice@example.com', { domain: 'Company' });
    expect((await mapped.remote.services(call)).length).toBe(1);
    expect(await refusalOf(mapped.as('alice', { domain: 'other' }))).toBe('not_known_here:domain_not_linked');
    await mapped.close();
  });

  it('are refused for a label of two authenticators', async () => {
    broker.state.authenticators.push({ id: crypto.randomUUID(), name: 'Twin', label: 'corp' });
    const fresh = brokerStand(broker);
    expect(await refusalOf(fresh.own())).toBe('upstream_refused:ambiguous_domain');
    expect(fresh.guard.logins).toBe(0);
    const call = await stand.own();
    const user = { id: 'alice', name: 'alice', domain: 'corp', groups: [], clientIp: '192.0.2.1' };
    const times = { now: new Date(), lifeS: 60 };
    const asUser = { ...call, ...times, principal: { user }, ownKey: stand.ownKey };
    expect(await refusalOf(fresh.remote.authorize(asUser))).toBe('upstream_refused:ambiguous_domain');
    broker.state.authenticators.pop();
    await fresh.close();
  });

  it('end with a log-out, also a second time', async () => {
    const call = await stand.as('alice');
    const before = broker.state.sessions.size;
    await stand.remote.logOut(call);
    await stand.remote.logOut(call);
    expect(broker.state.sessions.size).toBe(before - 1);
  });

  it('that have ended are told from missing rights by their age', async () => {
    const call = await stand.as('alice');
    broker.state.sessions.delete(JSON.parse(call.key).session);
    expect(await refusalOf(stand.remote.services(call))).toBe('upstream_refused:forbidden');
    const old = { ...call, key: JSON.stringify({ ...JSON.parse(call.key), issuedAt: 0 }) };
    expect(await refusalOf(stand.remote.services(old))).toBe('upstream_refused:unauthorized');
  });

  it('of a deleted user are refused as ended', async () => {
    const call = await stand.as('gone');
    broker.state.users = broker.state.users.filter(({ name }) => name !== 'gone');
    const old = { ...call, key: JSON.stringify({ ...JSON.parse(call.key), issuedAt: 0 }) };
    expect(await refusalOf(stand.remote.services(old))).toBe('upstream_refused:unauthorized');
    addUser(broker.state, { name: 'gone', groups: ['staff'] });
  });

  it('replace a key of the portal that has ended, once', async () => {
    const call = await stand.as('alice');
    const ended = JSON.stringify({ session: 'ended', scrambler: '', issuedAt: 0 });
    const asked: (string | undefined)[] = [];
    const ownKey = async (refused?: string) => {
      asked.push(refused);
      return refused === undefined ? ended : stand.ownKey();
    };
    const fresh = brokerStand(broker);
    expect((await fresh.remote.services({ ...call, ownKey })).length).toBe(1);
    expect(asked).toContain(ended);
    await fresh.close();
  });

  it('are sent with a cookie only where a request without one would store a session', async () => {
    const stored = broker.state.webSessions;
    await stand.remote.services(await stand.as('alice'));
    const sent = broker.calls.filter(({ path }) => /connection$|servicespools/.test(path));
    expect(sent.every(({ headers }) => (headers.cookie === undefined) === (mode !== '3.6'))).toBe(true);
    expect(broker.state.webSessions - stored).toBe(0);
  });
});

describe('an OpenUDS broker that blocks addresses', () => {
  it('is treated like one that refuses the account', async () => {
    const broker = await startOpenUds({ state: seededBroker({ users: [], pools: [] }), mode: '4.0' });
    broker.state.failedLogins = Array.from({ length: 6 }, () => Date.now());
    const stand = brokerStand(broker);
    await expect(stand.own()).rejects.toThrow('the account is refused');
    await stand.close();
    await broker.close();
  });
});
